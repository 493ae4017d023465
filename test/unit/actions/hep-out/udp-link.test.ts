/** What waits leaves by UDP in one go; what was not sent comes back, and stays in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backlog } from '../../../../src/actions/hep-out/backlog.ts';
import type { Block } from '../../../../src/actions/hep-out/block.ts';
import { Destination } from '../../../../src/actions/hep-out/destination.ts';
import { hepOutCounters } from '../../../../src/actions/hep-out/link.ts';
import { HEP_OUT_BYTES, UdpLink } from '../../../../src/actions/hep-out/udp-link.ts';
import type { NativeBinding } from '../../../../src/sources/native.ts';

const PACKET_BYTES = 20;
const ENOBUFS = 105;

/** Packets that carry these numbers. */
function block(...numbers: number[]): Block {
  const bytes = Buffer.alloc(numbers.length * PACKET_BYTES);
  for (const [i, number] of numbers.entries()) {
    const at = i * PACKET_BYTES;
    bytes.write('HEP3', at, 'latin1');
    bytes.writeUInt16BE(PACKET_BYTES, at + 4);
    bytes.writeUInt32BE(number, at + 16);
  }
  return { bytes, messages: numbers.length, madeMs: performance.now() };
}

function numbersOf(runs: readonly Uint8Array[]): number[] {
  const bytes = Buffer.concat(runs);
  return Array.from({ length: bytes.length / PACKET_BYTES }, (_, i) => bytes.readUInt32BE(i * PACKET_BYTES + 16));
}

type Send = Parameters<NativeBinding['sendMirror']>;

/** A link whose sends are answered by the test. */
async function linkOf(): Promise<{ destination: Destination; sends: Send[] }> {
  const sends: Send[] = [];
  const counters = hepOutCounters();
  const native = {
    openMirror: () => 7,
    mirrorName: () => null,
    mirrorError: () => 0,
    closeSocket: () => 0,
    sendMirror: (...send: Send) => void sends.push(send),
  };
  const owner = {
    counters,
    onChange: () => destination.pump(),
    onUnsent: (unsent: Block) => destination.putBack(unsent),
    onTrouble: () => undefined,
  };
  const link = new UdpLink('127.0.0.1', 9060, { agentId: 1 }, owner, native);
  const destination = new Destination([link], new Backlog(HEP_OUT_BYTES, null, counters, () => destination.pump()));
  await destination.start();
  return { destination, sends };
}

test('all blocks that came while the link was sending leave together, in order', async () => {
  const { destination, sends } = await linkOf();
  destination.add(block(1));
  for (let n = 2; n <= 9; n++) destination.add(block(n));
  const [, , , done] = sends[0] ?? assert.fail('the first block is sent at once');
  done(1, PACKET_BYTES, 0, PACKET_BYTES, 0);
  assert.deepEqual(
    sends.map(([, runs]) => numbersOf(runs)),
    [[1], [2, 3, 4, 5, 6, 7, 8, 9]],
  );
  destination.close();
});

test('what an error left unsent is sent before what came later', async () => {
  const { destination, sends } = await linkOf();
  destination.add(block(1));
  destination.add(block(2, 3));
  destination.add(block(4, 5));
  destination.add(block(6));
  sends[0]?.[3](1, PACKET_BYTES, 0, PACKET_BYTES, 0);
  // The network took one packet of the second block.
  sends[1]?.[3](1, PACKET_BYTES, 0, PACKET_BYTES, ENOBUFS);
  const seen: number[] = [];
  // A keep-alive, and the blocks when the link is taken to be up again.
  for (let i = 2; seen.length < 4; i++) {
    while (sends[i] === undefined) await sleep(20);
    const [, runs, , done] = sends[i] ?? assert.fail();
    const bytes = runs.reduce((sum, { length }) => sum + length, 0);
    if (runs.every(({ length }) => length % PACKET_BYTES === 0)) seen.push(...numbersOf(runs));
    done(runs.length, bytes, 0, bytes, 0);
  }
  assert.deepEqual(seen, [3, 4, 5, 6]);
  destination.close();
});
