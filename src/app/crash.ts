/**
 * The last resort: an error that nothing caught ends the program. It closes the file of -O and prints what was asked for
 * first. Its places are those of src/, not of the bundle (scripts/steps/bundle.mjs).
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { failure, type ServiceError } from '../core/errors.ts';
import { packageRoot } from '../core/package.ts';
import { safeText } from '../core/terminal-text.ts';
import { standardError } from '../faces/cli/standard-streams.ts';

const PLACE = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;

/** The map beside a script; null for a script without one, such as a package's. */
function mapOf(script: string): SourceMap | null {
  try {
    // The compiler wrote it.
    return new SourceMap(
      JSON.parse(readFileSync(`${script}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
    );
  } catch {
    return null;
  }
}

/** `stack` with each place in a script that has a map as the place it was made of: `src/store/stores.ts:12:3`. */
export function inSources(stack: string): string {
  const maps = new Map<string, SourceMap | null>();
  return stack.replace(PLACE, (place, script: string, line: string, column: string) => {
    const map = maps.has(script) ? maps.get(script) : mapOf(script);
    maps.set(script, map ?? null);
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const source = resolve(dirname(script), entry.originalSource);
    return `${relative(packageRoot(), source)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/** How long that may take. A service manager waits longer before it kills. */
const LAST_WORK_MS = 10_000;
const STACK_CHARS = 16_384;

let lastWork: (() => Promise<unknown>) | null = null;

/** What is done before an unexpected error ends the program, in place of what was set before; its own errors end it. */
export function beforeCrash(work: () => Promise<unknown>): void {
  lastWork = work;
}

/**
 * From now on an error that reaches the process ends it with 1. Errors while it ends are left out: the first one says why.
 */
export function endAfterCrash(): void {
  let isEnding = false;
  // The screen of a terminal is left by a monitor too, so that the text stays.
  process.on('uncaughtException', (error: unknown) => {
    if (isEnding) return;
    isEnding = true;
    if (isOutOfMemory(error)) endWith(failure('OUT_OF_MEMORY', {}));
    const end = (): never => process.exit(1);
    setTimeout(end, LAST_WORK_MS);
    standardError.divert(null);
    standardError.write(`calltap: an unexpected error ends the program; please report it:\n${stackOf(error)}\n`);
    (async () => lastWork?.())().then(end, end);
  });
}

/** What is thrown may be anything, and say so in many ways. */
function stackOf(error: unknown): string {
  try {
    const stack = error instanceof Error ? String(error.stack ?? error.message) : String(error);
    return inSources(stack.slice(0, STACK_CHARS)).split('\n').map(safeText).join('\n');
  } catch {
    return 'an error that cannot be shown';
  }
}

/** Nothing more can be opened, and what is open would keep the process. */
export function endWith({ message, exitCode }: ServiceError): never {
  process.stderr.write(`calltap: ${message}\n`);
  process.exit(exitCode);
}

/** What the addon and the engine say when an allocation fails. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /^(out of memory|Array buffer allocation failed)$/.test(error.message);
}
