/** Captured text cannot steer a terminal, whatever it holds: no control character reaches one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AskLadder } from '../../../../src/contract/index.ts';
import type { Call } from '../../../../src/core/call-fields.ts';
import { fit, layout, paint, safeText } from '../../../../src/core/terminal-text.ts';
import { callReport } from '../../../../src/export/call-report.ts';
import { callTable } from '../../../../src/faces/cli/call-table.ts';
import { frameDigest, hexDump } from '../../../../src/faces/cli/show-frame.ts';
import type { ReportInput } from '../../../../src/view/report-input.ts';
import { CALL, PIPED } from '../../../helpers/call-row.ts';

/** Everything that moves a cursor, changes a colour or turns the direction of text around; line ends are ours. */
const STEERING =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\r\n\u009b31m\u202egnp.exe\u2066\u0000x\u007f\u2028';

const ROW: Call = {
  ...CALL,
  method: HOSTILE,
  from_user: HOSTILE,
  to_user: HOSTILE,
  duration_sec: 3725,
  cause: 'one-way-audio',
  findings: ['one-way-audio'],
  call_id: HOSTILE,
  user_agent: HOSTILE,
  reason: HOSTILE,
};

const STEP = {
  call_id: HOSTILE,
  index: 0,
  at: '2025-03-04T09:00:00.000000Z',
  src: '192.0.2.1:5060',
  dst: '192.0.2.2:5060',
  transport: 'UDP',
  origin: 'wire',
  has_sdp: true,
  summary: HOSTILE,
  notes: [],
  from: 0,
  to: 1,
  delta_sec: 0,
} as const;

const LADDER: AskLadder = {
  schema_version: 1,
  call_ids: [HOSTILE],
  started_at: STEP.at,
  lifelines: [
    { label: HOSTILE, address: '192.0.2.1' },
    { label: '192.0.2.2:5060', address: '192.0.2.2' },
  ],
  steps: [
    { ...STEP, notes: [] },
    { ...STEP, index: 1, from: 1, to: 0, summary: '100 Trying', notes: ['again'] },
    { ...STEP, index: 2, from: 1, to: 1, summary: 'x'.repeat(500), notes: [] },
  ],
  media: [
    {
      call_id: HOSTILE,
      from: 0,
      to: 1,
      src: '192.0.2.1:4000',
      dst: '192.0.2.2:4000',
      ssrc: '0x00000001',
      packets: 3,
      loss_pct: 0,
      first_seen: STEP.at,
      last_seen: STEP.at,
      codec: HOSTILE,
    },
  ],
  not_kept: 3,
};

const said = (text: string): ReportInput['findings'] => [{ finding: 'note', ground: 'seen', depth: 0, texts: [text] }];
const REPORT: ReportInput = {
  callId: HOSTILE,
  facts: [['From', HOSTILE]],
  timing: [['Ringing', '20 ms']],
  ladder: LADDER,
  sdp: [['0.000 s', 'offer', HOSTILE, 'sendrecv', HOSTILE, '-']],
  media: [['0x1', 'a', 'b', HOSTILE, '1', '0', '0 %', '20 ms', '0 ms', '-', '-']],
  reported: [[HOSTILE, 'HEP', 'hears', '0.0 %', '-', '-', '-', '-', '-']],
  findings: said(HOSTILE),
  lint: [HOSTILE],
};

const report = (input: ReportInput, markdown: boolean): string =>
  `${[...callReport(input, markdown, PIPED)].join('\n')}\n`;
const tableOf = (rows: readonly Call[], color: boolean): string[] => [...callTable(rows, { ...PIPED, color })];

test('safeText replaces what steers and leaves what does not', () => {
  assert.equal(safeText('a\u001b[31mb\nc'), 'a·[31mb·c');
  assert.equal(safeText('Grüße 你好 🙂'), 'Grüße 你好 🙂');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const safe = safeText(text);
      assert.doesNotMatch(safe, STEERING);
      assert.doesNotMatch(safe, /\n/);
      assert.equal(safe.length, text.length);
    }),
  );
});

