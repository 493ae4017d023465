/** The table of findings is whole: every name has its words and weight, and every imposed word has one name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FINDING_NAMES, rowsOf } from '../../../src/analysis/finding-names.ts';
import { CALL_FINDINGS, FINDINGS, REPORT_FINDINGS } from '../../../src/analysis/finding-table.ts';
import { Diagnosis, SignalingDiagnosis } from '../../../src/contract/index.ts';
import { FINDING_SEVERITIES } from '../../../src/core/words.ts';
import { findingsHelp } from '../../../src/view/findings-text.ts';
import { load } from '../../helpers/source-files.ts';

const ROWS = rowsOf(FINDINGS);

/** Imposed words of that kind, as often as rows have them. */
const words = (kind: 'diagnosis' | 'signaling' | 'report'): string[] =>
  ROWS.flatMap(([, { v1 }]) => v1?.[kind] ?? []).sort();
const members = (schema: { readonly properties: object }): string[] =>
  Object.keys(schema.properties)
    .filter((key) => key !== 'hints')
    .sort();

test('every name has a weight, a unit and sentences', () => {
  assert.equal(ROWS.length, Object.keys(CALL_FINDINGS).length + Object.keys(REPORT_FINDINGS).length);
  for (const [name, { severity, unit, v1, meaning, causes, look, healthySince = '2026-11-21' }] of ROWS) {
    assert.match(name, /^[a-z]+(-[a-z]+)*$/);
    // A note is no fault: the report of faults has no word for it.
    if (severity === 'note') assert.equal(v1?.report, undefined, name);
    else assert.ok(FINDING_SEVERITIES.includes(severity), name);
    assert.ok(unit.endsWith('s'), name);
    assert.ok([meaning, look].every((words) => /^[A-Z].{15,}\.$/.test(words)) && causes.length > 0, name);
    assert.ok(
      causes.every((cause) => !cause.endsWith('.')),
      name,
    );
    assert.match(healthySince, /^20\d\d-\d\d-\d\d$/);
  }
});

test('what a call proves was tried against healthy calls', () => {
  for (const [name, { has, healthySince }] of ROWS)
    assert.equal(has === undefined || healthySince !== undefined, true, name);
});

test('each imposed word has one name', () => {
  assert.deepEqual(words('diagnosis'), members(Diagnosis));
  assert.deepEqual(words('signaling'), members(SignalingDiagnosis));
  const kinds = words('report');
  assert.equal(new Set(kinds).size, kinds.length);
  assert.ok(kinds.every((kind) => /^[a-z]+(_[a-z]+)*$/.test(kind)));
});

test('the console, which cannot read the table, names each finding of quality', () => {
  const [cause] = load('src/faces/console', /^call-cause\.ts$/);
  const quality = /QUALITY = \[([^\]]*)\]/.exec(cause?.text ?? '')?.[1]?.match(/[a-z-]+/g);
  const ofStreams = rowsOf(CALL_FINDINGS).filter(([, { unit }]) => unit === 'streams');
  assert.deepEqual(
    quality,
    ofStreams.map(([name]) => name),
  );
});

test('what only the report names has a word there', () => {
  assert.ok(rowsOf(REPORT_FINDINGS).every(([, { v1 }]) => v1?.report !== undefined));
});

test('severities have their order in one place', () => {
  const lists = load('src', /\.ts$/).filter(({ code, text }) => code !== '' && /'blind',\s*'critical'/.test(text));
  assert.deepEqual(
    lists.map(({ path }) => path),
    ['src/core/words.ts'],
  );
});

test('the help has every name, in lines of a terminal', () => {
  const lines = findingsHelp().split('\n');
  const names = lines.flatMap((line) => /^ {2}([a-z-]+) \(/.exec(line)?.[1] ?? []);
  assert.deepEqual(
    names,
    ROWS.map(([name]) => name),
  );
  assert.deepEqual(names.slice(0, FINDING_NAMES.length), FINDING_NAMES);
  assert.ok(lines.every((line) => line.length <= 80));
});
