// Bundles the program and its workers from src/ into dist/program, with source maps: a start reads some forty files
// instead of two hundred (docs/adr/0018).
//
//   node scripts/steps/bundle.mjs
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withConstants } from './constants.mjs';
import { root } from './files.mjs';

/** What `calltap` is, and what `new Worker` starts from beside it. */
const ENTRIES = {
  calltap: 'src/app/main.ts',
  'anonymize-worker': 'src/export/anonymize/anonymize-worker.ts',
  'audio-worker': 'src/export/audio-worker.ts',
  'history-worker': 'src/actions/history/history-worker.ts',
  'program-worker': 'src/sources/tls/program-worker.ts',
};

/** esbuild leaves other characters in comments. One of them makes V8 keep two bytes for each character of the file. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Bundles each entry, a name with the path of its module, into `outdir`/NAME.js; what a module imports later are files
 * beside it. Packages stay in node_modules. Rejects with esbuild's reasons.
 */
export async function bundle(outdir, entries = ENTRIES) {
  // Fetched by set-up, which reads this file before it has fetched anything.
  const { build } = await import('esbuild');
  rmSync(outdir, { recursive: true, force: true });
  // Each by itself: what two entries share would be cut into more files, all of which a start reads.
  for (const [out, path] of Object.entries(entries))
    await build({
      absWorkingDir: root,
      entryPoints: [{ in: path, out }],
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      chunkNames: 'part-[hash]',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
    });
  for (const name of readdirSync(outdir).filter((path) => path.endsWith('.js'))) {
    const path = join(outdir, name);
    writeFileSync(path, inAscii(withConstants(readFileSync(path, 'utf8'))));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(join(root, 'dist/program'));
