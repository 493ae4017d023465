#!/usr/bin/env node
/** The program's entry. */
import { nameSourcesInCrashes } from './crash.ts';
import { start } from './program.ts';

nameSourcesInCrashes();
await start(process.argv.slice(2));
