/**
 * The help of the filter language, made from the table of keys: enough to write a filter.
 */
import { HEADER_KEY, KEYS } from './keys.ts';

const INTRODUCTION = `A filter chooses calls: calltap FILE --filter 'from:2001 state:Failed since:10m'

Words are joined by "and". These join and group:
  a b              both
  a or b           one of them
  -a               not a
  ( )              group
  key:a,b          one of the values
  --               negate nothing after it

Values:
  2001             exactly this, in upper or lower case
  +44*  *5550123   begins so, ends so
  ~yealink         RE2 expression, found anywhere
  "Front desk"     quoted; \\ escapes " and \\ and a star in it
  192.0.2.0/24     network
  5xx  400..499    codes
  < <= > >= =      numbers, with the units ms s m h %
  02:00  2026-11-22T02:00  10m
                   a time of day, a date, so long ago; capture time, in files counted from the end

A word without a key matches Call-ID, users, numbers and display names.

Keys:
`;

/** The text of `--help filter`. */
export function filterHelp(): string {
  const rows = [...KEYS, HEADER_KEY];
  const width = Math.max(...rows.map(({ example }) => example.length));
  const lines = rows.map(({ example, help, kind }) => {
    const words = kind.words.length === 0 ? '' : `\n  ${' '.repeat(width)}  ${wrap(kind.words, 78 - width, width + 4)}`;
    return `  ${example.padEnd(width)}  ${help}${words}`;
  });
  return `${INTRODUCTION}${lines.join('\n')}\n`;
}

function wrap(words: readonly string[], width: number, indent: number): string {
  let line = '';
  const lines: string[] = [];
  for (const word of words) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
