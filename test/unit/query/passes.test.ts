/** A filter decides by what is cheap, asks a decided term no second time, and decides as if all were loaded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../fixtures/build/bytes.ts';
import { LEVEL } from '../../../src/analysis/call-field-readers.ts';
import { finish } from '../../../src/core/turns.ts';
import { byCost } from '../../../src/query/by-cost.ts';
import type { Node, Term } from '../../../src/query/filter.ts';
import { passes, passesSteps } from '../../../src/query/passes.ts';
import type { Asking } from '../../../src/query/subject.ts';
import { Subject } from '../../../src/query/subject.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';

type Counted = Term & { asked: number };

/** A term that is known from `level` on. */
function term(level: number, value: boolean): Counted {
  const of: Counted = {
    kind: 'term',
    start: 0,
    end: 0,
    key: null,
    operator: ':',
    values: [],
    level,
    asked: 0,
    test: (s) => {
      of.asked++;
      return s.has(level) ? value : null;
    },
  };
  return of;
}

const DIALOG = { slot: 0 } as Dialog;

function subject(hasFewStreams = false): Subject {
  const stores = { streams: { ownsAtMost: () => hasFewStreams } };
  return new Subject(DIALOG, { e: { stores } } as unknown as Asking);
}

function decide(filter: Node): boolean {
  const s = subject();
  const passed = passes(filter, s);
  return typeof passed === 'boolean' ? passed : finish(passesSteps(passed, s));
}

test('scores of few streams are judged at once, those of many after a rest', () => {
  const score = term(LEVEL.SCORES, true);
  assert.equal(passes(score, subject(true)), true);
  const many = subject();
  const open = passes(score, many);
  assert.equal(open, score);
  assert.equal(finish(passesSteps(score, many)), true);
});

test('a subject that turned to another dialog knows nothing of the one before', () => {
  const s = subject(true);
  assert.equal(passes(term(LEVEL.SCORES, true), s), true);
  s.turnTo(DIALOG);
  assert.equal(s.level, LEVEL.RECORD);
  assert.equal(s.has(LEVEL.SCORES), false);
});

test('a term that has passed is asked no second time', () => {
  const record = term(LEVEL.RECORD, true);
  const counters = term(LEVEL.COUNTERS, true);
  const texts = term(LEVEL.TEXTS, true);
  const inner = term(LEVEL.RECORD, false);
  const or: Node = { kind: 'or', of: [inner, { kind: 'not', of: texts }, counters] };
  assert.equal(decide({ kind: 'and', of: [record, or] }), true);
  assert.deepEqual([record.asked, inner.asked, counters.asked, texts.asked], [1, 1, 2, 1]);
});

test('what is cheap decides before the rest is loaded', () => {
  const dear = term(LEVEL.TEXTS, true);
  const s = subject();
  assert.equal(passes({ kind: 'and', of: [dear, term(LEVEL.COUNTERS, false)] }, s), false);
  assert.equal(s.level, LEVEL.COUNTERS);
});

test('in order of cost a filter asks the record before the counters, also within groups', () => {
  const [record, dear] = [term(LEVEL.RECORD, false), term(LEVEL.TEXTS, true)];
  const counters = term(LEVEL.COUNTERS, true);
  const group: Node = { kind: 'or', of: [dear, { kind: 'not', of: term(LEVEL.RECORD, true) }] };
  const s = subject();
  assert.equal(passes(byCost({ kind: 'and', of: [counters, group, record] }), s), false);
  assert.deepEqual([s.level, record.asked, counters.asked], [LEVEL.RECORD, 1, 0]);
  assert.equal(byCost(null), null);
});

test('any tree decides as if all were loaded', () => {
  const random = new Random(20261126);
  const tree = (depth: number): { node: Node; value: boolean } => {
    if (depth === 0 || random.below(4) === 0) {
      const value = random.below(2) === 1;
      return { node: term(random.below(LEVEL.TEXTS + 1), value), value };
    }
    if (random.below(4) === 0) {
      const { node, value } = tree(depth - 1);
      return { node: { kind: 'not', of: node }, value: !value };
    }
    const parts = Array.from({ length: 2 + random.below(3) }, () => tree(depth - 1));
    const of = parts.map(({ node }) => node);
    return random.below(2) === 1
      ? { node: { kind: 'and', of }, value: parts.every(({ value }) => value) }
      : { node: { kind: 'or', of }, value: parts.some(({ value }) => value) };
  };
  for (let i = 0; i < 2000; i++) {
    const { node, value } = tree(4);
    assert.equal(decide(node), value);
  }
});
