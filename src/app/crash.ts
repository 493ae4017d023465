/** Makes a crash name the files of src/ instead of those of the bundle (scripts/steps/bundle.mjs). */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { packageRoot } from '../core/package.ts';

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

/** From now on an error that nobody expected is printed with the places of its sources. Node prints it and ends. */
export function nameSourcesInCrashes(): void {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    if (error instanceof Error && error.stack !== undefined) error.stack = inSources(error.stack);
  });
}
