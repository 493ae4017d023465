/**
 * Holds docs/architecture.md to who constructs what, and who writes: imports do not tell, since whoever may read a class may
 * construct it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dialog } from '../src/store/dialogs/dialog.ts';
import { Stream } from '../src/store/media/stream.ts';
import type { File } from './helpers/source-files.ts';
import { load, parse, target } from './helpers/source-files.ts';

type Rule = (file: File) => string[];

/** Where the classes of a folder, or one function, may be used to make something; its own folder always may. */
type Makers = { readonly of: string; readonly only?: RegExp; readonly by: readonly string[]; readonly because: string };

const MAKERS: readonly Makers[] = [
  { of: 'src/store/', by: ['src/ingest/'], because: 'ingest alone writes what is kept' },
  {
    of: 'src/ingest/',
    by: ['src/app/', 'src/explore/clickhouse/'],
    because: 'a run is put together in app, and the hub makes dialogs again of what its store has',
  },
  {
    of: 'src/analysis/',
    by: ['src/query/', 'src/watch/', 'src/view/', 'src/export/', 'src/explore/'],
    because: 'it lives as long as one question, not as long as a run',
  },
  { of: 'src/view/', by: [], because: 'it lives as long as one document' },
  {
    of: 'src/watch/',
    only: /implements (Observer|SeenMedia)/,
    by: ['src/app/'],
    because: 'who watches a run is made where the run is put together',
  },
  { of: 'src/security/', only: /implements Observer/, by: ['src/app/'], because: 'the same' },
];

/** Functions that put together, by the file that has them. */
const TOGETHER: Readonly<Record<string, { readonly file: string; readonly by: readonly string[] }>> = {
  createIngest: { file: 'src/ingest/ingest.ts', by: ['src/app/session.ts'] },
  createSession: { file: 'src/app/session.ts', by: ['src/app/run.ts', 'src/app/live.ts', 'src/app/history.ts'] },
  // Over the stores of a small capture, which app has put together.
  createExplorer: {
    file: 'src/explore/memory-explorer.ts',
    by: ['src/app/run.ts', 'src/explore/history/small-captures.ts'],
  },
  createHubExplorer: { file: 'src/explore/hub/hub-explorer.ts', by: ['src/app/hub.ts'] },
};

/** What a file calls the things that it imports, with their own names and files; `*` is all of a file. */
function importsOf(file: File): { readonly local: string; readonly name: string; readonly path: string }[] {
  const clauses = file.text.matchAll(/^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+'([^']+)'/gm);
  return [...clauses].flatMap(([, clause = '', specifier = '']) => {
    const path = target(file, specifier);
    if (path === null) return [];
    if (clause.startsWith('*')) return [{ local: clause.replace(/^\*\s+as\s+/, ''), name: '*', path }];
    const names = [...clause.matchAll(/(?:type\s+)?(\w+)(?:\s+as\s+(\w+))?/g)];
    return names.map(([, name = '', local = name]) => ({ local, name, path }));
  });
}

const isBelow = (path: string, places: readonly string[]): boolean => places.some((place) => path.startsWith(place));

/** `isMade` says whether a class of the rule is one that `only` chooses. */
function constructs(row: Makers, isMade: (path: string, name: string) => boolean): Rule {
  return (file) => {
    if (isBelow(file.path, [row.of, ...row.by])) return [];
    return importsOf(file).flatMap(({ local, name, path }) => {
      const made = new RegExp(`\\b(?:new|extends)\\s+${local}\\b`).exec(file.code);
      if (made === null || !path.startsWith(row.of) || !isMade(path, name)) return [];
      const line = file.code.slice(0, made.index).split('\n').length;
      const places = [row.of, ...row.by].join(', ');
      return [`line ${line}: ${made[0]} of ${path}: only ${places} may make it, because ${row.because}`];
    });
  };
}

const PRODUCT = load('src', /\.ts$/);
const TEXTS = new Map(PRODUCT.map(({ path, code }) => [path, code]));

/** Whether the class is declared with what `only` looks for. */
function declares(path: string, name: string, only: RegExp | undefined): boolean {
  if (only === undefined || name === '*') return true;
  const head = new RegExp(`class ${name}\\b[^{]*`).exec(TEXTS.get(path) ?? '');
  return head !== null && only.test(head[0]);
}

const putsTogether: Rule = (file) =>
  importsOf(file).flatMap(({ name, path }) => {
    const row = TOGETHER[name];
    if (row === undefined || row.file !== path || row.by.includes(file.path)) return [];
    return [`calls ${name}: a run is put together in ${row.by.join(' and ')}`];
  });

const READERS_TYPES = 'src/store/stores.ts';

/** Classes of which it has a type for readers: whoever names the class itself could write. */
const NARROWED = [...(TEXTS.get(READERS_TYPES) ?? '').matchAll(/\b(?:Omit|Pick)<\s*(\w+)/g)].map(
  ([, name = '']) => name,
);
const readsOnly: Rule = (file) => {
  if (isBelow(file.path, ['src/store/', 'src/ingest/'])) return [];
  return importsOf(file)
    .filter(({ name, path }) => path.startsWith('src/store/') && path !== READERS_TYPES && NARROWED.includes(name))
    .map(({ name, path }) => `names ${name} of ${path}, which writes: take the type of ${READERS_TYPES}`);
};

