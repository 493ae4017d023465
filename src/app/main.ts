#!/usr/bin/env node
/**
 * The program's entry: takes it from the script that set-up joined and compiled ahead, else module by module.
 */
import type * as Program from './program.ts';
import { loadStartup } from './startup.ts';

const startup = loadStartup(new URL('../../', import.meta.url), (name) => import(name));
const program: Pick<typeof Program, 'start'> = startup === null ? await import('./program.ts') : await startup.program;
await program.start(process.argv.slice(2));
