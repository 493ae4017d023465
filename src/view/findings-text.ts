/**
 * The help of findings, made from their table: enough to read a name, and to know where to look next.
 */
import { rowsOf } from '../analysis/finding-names.ts';
import type { FindingRow } from '../analysis/finding-row.ts';
import { CALL_FINDINGS, REPORT_FINDINGS } from '../analysis/finding-table.ts';

const WIDTH = 78;

const INTRODUCTION = `A finding is a name for what is wrong with a call. The column Findings shows it,
and a filter finds it:

  calltap FILE --filter 'finding:one-way-audio'
  calltap FILE --show findings

In parentheses: how much it weighs, and its words in /v1 where they are others.
`;

/** The text of `--help findings`. */
export function findingsHelp(): string {
  return [
    INTRODUCTION,
    'Of a call:\n',
    ...rowsOf(CALL_FINDINGS).map(told),
    'Of the whole capture, in /v1/report alone:\n',
    ...rowsOf(REPORT_FINDINGS).map(told),
  ].join('\n');
}

function told([name, { severity, v1 = {}, meaning, causes, look, remedy }]: readonly [string, FindingRow]): string {
  const words = new Set([v1.diagnosis, v1.signaling, v1.report].filter((word) => word !== undefined));
  const others = [...words].filter((word) => word !== name.replaceAll('-', '_'));
  return [
    `  ${name} (${[severity, ...others].join(', ')})`,
    filled(meaning),
    filled(`Causes: ${causes.join('; ')}.`),
    filled(look),
    ...(remedy === undefined ? [] : [filled(`Remedy: ${remedy}`)]),
    '',
  ].join('\n');
}

/** Lines of at most WIDTH characters. */
function filled(text: string): string {
  let line = '     ';
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '     ';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}
