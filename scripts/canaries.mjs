// Builds the canaries and runs each N times beside calltap: `npm run canaries -- 50 [--mode NAME]... [NAME]...`
//
// A canary is a program that does a dangerous thing in the middle of its TLS calls (test/live/canary-list.ts). Modes:
// none (without calltap), best, multi, perf, sys-exit, oldest; all of them when none is named. Nothing else on the host
// should have probes meanwhile: a death names who had.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './steps/files.mjs';
import { pass } from './steps/run.mjs';

const built = join(root, 'dist/test/live/canary-build.js');
const [runs = '5', ...rest] = process.argv.slice(2);
if (!existsSync(built) || !/^[1-9]\d*$/.test(runs)) {
  const why = existsSync(built) ? `${runs} is no number of runs` : 'run `npm run build` first';
  process.stderr.write(`canaries: ${why}; usage: npm run canaries -- 50 [--mode NAME]... [NAME]...\n`);
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-canaries-'));
  try {
    const { buildCanaries } = await import(pathToFileURL(built).href);
    await buildCanaries(folder);
    process.exitCode = pass(process.execPath, [join(folder, 'canary-main.js'), folder, root, runs, ...rest]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
