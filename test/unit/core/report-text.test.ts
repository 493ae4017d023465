/** Rows of reports for people: a row a direction that says something, who says it once, and what is not known as a dash. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reported } from '../../../src/core/report-text.ts';
import { REPORT_HEAD, reportLines, reportRows } from '../../../src/core/report-text.ts';

const BOTH: Reported = {
  kind: 'session',
  from: '192.0.2.1',
  side: 'callee',
  verified_by: 'address',
  heard: { loss_pct: 12, discard_pct: 0.5, jitter_ms: 4, mos_lq: 3.1, mos_cq: 3, round_trip_ms: 180.4 },
  sent: { loss_pct: 0 },
  measured: [
    { loss_pct: 0, jitter_ms: 1.25 },
    { loss_pct: 0.4, jitter_ms: 2, mos: 4.3 },
  ],
};

test('a row a direction; of several streams the one that lost most', () => {
  const rows = reportRows([BOTH]);
  assert.deepEqual(rows, [
    [
      'callee 192.0.2.1',
      'vq-rtcpxr',
      'hears',
      '12.0 %',
      '0.5 %',
      '4.0 ms',
      '3.00',
      '180 ms',
      '0.4 % lost, jitter 2.0 ms, MOS 4.30',
    ],
    ['', '', 'sends', '0.0 %', '-', '-', '-', '-', '-'],
  ]);
  for (const row of rows) assert.equal(row.length, REPORT_HEAD.length);
});

test('who is not known is called so, and counts alone make no row', () => {
  const stranger: Reported = { kind: 'hep', from: '203.0.113.9', heard: { loss_pct: 1 } };
  assert.deepEqual(
    reportRows([stranger]).map(([who, form]) => [who, form]),
    [['203.0.113.9 (unverified)', 'HEP']],
  );
  assert.deepEqual(reportRows([{ kind: 'rtp_stat', from: '192.0.2.1', verified_by: 'address', sent: {} }]), []);
});

test('as a line: what is said, by which form, and what was seen here', () => {
  assert.deepEqual(reportLines([BOTH]), [
    'callee 192.0.2.1 hears 12.0 % lost, 0.5 % discarded, jitter 4.0 ms, MOS 3.00, round trip 180 ms (vq-rtcpxr); here 0.4 % lost, jitter 2.0 ms, MOS 4.30',
    'callee 192.0.2.1 sends 0.0 % lost (vq-rtcpxr)',
  ]);
});
