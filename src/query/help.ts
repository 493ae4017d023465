/**
 * The help of the filter language, made from the table of keys: enough to write a filter.
 */
import { HEADER_KEY, KEYS } from './keys.ts';

const INTRODUCTION = `A filter chooses calls: calltap FILE --filter 'from:2001 state:Failed since:10m'

A word without a key is looked for in what the list shows:
  1234             part of a number; + and 00 before a number do not matter
  503              code, or part of a number
  198.51.100.27    address; 198.51.100.0/24 is a network, 198.51.100 a part
  failed  invite   state, method
  acme             part of a user, host, name, trunk, Call-ID, User-Agent or port
  "503"            quoted: a part of a text, and no code

Words are joined by "and". These join and group:
  a b              both
  a or b  a | b    one of them
  -a  !a           not a
  ( )              group
  key:a,b          one of the values
  --               negate nothing after it

Values:
  from:2001        begins so, in upper or lower case
  from=2001        is so
  from:*2001       has it
  from=*2001       ends so
  ~yealink         RE2 expression, found anywhere
  "Front desk"     quoted; \\ escapes " and \\ and a star in it
  192.0.2.0/24     network
  5xx  400..499    codes
  < <= > >= =      numbers, with the units ms s m h %
  02:00  2026-11-22T02:00  10m
                   a time of day, a date, so long ago; capture time, in files counted from the end

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