/** What can be set on records of the store, which readers get as they are. */
const FACTS = new Set([...settable(Dialog.prototype), ...settable(Stream.prototype), ...fieldsOfStream()]);
/** What an observer counted is marked on the record, which nobody else reads. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  'src/watch/observations.ts': ['isPddObserved', 'isObserved'],
};
const READERS = ['analysis', 'security', 'query', 'watch', 'view', 'export', 'explore', 'actions'];

function settable(prototype: object): string[] {
  const names: string[] = [];
  for (let at: object | null = prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { set }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (set !== undefined) names.push(name);
  return names;
}

function fieldsOfStream(): string[] {
  const text = TEXTS.get('src/store/media/stream.ts') ?? '';
  return [...text.matchAll(/^ {2}(\w+)(?::[^=\n]+)? = /gm)].map(([, name = '']) => name);
}

/** A name that only holds a record: `d`, `dialog`, `leg`, `stream`, `s`, and members that do. */
const RECORD =
  /(?<![\w$])(?:\w+\.)*(d|dialog|leg|other|s|stream)\.(\w+)\s*(?:(?:[-+*/|&^]|<<|>>|\?\?|\|\|)?=(?![=>])|\+\+|--)/g;
const setsNothing: Rule = (file) => {
  if (
    !isBelow(
      file.path,
      READERS.map((room) => `src/${room}/`),
    )
  )
    return [];
  return [...file.code.matchAll(RECORD)]
    .filter(([, , name = '']) => FACTS.has(name) && !MARKS[file.path]?.includes(name))
    .map(([text]) => `sets ${text.trim()}, which the store keeps: only ingest writes`);
};

function check(name: string, rule: Rule): void {
  test(name, () =>
    assert.deepEqual(
      PRODUCT.flatMap((file) => rule(file).map((problem) => `${file.path}: ${problem}`)),
      [],
    ),
  );
}

for (const row of MAKERS)
  check(
    `classes of ${row.of}${row.only === undefined ? '' : ' that watch'} are constructed where they may be`,
    constructs(row, (path, name) => declares(path, name, row.only)),
  );
check('a run is put together in app', putsTogether);
check('readers name no class that writes', readsOnly);
check('readers set nothing on records of the store', setsNothing);

test('the rules find what they look for', () => {
  assert.ok(NARROWED.includes('DialogStore') && NARROWED.includes('MessageLog'), NARROWED.join(' '));
  for (const name of ['state', 'updatedUs', 'sources', 'isPddObserved', 'isObserved', 'rtcp', 'windows'])
    assert.ok(FACTS.has(name), name);
  for (const { file } of Object.values(TOGETHER)) assert.ok(TEXTS.has(file), file);
});

const makes = (row: Makers | undefined, path: string, text: string): string[] =>
  row === undefined ? [] : constructs(row, () => true)(parse(path, text));

test('rules fire', () => {
  const [store, , analysis] = MAKERS;
  const rename = `import { DialogStore as D } from '../store/dialogs/dialog-store.ts';\nnew D(1);`;
  assert.equal(makes(store, 'src/view/a.ts', rename).length, 1);
  assert.match(makes(store, 'src/app/a.ts', rename)[0] ?? '', /^line 2: new D of .*only src\/store\/, src\/ingest\//);
  assert.deepEqual(makes(store, 'src/ingest/a.ts', rename), []);
  const all = `import * as S from '../store/dialogs/dialog-store.ts';\nclass A extends S.DialogStore {}`;
  assert.equal(makes(store, 'src/watch/a.ts', all).length, 1);
  const another = `import { Stream } from '../sources/stream.ts';\nnew Stream();`;
  assert.deepEqual(makes(store, 'src/view/a.ts', another), []);
  const call = `import { JudgedCall } from '../analysis/call.ts';\nnew JudgedCall();`;
  assert.equal(makes(analysis, 'src/app/a.ts', call).length, 1);
  const ingest = `import { createIngest } from '../ingest/ingest.ts';`;
  assert.equal(putsTogether(parse('src/view/a.ts', ingest)).length, 1);
  const writer = `import type { StreamStore } from '../store/media/stream-store.ts';`;
  assert.equal(readsOnly(parse('src/analysis/a.ts', writer)).length, 1);
  const sets = ['d.state = 1;', 'leg.dialog.updatedUs += 1;', 'stream.windows ??= null;', 'd.msgCount++;'];
  for (const text of sets) assert.equal(setsNothing(parse('src/analysis/a.ts', text)).length, 1, text);
  for (const text of ['d.state === 1;', 'row.state = 1;', 'const f = (d) => d.state;'])
    assert.deepEqual(setsNothing(parse('src/analysis/a.ts', text)), [], text);
});
