// Bundles the web console from src/faces/console into dist/console: names with a hash of what is in the files, minified,
// and each beside its compressed forms, so that serving costs no compression.
//
//   node scripts/steps/console.mjs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './files.mjs';

const SOURCE = join(root, 'src/faces/console');
const ENTRIES = ['main.ts', 'style.css', 'icon.svg'];
/** What the bundle holds of others: their licences go with it. */
const PACKAGES = ['preact', 'uplot'];

/** The licences of what is inside, as one text. */
function notice() {
  const parts = PACKAGES.map((name) => {
    const at = join(root, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(join(at, 'LICENSE'), 'utf8').trim()}\n`;
  });
  return `The console of calltap contains these packages.\n\n${parts.join('\n\n')}`;
}

/** The page, with the names that the files have now. */
function page(names) {
  const html = readFileSync(join(SOURCE, 'index.html'), 'utf8');
  return html.replace(/\{\{(\w+)\}\}/g, (_, ending) => names.find((name) => name.endsWith(`.${ending}`)));
}

/** Writes all files of the console into `outdir`. Rejects with esbuild's reasons. */
export async function bundleConsole(outdir) {
  // Fetched by set-up, which reads this file before it has fetched anything.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES.map((name) => join(SOURCE, name)),
    outdir,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    entryNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const files = outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]);
  files.push(['index.html', Buffer.from(page(files.map(([name]) => name)))], ['NOTICE.txt', Buffer.from(notice())]);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  for (const [name, bytes] of files) {
    writeFileSync(join(outdir, name), bytes);
    writeFileSync(join(outdir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(outdir, `${name}.br`), brotliCompressSync(bytes, { params }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleConsole(join(root, 'dist/console'));
