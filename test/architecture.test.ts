/**
 * Holds the repository to docs/architecture.md: which layer may import which, and the rules a linter cannot state.
 *
 * Every rule is a function over sources, so that the last tests can show each of them a file that breaks it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { includes, units } from './helpers/c-files.ts';
import type { File } from './helpers/source-files.ts';
import { load, parse, ROOT, target } from './helpers/source-files.ts';
import { readSource } from './helpers/source-text.ts';

/** Rooms in the order data goes: one imports from its own row and the rows above it. */
const LAYERS: readonly (readonly string[])[] = [
  ['core'],
  ['contract'],
  ['config'],
  ['sources'],
  ['decode'],
  ['protocols'],
  ['store'],
  ['ingest'],
  ['analysis', 'security'],
  ['query'],
  ['watch'],
  ['view'],
  ['export'],
  ['history'],
  ['net'],
  ['explore'],
  ['actions'],
  ['serve'],
  ['faces'],
  ['app'],
];

/** Folders of each room; those of later work stand here from the start. A file elsewhere belongs to nobody. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  sources: ['file', 'live', 'hep', 'tls'],
  decode: ['tcp', 'websocket', 'hep', 'tls'],
  protocols: ['sip', 'sip/scanner', 'sip/scanner/wasm', 'sdp', 'rtp', 'reports', 'stun', 'codec'],
  store: ['dialogs', 'media', 'messages', 'icmp'],
  ingest: ['dialogs', 'media'],
  analysis: ['lint', 'media', 'signaling'],
  security: ['outputs'],
  watch: ['trunks', 'overview', 'numbers'],
  view: ['metrics'],
  export: ['page', 'anonymize'],
  explore: ['remote', 'clickhouse', 'agents', 'hub', 'stored', 'history'],
  actions: ['hooks', 'peer', 'hep-out', 'history', 'ship'],
  serve: ['http', 'auth', 'api', 'api/plugins', 'api/routes', 'questions', 'ask', 'metrics', 'mcp', 'console'],
  faces: ['cli', 'tui', 'console'],
};

/** What a room may import of a room above it, where that is not everything. */
const MAY_SEE: readonly (readonly [from: string, to: string, only: readonly string[]])[] = [
  // Services that must not know what a call is.
  ...['net', 'serve/auth', 'serve/http', 'actions/peer'].flatMap((leaf) =>
    [
      'sources',
      'decode',
      'protocols',
      'store',
      'ingest',
      'analysis',
      'security',
      'watch',
      'view',
      'export',
      'explore',
    ].map((to) => [leaf, to, []] as const),
  ),
  // Whoever answers reads the port of questions, and no store.
  ...['serve', 'faces'].flatMap((face) =>
    ['decode', 'protocols', 'store', 'analysis', 'watch', 'export'].map((to) => [face, to, []] as const),
  ),
  ['serve', 'ingest', []],
  ['serve', 'sources', []],
  // Clocks of HEP senders are told of as they change; lines for fail2ban are data of standard output.
  ['faces', 'ingest', ['src/ingest/hep-clocks.ts']],
  ['faces', 'security', ['src/security/detection.ts']],
  // Nothing in app can compute an answer.
  ['app', 'analysis', []],
  ['app', 'protocols', []],
  ['app', 'store', ['src/store/stores.ts']],
  // Only ingest writes. Observers are shown what comes in, and readers take what cannot write.
  ['analysis', 'ingest', []],
  ...['security', 'watch', 'actions'].map((room) => [room, 'ingest', ['src/ingest/observer.ts']] as const),
  ['view', 'ingest', ['src/ingest/ingest.ts', 'src/ingest/tls.ts']],
  ['export', 'ingest', ['src/ingest/observer.ts', 'src/ingest/frame-intake.ts']],
  ['explore', 'ingest', ['src/ingest/recalled.ts']],
];

/** What wires may not grow into a house of its own. */
const APP = { files: 15, lines: 1_620 };

