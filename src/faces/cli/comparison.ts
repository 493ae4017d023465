/**
 * Two calls side by side; a mark stands before what differs.
 */
import type { AskCompare, CompareRow } from '../../contract/index.ts';
import { fit, paint, safeText } from '../../core/terminal-text.ts';

const TITLES: Readonly<Record<CompareRow['group'], string>> = {
  call: 'Call',
  timing: 'Timing',
  quality: 'Quality',
  headers: 'Headers of the first message',
  sdp: 'Its SDP',
  messages: 'Messages',
};
const WHAT = 22;
const SIDE_LEAST = 24;
const PAGE = 160;

export function* comparisonLines(
  { call_ids, rows }: AskCompare,
  width: number | null,
  color: boolean,
): Generator<string> {
  const side = Math.max(SIDE_LEAST, Math.floor(((width ?? PAGE) - WHAT - 6) / 2));
  const line = (mark: string, what: string, a: string, b: string): string =>
    `${mark} ${fit(safeText(what), WHAT).padEnd(WHAT)}  ${fit(safeText(a), side).padEnd(side)}  ${fit(safeText(b), side)}`.trimEnd();
  yield paint(line(' ', '', call_ids[0] ?? '', call_ids[1] ?? ''), 'bold', color);
  let group: string | null = null;
  for (const { group: next, what, a, b, differs } of rows) {
    if (next !== group) {
      yield '';
      yield paint(TITLES[next], 'bold', color);
    }
    group = next;
    yield paint(line(differs ? '!' : ' ', what, a || '-', b || '-'), differs ? 'yellow' : null, color);
  }
}
