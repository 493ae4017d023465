/** Which frames and flows belong to a call: its own messages, its sockets, and no more than its time there. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { bothWays } from '../../../fixtures/build/scene-kit.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import { endpointKeyPort, endpointKeyText } from '../../../src/core/ip.ts';
import { type SelectedFrames, selectFrames } from '../../../src/export/selected-frames.ts';
import { readCaptureFile, temporaryFolder } from '../../helpers/read-capture.ts';

const SECOND = 1_000_000;

async function selectionOf(
  t: TestContext,
  calls: readonly SipScript[],
  chosen: readonly number[],
): Promise<SelectedFrames> {
  const capture = new Capture();
  for (const call of calls) {
    capture.add(call.messages);
    for (const media of bothWays(call, 2240, 4000)) capture.add(media);
  }
  const path = join(temporaryFolder(t), 'calls.pcap');
  writeFileSync(path, capture.pcap());
  const { session } = await readCaptureFile(t, path, [], { keepsFrames: true, writesLater: true });
  const { stores } = session.ingest;
  const dialogs = chosen.map((i) => {
    const dialog = session.dialogs.get(calls[i]?.callId ?? '');
    assert.ok(dialog !== undefined);
    return dialog;
  });
  return selectFrames(dialogs, stores, 1);
}

/** Flows of media, as text: the sockets, and when, in seconds after the first call began. */
function mediaOf({ flows }: SelectedFrames): string[] {
  return flows
    .filter((flow) => !flow.isControl)
    .map(({ a, b, fromUs, toUs }) => {
      const ends = [endpointKeyText(a), endpointKeyText(b)].toSorted((x, y) => x.localeCompare(y)).join(' ');
      return `${ends} ${(fromUs - EPOCH_US) / SECOND} ${(toUs - EPOCH_US) / SECOND}`;
    });
}

const SOCKETS = '192.0.2.10:20000 198.51.100.20:30000';

test('a call has its messages, and its sockets until 32 s after its end', async (t) => {
  const one = await selectionOf(t, [basicCall('one')], [0]);
  assert.equal(one.ordinals.length, 1);
  assert.equal(one.ordinals[0]?.length, 7);
  assert.deepEqual([...(one.ordinals[0]?.subarray(0, 5) ?? [])], [0, 1, 2, 3, 4]);
  assert.deepEqual(mediaOf(one), [`${SOCKETS} 0 ${5.2 + 32}`]);
  assert.equal(one.skippedPairs, 0);
});

test('beside its media there may be RTCP', async (t) => {
  const { flows } = await selectionOf(t, [basicCall('one')], [0]);
  const ports = flows
    .filter((flow) => flow.isControl)
    .map(({ a, b }) => [endpointKeyPort(a), endpointKeyPort(b)].toSorted((x, y) => x - y).join(' '));
  assert.deepEqual(
    ports.toSorted((x, y) => x.localeCompare(y)),
    ['20000 30001', '20001 30000', '20001 30001'],
  );
});

test('the next call on the same sockets has its own time', async (t) => {
  const calls = [basicCall('one'), basicCall('two', { startUs: EPOCH_US + 20 * SECOND })];
  assert.deepEqual(mediaOf(await selectionOf(t, calls, [0])), [`${SOCKETS} 0 20`]);
  assert.deepEqual(mediaOf(await selectionOf(t, calls, [1])), [`${SOCKETS} 20 ${20 + 5.2 + 32}`]);
  assert.deepEqual(mediaOf(await selectionOf(t, calls, [0, 1])), [`${SOCKETS} 0 ${20 + 5.2 + 32}`]);
});

test('a call without an end has its sockets until the next call', async (t) => {
  const endless = basicCall('one');
  endless.messages.splice(-2);
  assert.deepEqual(mediaOf(await selectionOf(t, [endless], [0])), [`${SOCKETS} 0 Infinity`]);
  const next = basicCall('two', { startUs: EPOCH_US + 3600 * SECOND });
  assert.deepEqual(mediaOf(await selectionOf(t, [endless, next], [0])), [`${SOCKETS} 0 3600`]);
});

test('a leg that names the same sockets meanwhile takes nothing away', async (t) => {
  const calls = [basicCall('one'), basicCall('leg', { startUs: EPOCH_US + 50_000 })];
  assert.deepEqual(mediaOf(await selectionOf(t, calls, [0])), [`${SOCKETS} 0 ${5.2 + 32}`]);
});

test('another call between the same hosts is another one', async (t) => {
  const other = basicCall('other', {
    caller: { ...ALICE, rtp: { ...ALICE.rtp, port: 20_002 } },
    callee: { ...BOB, rtp: { ...BOB.rtp, port: 30_002 } },
  });
  const chosen = await selectionOf(t, [basicCall('one'), other], [0]);
  assert.deepEqual(mediaOf(chosen), [`${SOCKETS} 0 ${5.2 + 32}`]);
  assert.equal(chosen.ordinals[0]?.length, 7);
});
