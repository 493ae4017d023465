// Runs a benchmark of the built checkout: `npm run bench -- --help` says how files are read. Others by name:
//
//   npm run bench -- live [wire,filter,hep] [RATE...] [READER...]     a live capture, beside other programs
//   npm run bench -- ask CAPTURE [SECONDS]                            /v1 beside 50 clients of /ask
//   npm run bench -- console [SECONDS [ROWS]]                         the web console on a live capture; as root
//   npm run bench -- filter CAPTURE [FILTER...]                       what a filter costs over a capture
//   npm run bench -- hep-out [udp|tcp]                                what the HEP mirror costs the main thread a message
//   npm run bench -- history-ask [CALLS] [FILES] [--keep DIR]         questions about old calls over a large ring of files
//   npm run bench -- history CAPTURE [PAIRS]                          what the indexes beside the files of -O cost a call
//   npm run bench -- holds [STEP,...]                                 what holds the event loop of the server
//   npm run bench -- ship [RUNS] [OPTION...]                          what --ship costs a call, and how long it holds the loop; as root
//   npm run bench -- store [CALLS] [TIMES] [OPTION...]                questions of a hub to a store of many calls
//   npm run bench -- tls cost|https|idle|records|program [N...]       what TLS probes cost; as root
//   npm run bench -- trend [ROUNDS] [OPTION...]                       one line of ratios for this build, to docs/lab/trend.csv; as root
//   npm run bench -- sip CAPTURE [wire|hep] [OPTION...]               the JavaScript thread alone
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './steps/bundle.mjs';
import { pass } from './steps/run.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...rest] = process.argv.slice(2);
const load = async (file) => import(pathToFileURL(join(root, 'dist', 'bench', `${file}.js`)).href);
/** Bundled as the program is: what is measured is what runs. */
const loadBundled = async (file) => {
  const outdir = join(root, 'dist/bench-program');
  await bundle(outdir, { [file]: `bench/${file}.ts` });
  return import(pathToFileURL(join(outdir, `${file}.js`)).href);
};
const benches = {
  live: async () => (await load('live-bench')).liveBench(rest),
  ask: async () => (await load('ask-load')).askLoad(rest),
  console: async () => (await load('console-load')).consoleLoad(rest),
  'history-ask': async () => (await load('history-ask')).historyAsk(rest),
  history: async () => (await load('history')).historyBench(rest),
  holds: async () => (await load('holds')).holdsBench(rest),
  filter: async () => (await loadBundled('ask-filter')).askFilter(rest),
  tls: async () => pass(process.execPath, [join(root, 'dist', 'bench', 'tls.js'), ...rest]),
  ship: async () => (await load('ship')).shipBench(rest),
  store: async () => (await load('store')).storeBench(rest),
  trend: async () => (await load('trend')).trendBench(root, rest),
  'hep-out': async () => pass(process.execPath, [join(root, 'dist', 'bench', 'hep-out.js'), ...rest]),
  sip: async () => (await loadBundled('sip-stage')).sipStage(rest),
};
if (existsSync(join(root, 'dist', 'bench', 'harness.js'))) {
  process.exitCode = Object.hasOwn(benches, name ?? '')
    ? await benches[name]()
    : (await load('harness')).bench(root, process.argv.slice(2));
} else {
  process.stderr.write('bench: dist/bench is missing; run `npm run build` first\n');
  process.exitCode = 1;
}
