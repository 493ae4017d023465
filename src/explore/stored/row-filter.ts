/**
 * A filter as a test of rows of calls, by the table of what columns a key asks for (stored-keys.ts). What no row can tell is neither
 * true nor false: texts of messages, credentials, legs. Such a row is left open.
 */
import type { Names } from '../../core/names.ts';
import type { Result } from '../../core/result.ts';
import { usOf } from '../../core/timestamp.ts';
import { readBareTests } from '../../query/bare.ts';
import type { Filter, Node, Operator, Term, Value } from '../../query/filter.ts';
import { readMoment } from '../../query/time.ts';
import type { TextTest } from '../../query/value.ts';
import {
  isIn,
  isInRange,
  readAddress,
  readChoice,
  readCode,
  readNumber,
  readText,
  readWhole,
} from '../../query/value.ts';
import type { StoredRow } from './call-of-row.ts';
import { figureOfRow, textOf, textsOf } from './call-of-row.ts';
import type { Column, StoredKey, Texts } from './stored-keys.ts';
import { BARE_TEXTS, storedKey } from './stored-keys.ts';

export type RowAsking = {
  /** Microseconds since the epoch, which relative times count from. */
  readonly nowUs: number;
  readonly isUtc: boolean;
  readonly names: Names;
};

/** Null where the row does not tell. */
export type RowTest = (row: StoredRow) => boolean | null;

export function rowFilter(filter: Filter, asking: RowAsking): RowTest {
  return filter === null ? () => true : testOf(filter, asking);
}

function testOf(node: Node, asking: RowAsking): RowTest {
  switch (node.kind) {
    case 'term':
      return joined(
        'or',
        node.values.map((v) => termTest(node, v, asking)),
      );
    case 'not': {
      const of = testOf(node.of, asking);
      return (row) => {
        const passed = of(row);
        return passed === null ? null : !passed;
      };
    }
    default:
      return joined(
        node.kind,
        node.of.map((part) => testOf(part, asking)),
      );
  }
}

function joined(kind: 'and' | 'or', tests: readonly RowTest[]): RowTest {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  const decides = kind === 'or';
  return (row) => {
    let isOpen = false;
    for (const test of tests) {
      const passed = test(row);
      if (passed === decides) return decides;
      if (passed === null) isOpen = true;
    }
    return isOpen ? null : !decides;
  };
}

const OPEN: RowTest = () => null;

function termTest(term: Term, v: Value, asking: RowAsking): RowTest {
  const row = storedKey(term.key);
  return row === null ? OPEN : keyTest(row, v, term.operator, asking);
}

function keyTest(key: StoredKey, v: Value, operator: Operator, asking: RowAsking): RowTest {
  switch (key.kind) {
    case 'bare':
      return bareTest(v, asking);
    case 'text':
      return anyText(key, known(readText(v, operator)));
    case 'choice': {
      const words = known(readChoice(v, key.words));
      return anyText(key, (word) => words.has(word));
    }
    case 'address': {
      const fits = known(readAddress(v, operator));
      return anyText(key, (host) => host !== '' && fits(host, asking.names.of(host)));
    }
    case 'code': {
      const range = known(readCode(v, operator));
      return (row) => {
        const code = row[key.column];
        return typeof code === 'number' && code !== 0 && isInRange(range, code);
      };
    }
    case 'number': {
      const range = known(readNumber(v, operator, key.units));
      return (row) => {
        const figure = figureOfRow(row, key.field);
        return !Number.isNaN(figure) && isInRange(range, figure);
      };
    }
    case 'port': {
      const port = known(readWhole(v, 0xffff));
      return (row) => portsOf(row).includes(port);
    }
    case 'ssrc': {
      const ssrc = known(readWhole(v, 0xffff_ffff));
      return ({ ssrcs }) => (Array.isArray(ssrcs) ? ssrcs.includes(ssrc) : null);
    }
    case 'since':
    case 'until': {
      const us = known(readMoment(v, asking.isUtc))(asking.nowUs);
      const isSince = key.kind === 'since';
      return (row) => (isSince ? usOf(textOf(row['created_at'])) >= us : usOf(textOf(row['created_at'])) <= us);
    }
    default:
      return OPEN;
  }
}

/** As query/bare.ts finds it in memory. */
function bareTest(v: Value, { names }: RowAsking): RowTest {
  const { fits, isNumber, code, net } = known(readBareTests(v));
  const isShown = anyText(BARE_TEXTS, fits);
  return (row) => {
    if (isShown(row) === true) return true;
    if (code !== null && row['code'] === code) return true;
    const addresses = textsOf(row['addresses']);
    if (net !== null && addresses.some((host) => isIn(host, net))) return true;
    if (addresses.some((host) => fitsName(names.of(host), fits))) return true;
    if (portsOf(row).some((port) => fits(String(port)))) return true;
    return (
      isNumber(textOf(row['from_user'])) || isNumber(textOf(row['to_user'])) || textsOf(row['numbers']).some(isNumber)
    );
  };
}

function fitsName(name: string | null, fits: TextTest): boolean {
  return name !== null && fits(name);
}

function portsOf({ ports }: StoredRow): readonly unknown[] {
  return Array.isArray(ports) ? ports : [];
}

function anyText({ columns = [], arrays = [] }: Texts, fits: TextTest): RowTest {
  return (row) =>
    columns.some((column) => fits(textIn(row, column))) || arrays.some((array) => textsOf(row[array]).some(fits));
}

function textIn(row: StoredRow, column: Column): string {
  if (typeof column === 'string') return textOf(row[column]);
  return textOf(row[column.of]) || textOf(row[column.orElse]);
}

/** The parser has read the value before. */
function known<T>(read: Result<T, string>): T {
  if (!read.ok) throw new Error(`a value that was read before: ${read.reason}`);
  return read.value;
}
