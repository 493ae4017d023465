// Runs the benchmark of the built checkout: `npm run bench -- --help`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const harness = join(root, 'dist', 'bench', 'harness.js');
if (existsSync(harness)) {
  const { bench } = await import(pathToFileURL(harness).href);
  process.exitCode = bench(root, process.argv.slice(2));
} else {
  process.stderr.write('bench: dist/bench/harness.js is missing; run `npm run build` first\n');
  process.exitCode = 1;
}
