// Runs a benchmark of the built checkout: `npm run bench -- --help` says how files are read. Others by name:
//
//   npm run bench -- live [wire,filter,hep] [RATE...] [READER...]     a live capture, beside other programs
//   npm run bench -- holds [STEP,...]                                 what holds the event loop of the server
//   npm run bench -- sip CAPTURE [wire|hep] [OPTION...]               the JavaScript thread alone
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { joinedText } from './steps/startup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...rest] = process.argv.slice(2);
const load = async (file) => import(pathToFileURL(join(root, 'dist', 'bench', `${file}.js`)).href);
/** Modules joined as those of the program are: what is measured is what runs. */
const loadJoined = async (file) => {
  const dist = join(root, 'dist');
  const joined = new Script(joinedText(dist, `bench/${file}.js`), { filename: `${file}-joined.js` }).runInThisContext();
  const base = pathToFileURL(`${dist}/`);
  return joined(createRequire(base), (name) => import(name), base);
};
const benches = {
  live: async () => (await load('live-bench')).liveBench(rest),
  holds: async () => (await load('holds')).holdsBench(rest),
  sip: async () => (await loadJoined('sip-stage')).sipStage(rest),
};
if (existsSync(join(root, 'dist', 'bench', 'harness.js'))) {
  process.exitCode = Object.hasOwn(benches, name ?? '')
    ? await benches[name]()
    : (await load('harness')).bench(root, process.argv.slice(2));
} else {
  process.stderr.write('bench: dist/bench is missing; run `npm run build` first\n');
  process.exitCode = 1;
}
