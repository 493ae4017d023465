// Writes the generated pages (docs/cli.md, docs/errors.md, docs/losses.md, docs/openapi.json, the manual, the completions) from the compiled program.
//
//   node scripts/gen-docs.mjs [--check] [DIST]     --check writes nothing and fails when a page is not current
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

const checkOnly = process.argv.includes('--check');
const dist = resolve(process.argv.slice(2).find((word) => !word.startsWith('-')) ?? join(root, 'dist'));
const load = (path) => import(pathToFileURL(join(dist, 'src', path)).href);

const { renderCliDoc } = await load('config/document.js');
const { renderManPage } = await load('config/man-page.js');
const { renderBashCompletion, renderZshCompletion } = await load('config/completion.js');
const { renderErrorsDoc } = await load('contract/errors-page.js');
const { renderLossesDoc } = await load('view/losses-page.js');
const { createApi } = await load('serve/api/server.js');

/** No request is made of this server, so there is nothing for it to read. */
async function openApiText() {
  const api = await createApi({ readers: {}, peer: {}, maxRows: 1, maxConn: 1, version: '0', onFault: say });
  try {
    return api.openApi();
  } finally {
    await api.close();
  }
}

const pages = [
  ['docs/cli.md', renderCliDoc()],
  ['docs/errors.md', renderErrorsDoc()],
  ['docs/losses.md', renderLossesDoc()],
  ['docs/openapi.json', await openApiText()],
  ['docs/calltap.1', renderManPage()],
  ['deploy/completion/calltap.bash', renderBashCompletion()],
  ['deploy/completion/_calltap', renderZshCompletion()],
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
