/**
 * Calls that share their media sockets, as a load generator's do: whose a stream is cannot be told, so its absence from one
 * call is no fault of that call.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { talk } from '../../../fixtures/build/case-kit.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { Diagnosis } from '../../../src/contract/index.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const LONG = { count: 290 };

type Outcome = { readonly streams: number[]; readonly diagnoses: Diagnosis[] };

/** Two calls of eight seconds that name the same sockets, the second 100 ms behind the first. */
async function outcome(
  t: TestContext,
  media: (first: SipScript, second: SipScript) => ReturnType<typeof talk>[],
  behindUs = 100_000,
): Promise<Outcome> {
  const first = basicCall('shared-1', { byeMs: 8200 });
  const second = basicCall('shared-2', { byeMs: 8200, startUs: EPOCH_US + behindUs });
  const capture = new Capture().add(first.messages).add(second.messages);
  for (const { datagrams } of media(first, second)) capture.add(datagrams);
  const { session } = await readCapture(t, capture.pcap());
  const documents = [first, second].map((call) => {
    const d = session.dialogs.get(call.callId);
    assert.ok(d !== undefined);
    return dialogDocument(session.evidence, d);
  });
  return { streams: documents.map((d) => d.streams.length), diagnoses: documents.map((d) => d.diagnosis) };
}

test('a stream that the newer call got is not missed in the older one', async (t) => {
  // The callee of the first call begins to speak when the second call has been answered as well.
  const { streams, diagnoses } = await outcome(t, (first, second) => [
    talk(first, ALICE, BOB, LONG),
    talk(first, BOB, ALICE, { ...LONG, fromMs: 2400 }),
    talk(second, ALICE, BOB, LONG),
    talk(second, BOB, ALICE, LONG),
  ]);
  assert.deepEqual(streams, [1, 3]);
  for (const d of diagnoses) assert.deepEqual([d.one_way_audio, d.no_media], [false, false]);
});

test('a call whose streams all went to the newer one is not without media', async (t) => {
  const { streams, diagnoses } = await outcome(t, (first, second) => [
    talk(first, ALICE, BOB, { ...LONG, fromMs: 2400 }),
    talk(first, BOB, ALICE, { ...LONG, fromMs: 2400 }),
    talk(second, ALICE, BOB, LONG),
    talk(second, BOB, ALICE, LONG),
  ]);
  assert.deepEqual(streams, [0, 4]);
  for (const d of diagnoses) assert.deepEqual([d.one_way_audio, d.no_media], [false, false]);
});

test('one-way audio stays one-way audio where the sockets are shared one after the other', async (t) => {
  const { streams, diagnoses } = await outcome(
    t,
    (first, second) => [talk(first, ALICE, BOB, LONG), talk(first, BOB, ALICE, LONG), talk(second, ALICE, BOB, LONG)],
    10_000_000,
  );
  assert.deepEqual(streams, [2, 1]);
  assert.deepEqual(
    diagnoses.map((d) => d.one_way_audio),
    [false, true],
  );
});

test('and where nobody answers in any of the calls', async (t) => {
  const { diagnoses } = await outcome(t, (first, second) => [
    talk(first, ALICE, BOB, LONG),
    talk(second, ALICE, BOB, LONG),
  ]);
  assert.deepEqual(
    diagnoses.map((d) => d.one_way_audio),
    [true, true],
  );
});
