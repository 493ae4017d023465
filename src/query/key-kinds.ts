/**
 * What a row of the table of keys is made of, by the kind of its values. A row says what it reads of a call and how much
 * must be loaded for that; its kind says what a value means and which operators fit.
 */
import { LEVEL } from '../analysis/call-field-readers.ts';
import type { Result } from '../core/result.ts';
import { ok } from '../core/result.ts';
import type { Operator, Test, Value } from './filter.ts';
import type { Literal } from './literal.ts';
import { literalOf } from './literal.ts';
import type { Subject } from './subject.ts';
import { readMoment } from './time.ts';
import type { NumberRange, TextTest, Units } from './value.ts';
import { isInRange, readAddress, readChoice, readCode, readNumber, readPart, readText, readWhole } from './value.ts';

/** What is known of the asker: the zone in which times without one are. */
export type Reading = { readonly isUtc: boolean };

export type KeyKind = {
  /** What help calls the values. */
  readonly values: string;
  /** Words that completion offers. */
  readonly words: readonly string[];
  /** It takes `<` and `>` too. */
  readonly isOrdered: boolean;
  /** What its tests need of a subject. */
  readonly level: number;
  /** The test of one value, or why it cannot be read; '' where the words say it. */
  read(v: Value, operator: Operator, reading: Reading): Result<Test, string>;
};

type Get<T> = (s: Subject) => T;

/** A test that is not known before the subject has loaded `level`. */
function at(level: number, test: (s: Subject) => boolean): Test {
  return (s) => (s.has(level) ? test(s) : null);
}

function kind<T>(
  level: number,
  values: string,
  read: (v: Value, operator: Operator, reading: Reading) => Result<T, string>,
  testOf: (found: T, v: Value) => Test,
  more: Partial<KeyKind> = {},
): KeyKind {
  return {
    values,
    words: [],
    isOrdered: false,
    level,
    read(v, operator, reading) {
      const found = read(v, operator, reading);
      return found.ok ? ok(testOf(found.value, v)) : found;
    },
    ...more,
  };
}

/**
 * Texts, one of which must fit. `early` are those of the record, which may decide before `level` is loaded. At the level of
 * texts all others stand in the raw messages.
 */
export function text(level: number, get: Get<Iterable<string>>, early: Get<Iterable<string>> = () => []): KeyKind {
  return kind(level, 'text', readText, (fits: TextTest, v) => testOfTexts(level, get, early, fits, literalOf(v)));
}

/** Texts in which a value may stand anywhere. */
export function part(level: number, get: Get<Iterable<string>>): KeyKind {
  return kind(level, 'part of a text', readPart, (fits: TextTest, v) =>
    testOfTexts(level, get, () => [], fits, literalOf(v)),
  );
}

function testOfTexts(
  level: number,
  get: Get<Iterable<string>>,
  early: Get<Iterable<string>>,
  fits: TextTest,
  literal: Literal | null,
): Test {
  const isWorthReading = (s: Subject): boolean => level !== LEVEL.TEXTS || literal === null || s.mayHold(literal);
  return (s) => any(early(s), fits) || (s.has(level) ? isWorthReading(s) && any(get(s), fits) : null);
}

/** Words of a closed set. */
export function choice(level: number, words: readonly string[], get: Get<Iterable<string>>): KeyKind {
  const read = (v: Value): Result<ReadonlySet<string>, string> => readChoice(v, words);
  return kind(level, 'word', read, (chosen) => at(level, (s) => any(get(s), (word) => chosen.has(word))), { words });
}

export function address(level: number, get: Get<Iterable<string>>): KeyKind {
  return kind(level, 'address or network', readAddress, (fits) =>
    at(level, (s) => {
      for (const host of get(s)) if (fits(host, s.asking.nameOf(host))) return true;
      return false;
    }),
  );
}

/** Null has no number: no comparison holds. `levelOf`: of calls that need more than others. */
export function number(
  values: string,
  units: Units,
  level: number,
  get: Get<number | null>,
  levelOf: Get<number> = () => level,
): KeyKind {
  const read = (v: Value, operator: Operator) => readNumber(v, operator, units);
  const test =
    (range: NumberRange): Test =>
    (s) =>
      s.has(levelOf(s)) ? holds(get(s), range) : null;
  return kind(level, values, read, test, { isOrdered: true });
}

export function code(level: number, get: Get<number | null>): KeyKind {
  return kind(level, 'code', readCode, (range) => at(level, (s) => holds(get(s), range)), { isOrdered: true });
}

export function whole(values: string, max: number, level: number, get: Get<Iterable<number>>): KeyKind {
  return kind(
    level,
    values,
    (v: Value) => readWhole(v, max),
    (wanted) => at(level, (s) => any(get(s), (n) => n === wanted)),
  );
}

/** `isIn` compares a time of the call with the value's. */
export function moment(get: Get<number>, isIn: (us: number, valueUs: number) => boolean): KeyKind {
  return kind(
    LEVEL.RECORD,
    'time',
    (v: Value, _, reading) => readMoment(v, reading.isUtc),
    (momentOf) => at(LEVEL.RECORD, (s) => isIn(get(s), momentOf(s.asking.nowUs))),
  );
}

/** Whether one of them fits. */
export function any<T>(items: Iterable<T>, fits: (item: T) => boolean): boolean {
  for (const item of items) if (fits(item)) return true;
  return false;
}

function holds(n: number | null, range: NumberRange): boolean {
  return n !== null && isInRange(range, n);
}
