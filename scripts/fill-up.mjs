// Fills every cap of the built checkout at once: `npm run fill-up -- [--scale N] [ARGS of calltap]`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, 'dist', 'bench', 'fill-up.js');
if (existsSync(built)) {
  const { main } = await import(pathToFileURL(built).href);
  process.exitCode = await main(process.argv.slice(2), root);
} else {
  process.stderr.write('fill-up: run `npm run build` first\n');
  process.exitCode = 2;
}
