// Runs a benchmark of the built checkout: `npm run bench -- --help`, `npm run bench -- live [wire,filter,hep]`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isLive = process.argv[2] === 'live';
const harness = join(root, 'dist', 'bench', isLive ? 'live-bench.js' : 'harness.js');
if (existsSync(harness)) {
  const module = await import(pathToFileURL(harness).href);
  process.exitCode = isLive ? await module.liveBench(process.argv.slice(3)) : module.bench(root, process.argv.slice(2));
} else {
  process.stderr.write(`bench: ${harness} is missing; run \`npm run build\` first\n`);
  process.exitCode = 1;
}
