// Writes the generated pages (docs/cli.md, docs/errors.md, tables of docs/diagnosis.md, docs/limits.md, docs/losses.md, docs/metrics.md, docs/openapi.json, docs/ask-openapi.json, docs/img/trend.svg, the manual, the completions, the sample configuration) from the compiled program.
//
//   node scripts/gen-docs.mjs [--check] [DIST]     --check writes nothing and fails when a page is not current
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cliPage } from './pages/cli.mjs';
import { bashCompletion, fishCompletion, zshCompletion } from './pages/completion.mjs';
import { errorsPage } from './pages/errors.mjs';
import { diagnosisPage } from './pages/findings.mjs';
import { limitsPage } from './pages/limits.mjs';
import { lossesPage } from './pages/losses.mjs';
import { manualPage } from './pages/manual.mjs';
import { metricsPage } from './pages/metrics.mjs';
import { sampleConfig } from './pages/sample.mjs';
import { trendPicture } from './pages/trend.mjs';
import { list, root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

const checkOnly = process.argv.includes('--check');
const dist = resolve(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? join(root, 'dist'));
const load = (path) => import(pathToFileURL(join(dist, 'src', path)).href);

const options = {
  ...(await load('config/options.js')),
  ...(await load('config/option-spec.js')),
  ...(await load('config/relations.js')),
  ...(await load('config/document.js')),
};
const metrics = { ...(await load('view/metrics/table.js')), ...(await load('core/metric-groups.js')) };
const errors = { ...(await load('core/errors.js')), ...(await load('contract/problem.js')) };
const { createApi } = await load('serve/api/server.js');

/** No request is made of this server, so there is nothing for it to read. */
/** The documents of /v1 and of /ask. */
async function openApiTexts() {
  const parts = { readers: {}, peer: {}, maxRows: 1, maxConn: 1, version: '0', onFault: say, ask: { log: say } };
  const api = await createApi(parts);
  try {
    return [api.openApi(), api.askOpenApi()];
  } finally {
    await api.close();
  }
}

const read = (path) => readFileSync(join(root, path), 'utf8');
const sources = ['src', 'native'].flatMap((folder) => list(folder, (name) => /\.(ts|h)$/.test(name)));
const marked = sources.map((path) => ({ path, text: read(path) }));

const [openApi, askOpenApi] = await openApiTexts();
const pages = [
  ['docs/cli.md', cliPage(options)],
  ['docs/diagnosis.md', diagnosisPage(read('docs/diagnosis.md'), await load('analysis/finding-table.js'))],
  ['docs/errors.md', errorsPage(errors)],
  ['docs/limits.md', limitsPage(read('docs/limits.md'), marked)],
  ['docs/img/trend.svg', trendPicture(read('docs/lab/trend.csv'))],
  ['docs/losses.md', lossesPage(await load('view/loss-table.js'))],
  ['docs/metrics.md', metricsPage(metrics, existsSync(join(root, 'docs/metrics-beside.md')))],
  ['docs/openapi.json', openApi],
  ['docs/ask-openapi.json', askOpenApi],
  ['docs/calltap.1', manualPage(options)],
  ['deploy/completion/calltap.bash', bashCompletion(options)],
  ['deploy/completion/_calltap', zshCompletion(options)],
  ['deploy/completion/calltap.fish', fishCompletion(options)],
  ['deploy/calltap.toml', sampleConfig(options)],
];
for (const [path, text] of pages) {
  if (existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === text) continue;
  if (checkOnly) {
    say(`gen-docs: ${path} is not current; run: npm run build:ts && node scripts/gen-docs.mjs`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    say(`gen-docs: wrote ${path}`);
  }
}