/** Between a byte and a document there is no input, no output and no clock on the wall. */
const PURE = ['contract', 'decode', 'protocols', 'store', 'ingest', 'analysis', 'query', 'watch', 'view'];
const IMPURE_MODULE =
  /^(node:(fs|net|dgram|tls|http2?|https|child_process|worker_threads|cluster|os|process|readline)\b|fastify|@fastify\/(?!type-provider)|execa|pino)/;
const IMPURE_CODE =
  /\bprocess\s*\.|\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\s*\.\s*now\b|\bsetTimeout\b|\bsetInterval\b/;

const MAX_LINES = 450;
const WARN_LINES = 400;
const BARREL = 'src/contract/index.ts';

type Rule = (file: File) => string[];

const folderOf = (path: string): string => path.split('/')[1] ?? '';
const rowOf = (folder: string): number => LAYERS.findIndex((row) => row.includes(folder));

const isIn = (path: string, room: string): boolean => path.startsWith(`src/${room}/`);

/** Why `from` may not import `path`, by the list above; null when it may. */
function unseen(from: string, path: string): string | null {
  for (const [room, to, only] of MAY_SEE)
    if (isIn(from, room) && isIn(path, to) && !only.includes(path)) return `${room} must not see ${to} (${path})`;
  return null;
}

const direction: Rule = (file) => {
  const from = folderOf(file.path);
  if (rowOf(from) < 0) return [`src/${from} is not in the table of rooms`];
  return file.imports.flatMap((specifier) => {
    const path = target(file, specifier);
    if (path === null) return [];
    if (!path.startsWith('src/')) return [`imports ${path}, which is outside src`];
    const to = folderOf(path);
    if (to === from) return [];
    if (rowOf(to) > rowOf(from)) return [`${from} must not import ${to} (${path})`];
    const why = unseen(file.path, path);
    return why === null ? [] : [why];
  });
};

const owned: Rule = (file) => {
  const [, room = '', ...folders] = posix.dirname(file.path).split('/');
  const folder = folders.join('/');
  return folder === '' || FOLDERS[room]?.includes(folder) === true ? [] : [`src/${room}/${folder} belongs to nobody`];
};

/** The console is a program of its own, for a browser: types of the contract, and what works on texts and maps alone. */
const CONSOLE_SEES =
  /^src\/(?:faces\/console\/|query\/(?:word-at|write)\.ts$|core\/(?:audible|call-fields|call-text|carried-codecs|csv|maps|terminal-text|line-difference|not-shown|overview-words|report-text|running-calls|usual-step)\.ts$)/;
const CONSOLE_PACKAGES = ['preact', 'preact/hooks', 'uplot'];
const browserOnly: Rule = (file) => {
  if (!isIn(file.path, 'faces/console')) return [];
  return file.imports
    .filter((name) => {
      const path = target(file, name);
      if (path === null) return !CONSOLE_PACKAGES.includes(name);
      const isType = path.startsWith('src/contract/') && !file.runtimeImports.includes(name);
      return !isType && !CONSOLE_SEES.test(path);
    })
    .map((name) => `a browser must not load ${name}`);
};

const purity: Rule = (file) => {
  if (!PURE.includes(folderOf(file.path))) return [];
  const found = file.imports
    .filter((name) => IMPURE_MODULE.test(name))
    .map((name) => `imports ${name} in a pure layer`);
  const code = IMPURE_CODE.exec(file.code);
  return code === null ? found : [...found, `uses ${code[0].trim()} in a pure layer`];
};

const specifiers: Rule = (file) =>
  file.imports
    .filter((name) => (name.startsWith('.') ? !/\.(ts|json)$/.test(name) : BUILTINS.has(name)))
    .map((name) => `write ${name} with ${name.startsWith('.') ? 'its .ts' : 'node:'}`);
const BUILTINS = new Set(['fs', 'path', 'os', 'net', 'url', 'util', 'http', 'zlib', 'crypto', 'events', 'assert']);

