// Joins the compiled program into one script and compiles it ahead: it starts sooner and runs faster (docs/adr/0018).
//
//   node scripts/steps/startup.mjs [DIST]
//
// What may be joined is what src/ consists of: named imports, no default exports, no cycles, nothing done at import.
// A module stays a function of its own, so no name of one meets that of another.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './files.mjs';

const SCRIPT = 'startup.js';
const CACHE = 'startup.cache';
const ENTRY = 'app/program.js';
const IMPORT = /^import (.+) from '([^']+)';$/gm;
const EXPORT_FROM = /^export \* from '([^']+)';$/gm;
const EXPORTED = /^export (async function\*?|function\*?|class|const) ([\w$]+)/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/** `{ a, b as c }` of an import as the pattern that takes the same from an object. */
function pattern(names) {
  if (names.startsWith('{')) return names.replace(/([\w$]+) as ([\w$]+)/g, '$1: $2');
  return names.startsWith('* as ') ? names.slice(5) : `{ default: ${names} }`;
}

class Joined {
  /** @type {{ path: string, body: string, statics: number[], packages: Set<string> }[]} */
  modules = [];
  places = new Map();

  constructor(folder, entry) {
    this.folder = folder;
    this.entry = entry;
  }

  /** Number of the module at this path below the folder. */
  add(path) {
    const known = this.places.get(path);
    if (known !== undefined) return known;
    const place = this.modules.length;
    this.places.set(path, place);
    const statics = [];
    const packages = new Set();
    this.modules.push({ path, body: '', statics, packages });
    const here = posix.dirname(path);
    const source = readFileSync(join(this.folder, path), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const from = (specifier) => {
      if (specifier.startsWith('node:')) return `$require('${specifier}')`;
      if (!specifier.startsWith('.')) {
        packages.add(specifier);
        return `$packages.get('${specifier}')`;
      }
      const at = this.add(posix.join(here, specifier));
      statics.push(at);
      return `$made(${at})`;
    };
    const exported = [];
    const body = source
      .replace(IMPORT, (_, names, specifier) => `const ${pattern(names)} = ${from(specifier)};`)
      .replace(EXPORT_FROM, (_, specifier) => {
        exported.push(`...${from(specifier)}`);
        return '';
      })
      .replace(EXPORTED, (_, kind, name) => {
        exported.push(name);
        return `${kind} ${name}`;
      })
      .replace(/^export \{\};$/m, '')
      .replace(DYNAMIC, (_, specifier) =>
        specifier.startsWith('.') ? `$later(${this.add(posix.join(here, specifier))})` : `$load('${specifier}')`,
      )
      .replaceAll('import.meta.url', `$at('${path}')`);
    const left = /^(import|export)\b.*|\bimport(\.meta|\()/m.exec(body);
    if (left !== null) throw new Error(`${path}: cannot be joined: ${left[0]}`);
    this.modules[place].body = `${body}\nreturn { ${exported.join(', ')} };`;
    return place;
  }

  /** Packages that must be there before a module and what it imports can run. */
  packagesOf(place) {
    const found = new Set();
    const seen = new Set();
    const pending = [place];
    while (pending.length > 0) {
      const at = pending.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      for (const name of this.modules[at].packages) found.add(name);
      pending.push(...this.modules[at].statics);
    }
    return [...found];
  }

  text() {
    const entry = this.add(this.entry);
    const needs = this.modules.map((_, i) => this.packagesOf(i));
    // No name in src/ begins with a dollar.
    const lines = [
      "(function ($require, $load, $base) { 'use strict';",
      'const $packages = new Map();',
      'const $results = [];',
      'const $made = (i) => ($results[i] ??= $modules[i]());',
      'const $at = (path) => new URL(path, $base).href;',
      `const $needs = ${JSON.stringify(needs)};`,
      'const $later = async (i) => {',
      '  for (const name of $needs[i]) if (!$packages.has(name)) $packages.set(name, await $load(name));',
      '  return $made(i);',
      '};',
      'const $modules = [',
      ...this.modules.map(({ path, body }) => `// ${path}\nfunction () {\n${body}\n},`),
      '];',
      `return $later(${entry});`,
      '})',
    ];
    // One byte a character is what the engine reads fastest.
    return lines.join('\n').replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }
}

/** The module `entry` and all that it imports below `folder` as one script: src/app/startup.ts says what that is. */
export function joinedText(folder, entry) {
  return new Joined(folder, entry).text();
}

/** Writes `dist`/startup.js and what the engine makes of it; throws with the reason when that fails. */
export function joinStartup(dist) {
  rmSync(join(dist, CACHE), { force: true });
  writeFileSync(join(dist, SCRIPT), joinedText(join(dist, 'src'), ENTRY));
  const r = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--ahead', dist], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (r.status === 0) return;
  // Without it the program runs module by module.
  rmSync(join(dist, SCRIPT), { force: true });
  throw new Error(r.error?.message ?? r.stderr);
}

/** Runs the joined program over the demo, so that the functions it needs are compiled, and keeps them. */
async function compileAhead(dist) {
  const { loadStartup } = await import(pathToFileURL(join(dist, 'src/app/startup.js')).href);
  const startup = loadStartup(pathToFileURL(`${dist}/`), (name) => import(name));
  if (startup === null) throw new Error(`${dist}/${SCRIPT} is older than the program it was made of`);
  const program = await startup.program;
  const { exit } = process;
  const { write } = process.stdout;
  process.exit = () => undefined;
  process.stdout.write = () => true;
  const demo = join(root, 'fixtures/demo/demo.pcap');
  const isBuilt = existsSync(join(root, 'build/Release/calltap.node'));
  if (isBuilt) for (const mode of [[], ['--stats-json']]) await program.start(['-I', demo, ...mode]);
  process.stdout.write = write;
  process.exit = exit;
  writeFileSync(join(dist, CACHE), startup.script.createCachedData());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const dist = resolve(words.find((word) => !word.startsWith('--')) ?? join(root, 'dist'));
  if (words.includes('--ahead')) await compileAhead(dist);
  else joinStartup(dist);
}
