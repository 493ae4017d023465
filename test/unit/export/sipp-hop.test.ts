/** Which messages of a dialog a pair of scenarios replays: those of the hop that the opening request took first. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { finish } from '../../../src/core/turns.ts';
import type { SippHop } from '../../../src/export/sipp-hop.ts';
import { openingHop } from '../../../src/export/sipp-hop.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const newCall = (): SipScript =>
  new SipScript({ callId: 'one@example.com', caller: ALICE, callee: BOB, startUs: EPOCH_US });

async function hopOf(t: TestContext, messages: readonly SipMessage[]): Promise<SippHop | null> {
  const { session } = await readCapture(t, new Capture().add(messages).pcap());
  return finish(openingHop(session.dialogs.get('one@example.com') ?? assert.fail(), session.log));
}

const indexes = (hop: SippHop | null): number[] | undefined => hop?.messages.map((m) => m.index);

test('retransmissions and other hops are left out', async (t) => {
  const script = newCall();
  const options = script.request('OPTIONS', 0);
  script.repeat(options, 500);
  const onwards = script.messages.map((m) => ({
    ...m,
    tsUs: m.tsUs + 1000,
    src: BOB.sip,
    dst: { address: '203.0.113.5', port: 5060 },
    bytes: Buffer.from(
      Buffer.from(m.bytes)
        .toString('latin1')
        .replace(/branch=[^;]*/, 'branch=z9hG4bKnext'),
      'latin1',
    ),
  }));
  script.respond(options, 200, 600);
  const hop = await hopOf(t, [...script.messages, ...onwards]);
  assert.deepEqual(indexes(hop), [0, 4]);
  assert.deepEqual([hop?.caller.host, hop?.callee.host], [ALICE.sip.address, BOB.sip.address]);
  assert.deepEqual([hop?.kept, hop?.elsewhere], [5, 1]);
});

test('a side that sends from one port and listens on another is one side', async (t) => {
  const script = newCall();
  script.respond(script.request('OPTIONS', 0), 200, 10);
  const hop = await hopOf(
    t,
    script.messages.map((m) => (m.status === 0 ? { ...m, src: { ...m.src, port: 50_123 } } : m)),
  );
  assert.deepEqual(indexes(hop), [0, 1]);
});

test('a call that comes through the same hosts again is replayed between its first sockets', async (t) => {
  const script = newCall();
  script.respond(script.request('OPTIONS', 0), 200, 10);
  const again = script.messages.map((m) => ({
    ...m,
    tsUs: m.tsUs + 2000,
    src: { ...m.src, port: m.src.port + 1 },
    dst: { ...m.dst, port: m.dst.port + 1 },
  }));
  const hop = await hopOf(t, [...script.messages, ...again]);
  assert.deepEqual(indexes(hop), [0, 2]);
  assert.equal(hop?.elsewhere, 2);
});

test('without a request there is no hop', async (t) => {
  const script = newCall();
  script.respond(script.request('OPTIONS', 0), 200, 10);
  assert.equal(await hopOf(t, script.messages.slice(1)), null);
});