const noAny: Rule = (file) => {
  const position = /(?:[:<|&,=([]|\b(?:as|extends|readonly|keyof))\s*any(?![\w$]|\s*[:(])/;
  return position.test(file.code) ? ['has an `any` type'] : [];
};

const noEscapes: Rule = (file) => {
  const found = /\bas\s+(unknown\s+as|never|any)\b/.exec(file.code);
  const silenced = file.comments.some((comment) => /@ts-(ignore|expect-error|nocheck)/.test(comment));
  return [...(found === null ? [] : [`casts with \`${found[0]}\``]), ...(silenced ? ['silences the compiler'] : [])];
};

const noDefaultExport: Rule = (file) =>
  /\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b/.test(file.code) ? ['has a default export'] : [];

const noBarrel: Rule = (file) => {
  if (file.path === BARREL) return [];
  const named = posix.basename(file.path) === 'index.ts' ? ['is named index.ts'] : [];
  return [...named, ...file.reexports.map((name) => `re-exports from ${name}`)];
};

const firstComment: Rule = (file) => {
  const body = file.text.replace(/^#!.*\n/, '');
  const comment = /^(?:\/\*\*?([\s\S]*?)\*\/|\/\/(.*))/.exec(body);
  const words = (comment?.[1] ?? comment?.[2] ?? '').match(/\w+/g) ?? [];
  return words.length < 4 ? ['does not begin with a sentence that says what it decides'] : [];
};

/** One table may be as long as it has rows, and says in its first words that it is one. */
const TABLE = /^\/\*\*\s+(?:\* )?The (?:one )?(?:table|catalogue) of /;

const length: Rule = (file) => {
  if (TABLE.test(file.text)) return [];
  const lines = file.text.split('\n').length - 1;
  return lines > MAX_LINES ? [`has ${lines} lines, ${MAX_LINES} is the end`] : [];
};

/** Paths of one developer's machine and package hosts have no business in a product. */
const noMachine: Rule = (file) => {
  const path = /(?:^|[\s"'`(=:,[])(\/(?:work|home|root|Users|mnt)\/[^\s"'`)]*)/m.exec(file.text);
  const host = /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/i.exec(file.text);
  return [path?.[1], host?.[0]].filter((hit) => hit !== undefined).map((hit) => `mentions ${hit}`);
};

/** Nobody catches what a timer throws, or what a promise that is let go of rejects with: it would end the program. */
const noUncaughtWork: Rule = (file) => {
  if (file.path === 'src/core/faults.ts' || isIn(file.path, 'faces/console')) return [];
  const timer = /\bsetInterval\s*\(/.exec(file.code) === null ? [] : ['starts a timer: use faults.every()'];
  // A type has no call: `() => void`, `x: void`. A void that stands alone or behind an arrow and calls something drops a promise.
  const loose = /(?:^|[;{}]|=>)\s*void\s+[\w#.]+[.(]/m.exec(file.code);
  return [...timer, ...(loose === null ? [] : ['lets a promise go: use faults.run()'])];
};

/** Whoever asks another program over HTTP does it with the client of net, which has the caps; a browser has its own. */
const oneClient: Rule = (file) => {
  if (isIn(file.path, 'net') || isIn(file.path, 'faces/console')) return [];
  const asks = /^import \{[^}]*\b(?:request|get|Agent)\b[^}]*\} from 'node:https?'/m.test(file.text);
  const other = file.runtimeImports.some((name) => /^(?:node:https|node:http2|undici)/.test(name));
  return asks || other || /(?<![.\w])fetch\s*\(/.test(file.code) ? ['asks over HTTP without src/net'] : [];
};

/** Every import cycle among `files`, as `a -> b -> a`, of types too. */
function cycles(files: readonly File[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: File, trail: readonly string[]): void => {
    state.set(file.path, 'open');
    for (const specifier of file.imports) {
      const next = byPath.get(target(file, specifier) ?? '');
      if (next === undefined) continue;
      const path = [...trail, next.path];
      if (state.get(next.path) === 'open') found.push(path.slice(path.indexOf(next.path)).join(' -> '));
      else if (!state.has(next.path)) visit(next, path);
    }
    state.set(file.path, 'done');
  };
  for (const file of files) if (!state.has(file.path)) visit(file, [file.path]);
  return found;
}

/** Rooms of one row may use each other, but not both ways. */
function roomCycles(files: readonly File[]): string[] {
  const edges = new Map<string, string>();
  for (const file of files) {
    for (const specifier of file.imports) {
      const path = target(file, specifier);
      if (path === null) continue;
      const [from, to] = [folderOf(file.path), folderOf(path)];
      if (from !== to) edges.set(`${from}>${to}`, `${file.path} -> ${path}`);
    }
  }
  return [...edges.keys()].flatMap((edge) => {
    const [from = '', to = ''] = edge.split('>');
    return from < to && edges.has(`${to}>${from}`) ? [`${edges.get(edge)} and ${edges.get(`${to}>${from}`)}`] : [];
  });
}

const CODE = /\.(ts|mjs|c|cc|h)$/;
const PRODUCT = load('src', /\.ts$/);
const EVERYTHING = ['src', 'native', 'bpf', 'test', 'scripts', 'bench', 'fixtures'].flatMap((f) => load(f, CODE));
const PLAIN = [...['docs', 'deploy', '.ci'].flatMap((f) => load(f, /./)), ...load('native/test', /\.sh$|^Makefile$/)];
// In a further work tree of the same clone `.git` is a file that says where the clone is.
const ROOT_FILES = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'package-lock.json' && entry.name !== '.git')
  .map((entry) => parse(entry.name, readFileSync(join(ROOT, entry.name), 'utf8')));

function broken(files: readonly File[], rule: Rule): string[] {
  return files.flatMap((file) => rule(file).map((problem) => `${file.path}: ${problem}`));
}

function check(name: string, files: readonly File[], rule: Rule): void {
  test(name, () => assert.deepEqual(broken(files, rule), []));
}

test('docs/architecture.md lists the rooms in their order', () => {
  const list = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split('## Rooms')[1]?.split('```')[1] ?? '';
  assert.deepEqual(
    [...list.matchAll(/^ ([a-z]+)/gm)].map(([, room]) => room),
    LAYERS.flat(),
  );
});
test('the product has sources', () => assert.ok(PRODUCT.length > 0, `no sources below ${ROOT}/src`));
check('imports follow the layers', PRODUCT, direction);
check('pure layers know no input, output or wall clock', PRODUCT, purity);
check('the console is a program for a browser', PRODUCT, browserOnly);
check('errors of timers and promises are caught', PRODUCT, noUncaughtWork);
check('one client asks over HTTP', PRODUCT, oneClient);
check('every file belongs to a room', PRODUCT, owned);
test('no import cycles, of types too', () => assert.deepEqual([...cycles(PRODUCT), ...roomCycles(PRODUCT)], []));
test('no include cycles in C', () => {
  const sources = [...load('native', /\.(c|cc|h)$/), ...load('bpf', /\.(c|h)$/)];
  assert.ok(sources.length > 0);
  assert.deepEqual(cycles(includes(sources)), []);
});
test('no two files of native/ need each other', () => {
  const sources = load('native', /\.(c|cc|h)$/).filter((file) => !file.path.startsWith('native/test/'));
  assert.deepEqual(cycles(units(sources)), []);
});
test('app only wires', () => {
  const files = PRODUCT.filter((file) => isIn(file.path, 'app'));
  const lines = files.reduce((n, file) => n + file.text.split('\n').length - 1, 0);
  assert.ok(files.length <= APP.files && lines <= APP.lines, `${files.length} files, ${lines} lines`);
});
const typescript = EVERYTHING.filter((file) => file.path.endsWith('.ts'));
check('specifiers are written out', typescript, specifiers);
check('no any', typescript, noAny);
check('no casts around the type system', PRODUCT, noEscapes);
check('no default exports', typescript, noDefaultExport);
check('no barrels but contract/index.ts', PRODUCT, noBarrel);
check('files begin with what they decide', EVERYTHING, firstComment);
check('no machine paths', [...EVERYTHING, ...PLAIN, ...ROOT_FILES], noMachine);
check(`files end before ${MAX_LINES} lines`, EVERYTHING, length);

test(`files above ${WARN_LINES} lines are named`, (t) => {
  for (const file of EVERYTHING) {
    const lines = file.text.split('\n').length - 1;
    if (lines > WARN_LINES && !TABLE.test(file.text))
      t.diagnostic(`${file.path} has ${lines} lines: one idea, or two?`);
  }
});

const HEAD = '/** Decides nothing, it is a sample. */\n';
const BAD: readonly (readonly [string, Rule, string, string])[] = [
  ['upward import', direction, 'src/protocols/a.ts', `import type { D } from '../store/dialog.ts';`],
  ['upward dynamic import', direction, 'src/protocols/a.ts', `const m = await import('../serve/server.ts');`],
  ['upward re-export', direction, 'src/core/a.ts', `export { x } from '../protocols/x.ts';`],
  ['unknown folder', direction, 'src/utils/a.ts', ''],
  ['import from the tests', direction, 'src/core/a.ts', `import { x } from '../../test/helpers/x.ts';`],
  ['leaf that knows calls', direction, 'src/actions/peer/a.ts', `import type { D } from '../../store/dialog.ts';`],
  ['face that reads a store', direction, 'src/faces/cli/a.ts', `import type { D } from '../../store/stores.ts';`],
  ['app that computes', direction, 'src/app/a.ts', `import { f } from '../analysis/media.ts';`],
  ['reader that takes a writer', direction, 'src/view/a.ts', `import { T } from '../ingest/media/sdp-tracker.ts';`],
  ['folder of nobody', owned, 'src/store/more/a.ts', ''],
  ['folder of nobody, deeper', owned, 'src/serve/api/more/a.ts', ''],
  ['file access', purity, 'src/protocols/sdp/a.ts', `import { readFileSync } from 'node:fs';`],
  ['wall clock', purity, 'src/analysis/a.ts', 'const now = Date.now();'],
  ['timer of its own', noUncaughtWork, 'src/store/a.ts', 'setInterval(() => tick(), 10);'],
  ['promise let go', noUncaughtWork, 'src/serve/a.ts', 'const f = (): void => void this.#ask();'],
  ['client of its own', oneClient, 'src/actions/a.ts', `import { request } from 'node:http';`],
  ['global client', oneClient, 'src/explore/a.ts', `const answer = await fetch('http://x');`],
  [
    'console that answers itself',
    browserOnly,
    'src/faces/console/a.ts',
    `import { s } from '../../contract/index.ts';`,
  ],
  ['console that sees a face', browserOnly, 'src/faces/console/a.ts', `import type { A } from '../tui/app.ts';`],
  ['console with a package', browserOnly, 'src/faces/console/a.ts', `import { h } from 'react';`],
  ['missing suffix', specifiers, 'src/protocols/a.ts', `import { x } from './b';`],
  ['bare builtin', specifiers, 'src/protocols/a.ts', `import { join } from 'path';`],
  ['any parameter', noAny, 'src/protocols/a.ts', 'function f(x: any) {}'],
  ['any argument', noAny, 'src/protocols/a.ts', 'const m = new Map<string, any>();'],
  ['double cast', noEscapes, 'src/protocols/a.ts', 'const x = y as unknown as string;'],
  ['silenced compiler', noEscapes, 'src/protocols/a.ts', '// @ts-expect-error sample\nconst x = 1;'],
  ['default export', noDefaultExport, 'src/protocols/a.ts', 'export default function f() {}'],
  ['default by alias', noDefaultExport, 'src/protocols/a.ts', 'export { f as default };'],
  ['star export', noBarrel, 'src/protocols/a.ts', `export * from './b.ts';`],
  ['index', noBarrel, 'src/protocols/index.ts', ''],
  ['machine path', noMachine, 'src/core/a.ts', `const p = '${['', 'home', 'me', 'x'].join('/')}';`],
  ['package host', noMachine, 'package.json', ['registry', 'example', 'org'].join('.')],
  ['too long', length, 'src/core/a.ts', '\n'.repeat(MAX_LINES)],
];
for (const [name, rule, path, text] of BAD) {
  test(`rule fires: ${name}`, () => assert.equal(rule(parse(path, HEAD + text)).length, 1));
}

test('a table may be longer', () => {
  const rows = '\n'.repeat(MAX_LINES);
  for (const head of ['/** The one table of options. */', '/**\n * The catalogue of what goes wrong.\n */']) {
    assert.deepEqual(length(parse('src/core/a.ts', `${head}\n${rows}`)), []);
  }
});

test('rule fires: no first comment', () => {
  assert.equal(firstComment(parse('src/core/a.ts', 'export const x = 1;\n')).length, 1);
  assert.equal(firstComment(parse('native/a.c', '#include <x.h>\n/* late */\n')).length, 1);
});

test('rule fires: cycles of files, of types, of rooms and of includes', () => {
  const a = parse('src/analysis/a.ts', `import { b } from '../security/b.ts';`);
  const b = parse('src/security/b.ts', `import { type A, a } from '../analysis/a.ts';`);
  const typesOnly = parse('src/security/b.ts', `import type { A } from '../analysis/a.ts';`);
  const cycle = ['src/analysis/a.ts -> src/security/b.ts -> src/analysis/a.ts'];
  assert.deepEqual(cycles([a, b]), cycle);
  assert.deepEqual(cycles([a, typesOnly]), cycle);
  assert.equal(roomCycles([a, b]).length, 1);
  assert.deepEqual(cycles([a, parse('src/security/b.ts', '')]), []);
  const [one, two] = [parse('native/x/a.h', '#include "b.h"\n'), parse('native/y/b.h', '#include "../x/a.h"\n')];
  assert.deepEqual(cycles(includes([one, two])), ['native/x/a.h -> native/y/b.h -> native/x/a.h']);
});

test('rule fires: C files that need each other by a header, or by a call that another header declares', () => {
  const a = parse('native/x/a.c', '#include "x/a.h"\n#include "x/b.h"\nint ct_a(void) {\n  return 1;\n}\n');
  const header = parse('native/x/a.h', 'int ct_a(void);\nint ct_b(void);\n');
  const b = parse('native/x/b.c', '#include "x/b.h"\nint ct_b(void) {\n  return 1;\n}\n');
  const shared = parse('native/x/b.h', '/* as ct_a() does */\n');
  const cycle = ['native/x/a -> native/x/b -> native/x/a'];
  assert.deepEqual(cycles(units([a, header, b, shared])), []);
  assert.deepEqual(cycles(units([a, header, b, parse('native/x/b.h', '#include "x/a.h"\n')])), cycle);
  const calls = parse('native/x/b.c', 'int ct_a(void);\nint ct_b(void) {\n  return ct_a();\n}\n');
  assert.deepEqual(cycles(units([a, header, calls, shared])), cycle);
});

test('strings, comments, templates and regular expressions are not code', () => {
  const text = [
    '// import { a } from "./comment.ts"; x: any',
    `const s = 'import("./string.ts") as any';`,
    'const t = `export default ${f(`in ${"er"} as any`, { k: 1 })} from "./template.ts"`;',
    `const r = /['"\`/*]: any/.test(s) ? 4 / 2 : 1 / 1;`,
    `import { real } from './real.ts';`,
    `import './effect.ts';`,
    `import type { T } from "./type.ts";`,
    'const later = await import(`./no.ts`), more = import("./dynamic.ts");',
    'const dir = import.meta.url;',
    `export const x = 'y';`,
  ].join('\n');
  const source = readSource(text);
  assert.deepEqual(source.imports, ['./real.ts', './effect.ts', './type.ts', './dynamic.ts']);
  assert.equal(source.code.length, text.length);
  assert.deepEqual(noAny(parse('src/protocols/a.ts', text)), []);
  assert.deepEqual(noDefaultExport(parse('src/protocols/a.ts', text)), []);
  assert.equal(noAny(parse('src/protocols/a.ts', '`${x as any}`')).length, 1, 'code inside a template is code');
});
