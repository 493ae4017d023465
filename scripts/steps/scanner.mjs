// Compiles the SIP scanner (src/protocols/sip/scanner/wasm, AssemblyScript) and leaves it as a TypeScript constant (docs/adr/0019).
//
//   node scripts/steps/scanner.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digest, list, root } from './files.mjs';

/** The generated file: not kept in the repository. */
export const SCANNER_MODULE = 'src/protocols/sip/scanner/scanner-module.ts';
const ENTRY = 'src/protocols/sip/scanner/wasm/scan.ts';
const OUTPUT = 'build/sip/scanner.wasm';
/** Pages of 64 KiB, all of its memory. Without a maximum V8 may reserve 4 GiB of addresses for memory that never grows. */
const PAGES = '10';
/** `stub` is the compiler's name for a runtime that never frees memory: the scanner takes none. */
const OPTIONS = ['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--maximumMemory', PAGES];

/** Constants that both compilers read stand beside the folder and in core, so these count too. */
function inputs() {
  const sources = list('src/protocols/sip', (name) => name.endsWith('.ts')).filter((path) => path !== SCANNER_MODULE);
  return digest(['scripts/steps/scanner.mjs', 'package-lock.json', 'src/core/methods.ts', ...sources]);
}

/** The module as text; throws with what the compiler said. */
function compiled() {
  const compiler = ['node_modules/assemblyscript/bin/asc.js', ENTRY, ...OPTIONS, '-o', OUTPUT];
  const r = spawnSync(process.execPath, compiler, { cwd: root, encoding: 'utf8' });
  if (r.status !== 0) throw new Error(r.error?.message ?? `${r.stdout}${r.stderr}`);
  return readFileSync(join(root, OUTPUT)).toString('base64');
}

/** Compiles it unless the generated file was made of the same sources; throws with what the compiler said. */
export function buildScanner() {
  const made = join(root, SCANNER_MODULE);
  const stamp = `// Inputs ${inputs()}`;
  if (existsSync(made) && readFileSync(made, 'utf8').includes(stamp)) return;
  mkdirSync(dirname(join(root, OUTPUT)), { recursive: true });
  writeFileSync(
    made,
    [
      '/** The compiled SIP scanner: written by scripts/steps/scanner.mjs from the sources in wasm/. */',
      stamp,
      `export const SCANNER_BASE64 = '${compiled()}';`,
      '',
    ].join('\n'),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildScanner();
