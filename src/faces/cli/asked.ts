/**
 * What the options ask of the calls, and how the answer is to look: read before anything is captured, so that a mistake
 * ends the program at once.
 */
import type { Config } from '../../config/config.ts';
import { quoted } from '../../config/option-value.ts';
import { filterOf } from '../../config/run-kind.ts';
import { failure } from '../../core/errors.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { questionOf } from '../../explore/question.ts';
import type { TableStyle } from './call-table.ts';
import { COLUMNS } from './columns.ts';
import type { Form } from './rows.ts';
import { mayColor } from './terminal.ts';

export type Asked = {
  readonly question: CallsQuestion;
  readonly style: TableStyle;
  /** Calls and rows that are shown. */
  readonly limit: number;
  readonly form: Form;
};

/** Throws FILTER_INVALID and COLUMN_UNKNOWN. */
export function readAsked(config: Config): Asked {
  const { filter, sort, columns, color, utc, limit, csv, json } = config;
  const { stdout } = process;
  // Alone first: a mistake is named by its place in what was given.
  const alone = questionOf(filter, sort, utc);
  return {
    question: config.calls ? questionOf(filterOf(config), sort, utc) : alone,
    limit: limit ?? Number.POSITIVE_INFINITY,
    form: csv ? 'csv' : json ? 'json' : 'text',
    style: {
      columns: columns === null ? null : readColumns(columns),
      isUtc: utc,
      color: color === 'always' || (color === 'auto' && mayColor(stdout)),
      width: stdout.isTTY ? stdout.columns : null,
    },
  };
}

function readColumns(text: string): string[] {
  return text.split(',').map((word) => {
    const key = word.trim().toLowerCase();
    if (COLUMNS.has(key)) return key;
    throw failure('COLUMN_UNKNOWN', { value: quoted(word), choices: [...COLUMNS.keys()].join(' ') });
  });
}
