// docs/limits.md: its tables are written from the marks of the caps; what stands between the tables is written on the page.
//
// A mark ends the comment of a cap, or of several caps that stand right below it:
//
//   @cap                                           bounds one thing, and nothing counts what is beyond
//   @cap sip_too_long                              this loss counts what is beyond
//   @cap memory 60 MiB, dialogs_evicted: dialogs   what it may take in memory, and the words of this row
//   @cap option 96 MiB: with `-L`: connections     the same of what an option adds
//   @cap with MAX_DIALOGS                          stands in the row of that cap
import { tableOf, withPart } from '../steps/page.mjs';

const COMMENT =
  /\/\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n(?<declared>(?:(?:export )?const [A-Z]\w+ = .+;\n|#define [A-Z]\w+ .+\n)*)/g;
const DECLARED = /(?:const|#define) (\w+) (?:= )?(.+?);?\n/g;
const MARK =
  /^(?:(?<kind>memory|option) (?<mib>\d+) MiB(?<counters>(?:, \w+)*): (?<row>.+)|with (?<leader>[A-Z]\w+)|(?<counter>[a-z_]+))?$/;
/** What every run takes beside its caps: `npm run fill-up` counts it. */
const ENGINE = ['(engine and program)', '-', 'Node.js, the compiled program, the young generation', '-', 130];
const MEMORY = ['cap', 'value', 'what', 'counter', 'worst case, MiB'];

/** `24 * 1024 ** 2` as a number, by its factors. */
function numberOf(text) {
  const factors = text.replace(/_|u$/g, '').split(/ \* (?!\*)/);
  return factors.map((factor) => factor.split(' ** ').map(Number)).reduce((all, [n, power = 1]) => all * n ** power, 1);
}

/** The marks of a file and the caps below each, in their order. Throws where a mark cannot be read. */
export function marksOf({ path, text }) {
  return [...text.matchAll(COMMENT)].flatMap(({ groups: { comment, declared } }) => {
    const [words, mark] = comment
      .replace(/\n ?\*?|^\*/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .split(/ ?@cap ?/);
    if (mark === undefined) return [];
    const said = MARK.exec(mark)?.groups;
    if (said === undefined) throw new Error(`${path}: this mark of a cap cannot be read: @cap ${mark}`);
    const caps = [...declared.matchAll(DECLARED)].map(([, name, value]) => ({ name, value: numberOf(value) }));
    if (caps.length === 0) throw new Error(`${path}: no cap stands below the mark: ${words}`);
    const wrong = caps.find(({ value }) => !Number.isSafeInteger(value));
    if (wrong !== undefined) throw new Error(`${path}: a cap is a product of whole numbers, ${wrong.name} is not`);
    return [{ path, words, ...said, caps }];
  });
}

const code = (names) => names.map((name) => `\`${name}\``).join(', ');

/** The first two cells of a row: the names of caps, and their values. */
function named(caps) {
  return [code(caps.map(({ name }) => name)), caps.map(({ value }) => value.toLocaleString('en-US')).join('; ')];
}

/** Rows of memory: what `npm run fill-up` fills. */
function memoryRows(marks, kind) {
  return marks
    .filter((mark) => mark.kind === kind)
    .map(({ caps, row, counters, mib }) => {
      const others = marks
        .filter(({ leader }) => caps.some(({ name }) => name === leader))
        .flatMap((mark) => mark.caps);
      return [...named([...caps, ...others]), row, code(counters.split(', ').slice(1)) || '-', Number(mib)];
    });
}

const largestFirst = (rows) => rows.sort((a, b) => b[4] - a[4] || (a[0] < b[0] ? -1 : 1));

/** What bounds single things, a table a room. */
function roomTables(marks) {
  const rooms = new Map();
  for (const { path, caps, words, counter } of marks.filter((mark) => !(mark.kind ?? mark.leader))) {
    const room = path.replace(/^src\//, '').split('/')[0];
    rooms.set(room, [
      ...(rooms.get(room) ?? []),
      [...named(caps), words, counter === undefined ? '-' : code([counter])],
    ]);
  }
  const tables = [...rooms].map(([room, rows]) => [
    '',
    `### ${room}`,
    '',
    ...tableOf(['cap', 'value', 'what', 'counter'], rows),
  ]);
  return tables.flat().slice(1);
}

/** `page` with the tables of the marks in `files`. Throws where a cap stands in the row of none. */
export function limitsPage(page, files) {
  const marks = files.flatMap(marksOf);
  const leaders = marks.filter(({ kind }) => kind !== undefined).flatMap(({ caps }) => caps.map(({ name }) => name));
  const lost = marks.find(({ leader }) => leader !== undefined && !leaders.includes(leader));
  if (lost !== undefined) throw new Error(`${lost.path}: ${lost.leader} has no row of memory`);
  const always = largestFirst([...memoryRows(marks, 'memory'), ENGINE]);
  const sum = ['**all**', '', '', '', `**${always.reduce((all, row) => all + row[4], 0)}**`];
  const parts = [
    ['caps of memory', tableOf(MEMORY, [...always, sum])],
    ['caps of options', tableOf(MEMORY, largestFirst(memoryRows(marks, 'option')))],
    ['caps of rooms', roomTables(marks)],
  ];
  return parts.reduce((text, [name, lines]) => withPart(text, name, lines), page);
}
