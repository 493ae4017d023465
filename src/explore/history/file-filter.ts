/** By which parts of a filter whole files of a ring are passed over: when its calls were, their numbers, Call-IDs and states. */
import { DIALOG_STATES } from '../../core/words.ts';
import type { IndexFile } from '../../history/index-file.ts';
import { readBare } from '../../query/bare.ts';
import type { Filter, Node, Term, Value } from '../../query/filter.ts';
import { readMoment } from '../../query/time.ts';
import { readChoice } from '../../query/value.ts';
import type { RowAsking } from '../stored/row-filter.ts';
import { newestUs, oldestUs } from './ring.ts';

/** False where no call of the file passes. */
export type FileTest = (index: IndexFile) => boolean;

export function fileFilter(filter: Filter, asking: RowAsking): FileTest {
  return filter === null ? () => true : testOf(filter, asking);
}

function testOf(node: Node, asking: RowAsking): FileTest {
  switch (node.kind) {
    case 'term':
      return anyOf(node.values.map((v) => termTest(node, v, asking)));
    case 'and':
      return allOf(node.of.map((part) => testOf(part, asking)));
    case 'or':
      return anyOf(node.of.map((part) => testOf(part, asking)));
    default:
      return ANY;
  }
}

const ANY: FileTest = () => true;

function anyOf(tests: readonly FileTest[]): FileTest {
  return tests.includes(ANY) ? ANY : (index) => tests.some((test) => test(index));
}

function allOf(tests: readonly FileTest[]): FileTest {
  const some = tests.filter((test) => test !== ANY);
  return some.length === 0 ? ANY : (index) => some.every((test) => test(index));
}

/** A part of a number. As a word without a key one that is no code and no port: it is looked for in users and numbers alone. */
const NUMBER = /^\+?[\d*#]{3,}$/;
const LONG_NUMBER = /^\d{6,}$/;

function termTest({ key, operator }: Term, v: Value, asking: RowAsking): FileTest {
  switch (key) {
    case 'since': {
      const us = moment(v, asking);
      return us === null ? ANY : (index) => newestUs(index) >= us;
    }
    case 'until': {
      const us = moment(v, asking);
      return us === null ? ANY : (index) => oldestUs(index) <= us;
    }
    case 'callid':
      return operator === '=' && !isOpen(v) ? withCallId(v.text) : ANY;
    case 'state':
      return withState(v);
    case 'number':
    case 'user':
    case 'from':
    case 'to':
      return !v.isExpression && NUMBER.test(v.text) ? (index) => index.mayName(v.text) : ANY;
    case null: {
      const { digits } = readBare(v);
      return digits !== null && LONG_NUMBER.test(digits) ? (index) => index.mayName(digits) : ANY;
    }
    default:
      return ANY;
  }
}

function isOpen({ isExpression, isOpenStart, isOpenEnd }: Value): boolean {
  return isExpression || isOpenStart || isOpenEnd;
}

function moment(v: Value, { isUtc, nowUs }: RowAsking): number | null {
  const read = readMoment(v, isUtc);
  return read.ok ? read.value(nowUs) : null;
}

/** Filters take letters alike; digests do not. */
function withCallId(text: string): FileTest {
  const texts = [...new Set([text, text.toLowerCase(), text.toUpperCase()])];
  return (index) => texts.some((one) => index.mayHoldCallId(one));
}

function withState(v: Value): FileTest {
  const words = readChoice(v, DIALOG_STATES);
  if (!words.ok) return ANY;
  const { value } = words;
  return ({ footer }) => footer === null || [...value].some((state) => (footer.states[state] ?? 0) > 0);
}