test('the table and the report show hostile calls harmlessly', () => {
  for (const line of tableOf([ROW, ROW], false)) {
    assert.doesNotMatch(line, STEERING);
    assert.doesNotMatch(line, /\n/);
  }
  for (const markdown of [false, true]) assert.doesNotMatch(report(REPORT, markdown), STEERING);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const lines = tableOf([{ ...ROW, method: text, from_user: text, to_user: text, call_id: text }], false);
      assert.equal(lines.length, 2);
      for (const line of lines) assert.doesNotMatch(line, STEERING);
      assert.doesNotMatch(
        report({ ...REPORT, callId: text, facts: [['From', text]], findings: said(text) }, false),
        STEERING,
      );
    }),
  );
});

test('colour is the only escape, and only when asked for', () => {
  assert.equal(paint('x', 'red', false), 'x');
  assert.equal(paint('x', null, true), 'x');
  assert.equal(paint('x', 'red', true), '\u001b[31mx\u001b[0m');
  const plain = tableOf([ROW], false);
  const painted = tableOf([ROW], true);
  assert.deepEqual(
    painted.map((line) => line.replace(/\u001b\[\d+m/g, '')),
    plain,
  );
  assert.notDeepEqual(painted, plain);
});

test('columns stand under their headings', () => {
  const lines = layout(
    ['Name', 'No'],
    [
      ['a', '1'],
      ['long name', '12345'],
    ],
    new Set([1]),
    (text) => text,
  );
  assert.deepEqual([...lines], ['Name          No', 'a              1', 'long name  12345']);
  assert.equal(fit('abcdef', 4), 'abc…');
  assert.equal(fit('abcd', 4), 'abcd');
});

test('the table tells durations, and a dash where nothing is known', () => {
  const { code: _, cause: _cause, mos_worst: _mos, loss_pct_max: _loss, ...unknown } = ROW;
  const [, full = '', bare = ''] = tableOf(
    [
      { ...ROW, method: 'INVITE', from_user: 'a', to_user: 'b', call_id: 'x' },
      {
        ...unknown,
        method: 'OPTIONS',
        from_user: 'a',
        to_user: 'b',
        call_id: 'y',
        duration_sec: 59.9,
        timing: { ...ROW.timing, pdd_ms: null },
        findings: [],
      },
    ],
    false,
  );
  assert.match(full, / 200 +1:02:05 +180 ms +one way +0\.0 % +one-way-audio +192\.0\.2\.1:5060 +192\.0\.2\.2:5060 +x$/);
  assert.match(bare, / - +1:00 +- +- +- +- +192\.0\.2\.1:5060 +192\.0\.2\.2:5060 +y$/);
  assert.deepEqual(tableOf([], false), []);
});

test('a report in Markdown gives captured text no meaning of its own', () => {
  const text = report({ ...REPORT, callId: '<img src=x>|`a`*b*[c](d)\\', facts: [], findings: said('*x*') }, true);
  assert.match(text, /^# Call \\<img src=x\\>\\\|\\`a\\`\\\*b\\\*\\\[c\\\]\(d\)\\\\$/m);
  assert.match(text, /^- \\\*x\\\*$/m);
});

test('the ladder keeps its arrows straight, whatever the messages say', () => {
  const lines = report(REPORT, false).split('\n');
  const first = lines.findIndex((line) => line.startsWith('   0 '));
  const [forth = '', back = '', self = ''] = lines.slice(first, first + 3);
  assert.match(forth, /->\|$/);
  assert.match(back, /\|<-+ 100 Trying \(SDP\) -+\| +\(again\)$/);
  assert.match(self, /o$/);
  assert.ok([forth, self].every((line) => line.length < 160));
  assert.ok(lines.includes('3 more messages were not kept.'));
});

test('the frame digest is FNV-1a 64', () => {
  // Vectors of the FNV reference (draft-eastlake-fnv).
  assert.equal(frameDigest(new Uint8Array(0)), 'cbf29ce484222325');
  assert.equal(frameDigest(Buffer.from('a')), 'af63dc4c8601ec8c');
  assert.equal(frameDigest(Buffer.from('foobar')), '85944171f73967e8');
});

test('the hex dump is whole and printable', () => {
  const bytes = Uint8Array.from({ length: 35 }, (_, i) => i * 7);
  const lines = hexDump(bytes);
  assert.equal(lines.length, 3);
  for (const line of lines) assert.match(line, /^[\u0020-\u007e]+$/);
  assert.deepEqual(
    lines.flatMap((line) => line.slice(8, 55).trim().split(' ')).map((hex) => Number.parseInt(hex, 16)),
    [...bytes].map((b) => b & 255),
  );
  assert.deepEqual(hexDump(new Uint8Array(0)), []);
});
