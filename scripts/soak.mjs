// Soaks the built checkout: `npm run soak -- 1h` (or 30m, 90s): load of known size on a cable, flat memory, all accounted.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, 'dist', 'bench', 'soak.js');
const asked = /^(\d+)(s|m|h)$/.exec(process.argv[2] ?? '2m');
if (asked === null || !existsSync(built)) {
  const why = asked === null ? 'the duration is a number and s, m or h' : 'run `npm run build` first';
  process.stderr.write(`soak: ${why}; usage: npm run soak -- 30m\n`);
  process.exitCode = 2;
} else {
  const seconds = Number(asked[1]) * { s: 1, m: 60, h: 3600 }[asked[2]];
  const { soak } = await import(pathToFileURL(built).href);
  const atEnd = [];
  try {
    const result = await soak(
      seconds,
      (stop) => atEnd.push(stop),
      (line) => process.stdout.write(`${line}\n`),
    );
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } catch (error) {
    process.stderr.write(`soak: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    for (const stop of atEnd) await stop();
  }
}
