/** How the host did on the command line (`--overview`): figures of all that is kept, its cells as a table, and what stands out. */
import type { AskOverview, OverviewCell, OverviewSpan } from '../../contract/index.ts';
import { CALLS_ONLY } from '../../core/call-fields.ts';
import { OVERVIEW_MINUTES } from '../../core/overview-words.ts';
import { take } from '../../core/take.ts';
import { layout, safeText } from '../../core/terminal-text.ts';
import type { Explorer } from '../../explore/port.ts';
import { questionOf } from '../../explore/question.ts';
import { secondText, zonedSecondText } from '../../view/clock.ts';
import type { Asked } from './asked.ts';
import type { FigureColumn } from './overview-columns.ts';
import { cellLength, codesText, FIGURE_COLUMNS, figureText } from './overview-columns.ts';

/** Lengths of cells that are asked for at most, the longest first. */
const CELL_LENGTHS = 3;

/** All that is kept, in the shortest cells that a picture of it may have: each answer says closer where figures begin. */
export async function wholeOverview(explorer: Explorer): Promise<AskOverview> {
  const newestMinute = await explorer.overview({ minutes: 1 });
  const { span: newest } = newestMinute;
  let found = await explorer.overview({ minutes: OVERVIEW_MINUTES });
  // Of RTP alone nothing is counted: two days of zeros would say that it was looked at so long.
  if (found.span?.cells.every(({ messages }) => messages === 0) === true) return newestMinute;
  for (let asked = 1; asked < CELL_LENGTHS; asked++) {
    const { kept_from: since } = found;
    if (since === undefined || newest === undefined) break;
    found = await explorer.overview({ since, until: newest.to });
  }
  return found;
}

const COLUMNS: readonly FigureColumn[] = Object.values(FIGURE_COLUMNS);
const plain = (text: string): string => text;

export function* overviewLines(found: AskOverview, { isUtc }: Asked['style'], explorer: Explorer): Generator<string> {
  const { span, cell_sec: cellSec, capture } = found;
  if (span === undefined) yield 'Nothing was captured.';
  else {
    yield `${zonedSecondText(span.from, isUtc)} to ${zonedSecondText(span.to, isUtc)}, by ${cellLength(cellSec)}`;
    yield* earlierLines(span, explorer);
    yield '';
    yield* spanLines(span);
    yield '';
    yield* cellLines(span.cells, isUtc);
    yield* trunkLines(found);
    yield* pairLines(found);
    yield* troubleLines(found, isUtc);
  }
  yield '';
  yield capture.is_well ? 'Capture: well, it lost nothing.' : `Capture: ${safeText(capture.reason ?? 'not well')}`;
}

/** A capture may be longer than what is counted: who reads the figures of a part must know. */
function* earlierLines({ from }: OverviewSpan, explorer: Explorer): Generator<string> {
  const [oldest] = take(explorer.calls(questionOf(CALLS_ONLY, 'created', true)), 1);
  if (oldest !== undefined && oldest.created_at < from)
    yield `Calls before that are left out: an overview has the newest ${OVERVIEW_MINUTES / 60} hours.`;
}

function* spanLines({ figures }: OverviewSpan): Generator<string> {
  const shown = COLUMNS.map((column) => {
    const text = figureText(column, figures);
    return `${column.title} ${text}${text === '-' || column.unit === '' ? '' : ` ${column.unit}`}`;
  });
  yield shown.join('  ');
  yield `Codes ${codesText(figures.codes)}`;
}

function cellLines(cells: readonly OverviewCell[], isUtc: boolean): Iterable<string> {
  const rows = cells.map((cell) => [
    secondText(cell.at, isUtc).slice(0, 16),
    ...COLUMNS.map((column) => figureText(column, cell)),
    String(cell.most_talking),
    codesText(cell.codes),
  ]);
  const head = ['Began', ...COLUMNS.map(({ title }) => title), 'Talking', 'Codes'];
  return layout(head, rows, new Set(head.flatMap((_, i) => (i > 0 && i < head.length - 1 ? [i] : []))), plain);
}

function* trunkLines({ trunks }: AskOverview): Generator<string> {
  if (trunks === undefined || trunks.rows.length === 0) return;
  const rows = trunks.rows.map((row) => [
    safeText(row.trunk),
    row.direction,
    row.state,
    `${row.answered} of ${row.attempts}`,
    row.value?.toFixed(FIGURE_COLUMNS[trunks.by].places) ?? '-',
  ]);
  yield '';
  yield* layout(
    ['Worst trunks', 'Dir', 'State', 'Answered', FIGURE_COLUMNS[trunks.by].title],
    rows,
    new Set([3, 4]),
    plain,
  );
  if (trunks.not_shown > 0) yield `${trunks.not_shown} more are not shown.`;
}

function* pairLines({ pairs }: AskOverview): Generator<string> {
  if (pairs === undefined || pairs.edges.length === 0) return;
  const nameOf = (at: number): string => safeText(pairs.nodes[at]?.name ?? '');
  const rows = pairs.edges.map(({ from, to, attempts, answered, asr_pct }) => [
    nameOf(from),
    nameOf(to),
    `${answered} of ${attempts}`,
    asr_pct?.toFixed(1) ?? '-',
  ]);
  yield '';
  yield* layout(['Who calls', 'Whom', 'Answered', 'ASR'], rows, new Set([2, 3]), plain);
}

function* troubleLines({ troubles }: AskOverview, isUtc: boolean): Generator<string> {
  if (troubles.length === 0) return;
  yield '';
  yield 'Newest troubles';
  for (const { at, call_id, from, to, cause } of troubles)
    yield `${secondText(at, isUtc)}  ${safeText(from) || '-'} to ${safeText(to) || '-'}: ${safeText(cause)} [${safeText(call_id)}]`;
}
