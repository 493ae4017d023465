// Leaves features out of the compiled program, or puts all of them back: run it after `npm run build:ts`.
//
//   node scripts/without.mjs FEATURE... [--dist DIR]     such as: node scripts/without.mjs api vcon
//   node scripts/without.mjs                             the build has every feature again
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

const words = process.argv.slice(2);
const at = words.indexOf('--dist');
const dist = at < 0 ? join(root, 'dist') : resolve(words[at + 1] ?? '');
const names = words.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
const { features } = await import(pathToFileURL(join(dist, 'src/core/features.js')).href);
const { built, missing } = features();
const unknown = names.filter((name) => !built.includes(name) && !missing.includes(name));
if (unknown.length > 0) {
  say(`without: there is no feature ${unknown.join(', ')}; the features are ${[...built, ...missing].join(', ')}`);
  process.exitCode = 1;
} else {
  const file = join(dist, 'left-out.json');
  if (names.length === 0) rmSync(file, { force: true });
  else writeFileSync(file, `${JSON.stringify(names)}\n`);
}
