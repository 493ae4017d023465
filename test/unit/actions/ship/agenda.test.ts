/** When calls are looked at: each once, in the second that was said earliest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Due } from '../../../../src/actions/ship/agenda.ts';
import { Agenda } from '../../../../src/actions/ship/agenda.ts';

type One = Due & { readonly name: string };
const one = (name: string): One => ({ name, dueSec: Number.POSITIVE_INFINITY });

function namesAt(agenda: Agenda<One>, sec: number): string[] {
  return [...agenda.due(sec)].map(({ name }) => name);
}

test('what is due comes out once, the earliest first', () => {
  const agenda = new Agenda<One>();
  for (const [name, sec] of [
    ['late', 30],
    ['early', 2],
    ['middle', 3],
  ] as const)
    agenda.note(one(name), sec);
  assert.deepEqual(namesAt(agenda, 1), []);
  assert.deepEqual(namesAt(agenda, 5), ['early', 'middle']);
  assert.deepEqual(namesAt(agenda, 29), []);
  assert.deepEqual(namesAt(agenda, 30), ['late']);
  assert.deepEqual(namesAt(agenda, 1000), []);
});

test('who is due earlier moves, who is due later stays', () => {
  const agenda = new Agenda<One>();
  const a = one('a');
  agenda.note(a, 30);
  agenda.note(a, 2);
  agenda.note(a, 40);
  assert.deepEqual(namesAt(agenda, 2), ['a']);
  assert.deepEqual(namesAt(agenda, 50), []);
  agenda.note(a, 60);
  assert.deepEqual(namesAt(agenda, 60), ['a'], 'it may be noted again');
});

test('who left is not looked at', () => {
  const agenda = new Agenda<One>();
  const a = one('a');
  agenda.note(a, 2);
  a.dueSec = Number.POSITIVE_INFINITY;
  assert.deepEqual(namesAt(agenda, 2), []);
});
