/**
 * A filter as the query of a request. Times without a zone mean the clock of who asks: they are written out in UTC, as the
 * host that answers may have another one.
 */
import type { Filter, Node, Term, Value } from '../query/filter.ts';
import { printFilter } from '../query/print.ts';
import { readMoment } from '../query/time.ts';

const TIMES: readonly (string | null)[] = ['since', 'until'];

/** `nowUs` is how far the capture of whoever answers has come. */
export function filterText(filter: Filter, isUtc: boolean, nowUs: number): string {
  return printFilter(filter === null ? null : withZones(filter, isUtc, nowUs));
}

function withZones(node: Node, isUtc: boolean, nowUs: number): Node {
  if (node.kind === 'not') return { kind: 'not', of: withZones(node.of, isUtc, nowUs) };
  if (node.kind !== 'term') return { kind: node.kind, of: node.of.map((part) => withZones(part, isUtc, nowUs)) };
  return TIMES.includes(node.key) ? inUtc(node, isUtc, nowUs) : node;
}

function inUtc(term: Term, isUtc: boolean, nowUs: number): Term {
  return { ...term, values: term.values.map((v) => absolute(v, isUtc, nowUs)) };
}

/** What counts back from the end of the capture stays as it is. */
function absolute(v: Value, isUtc: boolean, nowUs: number): Value {
  if (/^\d+[a-z]+$/i.test(v.text)) return v;
  const moment = readMoment(v, isUtc);
  const us = moment.ok ? moment.value(nowUs) : Number.NaN;
  if (!Number.isFinite(us) || Math.abs(us) > 8e18) return v;
  return { ...v, text: new Date(us / 1000).toISOString() };
}
