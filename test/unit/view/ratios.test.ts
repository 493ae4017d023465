/** ASR, NER and PDD of calls: what counts. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { AskFindings } from '../../../src/contract/index.ts';
import { ALL_CALLS } from '../../../src/explore/question.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const PBX: Endpoint = { address: '192.0.2.10', port: 5060 };
const TRUNK: Endpoint = { address: '2001:db8::7', port: 5060 };
const PBX6: Endpoint = { address: '2001:db8::a', port: 5060 };

let made = 0;

/** An INVITE that rings after `ringMs`, if it does, and ends so; 0 leaves it open. */
function call(src: Endpoint, dst: Endpoint, status: number, ringMs: number | null = null): SipScript {
  const at = made++;
  const script = new SipScript({
    callId: `call-${at}`,
    caller: { user: 'a', sip: src, rtp: src },
    callee: { user: 'b', sip: dst, rtp: dst },
    startUs: EPOCH_US + at * 10_000,
  });
  const invite = script.request('INVITE', 0);
  if (ringMs !== null) script.respond(invite, 180, ringMs);
  if (status === 487) script.respond(script.cancel(invite, 5000), 200, 5001);
  if (status !== 0) script.respond(invite, status, 6000);
  return script;
}

async function found(t: TestContext, calls: readonly SipScript[]): Promise<AskFindings> {
  const capture = new Capture();
  for (const { messages } of calls) capture.add(messages);
  const { session } = await readCapture(t, capture.pcap());
  return (await session.explorer.findings(ALL_CALLS)) as AskFindings;
}

test('answered, and ended by people; what still rings and what is no INVITE is not tried', async (t) => {
  const ping = new SipScript({
    callId: 'ping',
    caller: { user: 'a', sip: PBX, rtp: PBX },
    callee: { user: 'b', sip: TRUNK, rtp: TRUNK },
    startUs: EPOCH_US,
  });
  ping.respond(ping.request('OPTIONS', 0), 200, 10);
  const calls = [
    ...[200, 200, 486, 480, 487, 600, 603, 503, 404, 302].map((status) => call(PBX, PBX, status)),
    call(PBX, PBX, 0),
    call(PBX, PBX, 0, 100),
    ping,
  ];
  const { ratios } = await found(t, calls);
  assert.deepEqual(
    [ratios.tried, ratios.answered, ratios.effective, ratios.asr_pct, ratios.ner_pct],
    [10, 2, 7, 20, 70],
  );
  assert.deepEqual((await found(t, [ping])).ratios, { tried: 0, answered: 0, effective: 0 });
});

test('of 20 delays the nineteenth is the one that 95 % do not exceed', async (t) => {
  const calls = Array.from({ length: 20 }, (_, i) => call(TRUNK, PBX6, 200, (i + 1) * 10));
  const all = { tried: 20, answered: 20, effective: 20, asr_pct: 100, ner_pct: 100, pdd_p95_ms: 190 };
  assert.deepEqual((await found(t, calls)).ratios, all);
});
