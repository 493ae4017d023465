#!/usr/bin/env node
/** The program's entry. */
import { endAfterCrash } from './crash.ts';
import { start } from './program.ts';

endAfterCrash();
await start(process.argv.slice(2));
