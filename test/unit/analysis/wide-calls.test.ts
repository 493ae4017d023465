/** Calls as wide as a sender can make them: no step of the judges takes long, however many streams, lines and types meet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialogFactsSteps } from '../../../src/analysis/dialog-facts.ts';
import { MAX_SDP_ENTRIES } from '../../../src/ingest/media/sdp-tracker.ts';
import { MAX_MEDIA } from '../../../src/protocols/sdp/sdp.ts';
import { MAX_DIALOG_STREAMS } from '../../../src/store/media/stream-store.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { CALLEE, CALLER, type WidePlan, wideCall } from '../../helpers/wide-call.ts';

/** The best of three runs is compared: a step may take 10 ms, and a busy machine is given some more. */
const RUNS = 3;
const MOST_MS = 40;

const types = (from: number, count: number): string => Array.from({ length: count }, (_, i) => from + i).join(' ');
/** The first line of each description is at port 4000; of the others each has a port of its own. */
const port = (line: number, nth: number): number => (line === 0 ? 4000 : 10_000 + 2 * ((nth * 64 + line) % 25_000));
const line = (text: string) => (nthLine: number, nth: number) => `m=audio ${port(nthLine, nth)} ${text}\r\n`;

const BASE: WidePlan = {
  descriptions: MAX_SDP_ENTRIES,
  lines: MAX_MEDIA,
  streams: MAX_DIALOG_STREAMS,
  packets: 150,
  section: line('RTP/AVP 0'),
  ends: (s) => (s % 2 === 0 ? [CALLER, 4000, CALLEE, 4000] : [CALLEE, 4000, CALLER, 4000]),
};

const PLANS: Readonly<Record<string, WidePlan>> = {
  'streams to sockets that nobody named': {
    ...BASE,
    ends: (s) => (s % 2 === 0 ? [CALLER, 4000, CALLEE, 5000 + 2 * s] : [CALLEE, 4000, CALLER, 5000 + 2 * s]),
  },
  'types that the last line alone names': {
    ...BASE,
    section: (l, nth) =>
      line(`RTP/AVP ${types(0, 55)}${nth >= MAX_SDP_ENTRIES - 2 && l === MAX_MEDIA - 1 ? ` ${types(100, 8)}` : ''}`)(
        l,
        nth,
      ),
    payloadType: (k) => 100 + ((k >> 3) % 8),
  },
  'types that nobody named, among names without number': {
    ...BASE,
    section: (l, nth) =>
      line(`RTP/AVP ${types(96, 8)}`)(l, nth) +
      Array.from({ length: 8 }, (_, i) => `a=rtpmap:${96 + i} x${nth}y${l}/8000\r\n`).join(''),
    payloadType: (k) => 110 + ((k >> 3) % 8),
  },
  'hosts that each line names anew': {
    ...BASE,
    section: (l, nth) => `${line('RTP/AVP 0')(l, nth)}${l === 0 ? '' : `c=IN IP4 10.${nth}.${l}.1\r\n`}`,
    ends: (s) => (s % 2 === 0 ? [CALLER, 4000, CALLEE, 4000] : [`10.77.1.${s}`, 4000, CALLER, 4000]),
  },
  'SRTP one way, and keys of another kind': {
    ...BASE,
    section: (l, nth) => `${line('RTP/AVP 0')(l, nth)}a=fingerprint:sha-1 00\r\n`,
    payload: (s) => (s % 2 === 0 ? 170 : 160),
  },
};

for (const [name, plan] of Object.entries(PLANS))
  test(`a step is short: ${name}`, async (t) => {
    const { session } = await readCapture(t, wideCall(plan).pcap());
    const d = session.dialogs.get('wide');
    assert.ok(d !== undefined);
    assert.deepEqual([d.sdpCount, session.streams.ownedBy(d).length], [MAX_SDP_ENTRIES, MAX_DIALOG_STREAMS]);
    const best: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const steps = dialogFactsSteps(session.evidence, d);
      for (let at = 0, isDone = false; !isDone; at++) {
        const sinceMs = performance.now();
        isDone = steps.next().done === true;
        best[at] = Math.min(best[at] ?? Number.POSITIVE_INFINITY, performance.now() - sinceMs);
      }
    }
    const most = Math.max(...best);
    assert.ok(most < MOST_MS, `step ${best.indexOf(most)} of ${best.length} took ${most.toFixed(1)} ms`);
  });
