/** Round trips come from echoed sender reports or VoIP metrics, and absence is not zero. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  betterRoundTrip,
  echoRoundTrip,
  reportedRoundTrip,
  SenderReportHistory,
} from '../../../../src/protocols/rtp/round-trip.ts';

const AT = 1_700_000_000_000_000;

test('the example of RFC 3550 section 6.4.1', () => {
  // LSR b705:2000 (46853.125 s), DLSR 5.250 s, the report back at b710:8000 (46864.500 s): 6.125 s.
  const h = new SenderReportHistory();
  h.add(0xb7052000, AT);
  const r = echoRoundTrip(h, 0xb7052000, 0x00054000, AT + 11_375_000);
  assert.deepEqual(r, { ms: 6125, source: 'sender_report_echo' });
});

test('no report heard, an unknown report, a stale or impossible echo: no round trip', () => {
  const h = new SenderReportHistory();
  h.add(0x11112222, AT);
  assert.equal(echoRoundTrip(h, 0, 0, AT + 1000), null);
  assert.equal(echoRoundTrip(h, 0x33334444, 0, AT + 1000), null);
  assert.equal(echoRoundTrip(h, 0x11112222, 65_536, AT + 1000), null);
  assert.equal(echoRoundTrip(h, 0x11112222, 0, AT + 61_000_000), null);
});

test('only the last reports are remembered, and of two alike the newer', () => {
  const h = new SenderReportHistory();
  for (let i = 1; i <= 20; i++) h.add(i, AT + i);
  assert.equal(h.seenUs(20), AT + 20);
  assert.equal(h.seenUs(13), AT + 13);
  assert.equal(h.seenUs(12), null);
  h.add(20, AT + 99);
  assert.equal(h.seenUs(20), AT + 99);
  h.add(0xffffffff, AT);
  assert.equal(h.seenUs(0xffffffff), AT);
});

test('an endpoint that knows its round trip is believed before an echo', () => {
  const xr = reportedRoundTrip(120);
  assert.deepEqual(xr, { ms: 120, source: 'xr_voip_metrics' });
  assert.equal(reportedRoundTrip(0), null);
  assert.equal(reportedRoundTrip(65_535), null);
  const echo = { ms: 30, source: 'sender_report_echo' } as const;
  assert.equal(betterRoundTrip(xr, echo), xr);
  assert.equal(betterRoundTrip(echo, xr), xr);
  assert.equal(betterRoundTrip(echo, null), echo);
  assert.equal(betterRoundTrip(null, null), null);
  assert.deepEqual(betterRoundTrip(echo, { ms: 31, source: 'sender_report_echo' }), {
    ms: 31,
    source: 'sender_report_echo',
  });
});
