/** ICMP errors on a mirror port that shows each packet twice count once; those that only look alike count each. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../fixtures/build/basic-call.ts';
import { networkCases } from '../../../fixtures/build/calls-network.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { icmpError } from '../../../fixtures/build/icmp.ts';
import { udpPacket } from '../../../fixtures/build/packet.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const FILE_HEADER = 24;
const RECORD_HEADER = 16;
/** Between the ingress and the egress side of a switch. */
const APART_US = 80;

/** The pcap file with a copy behind each frame. */
function doubled(file: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [file.subarray(0, FILE_HEADER)];
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = FILE_HEADER; at < file.length; ) {
    const end = at + RECORD_HEADER + view.getUint32(at + 8, true);
    const copy = file.slice(at, end);
    const time = new DataView(copy.buffer);
    const us = time.getUint32(4, true) + APART_US;
    time.setUint32(0, time.getUint32(0, true) + Math.floor(us / 1e6), true);
    time.setUint32(4, us % 1e6, true);
    parts.push(file.subarray(at, end), copy);
    at = end;
  }
  return Buffer.concat(parts);
}

/** What ICMP said about each call, without the indexes of messages. */
function said(session: OpenSession): unknown[] {
  return [...session.dialogs.oldestFirst()].map((d) => {
    const { icmp_media, signaling_diagnosis } = dialogDocument(session.evidence, d);
    const { evidence, ...unreachable } = signaling_diagnosis?.icmp_unreachable ?? {};
    return { icmp_media, unreachable, hasEvidence: (evidence?.length ?? 0) > 0 };
  });
}

test('every frame twice: the errors of each case are what they are once', async (t) => {
  const cases = networkCases().filter(({ name }) => name.startsWith('icmp-'));
  assert.equal(cases.length, 5);
  for (const { name, bytes } of cases) {
    const once = (await readCapture(t, bytes)).session;
    const twice = (await readCapture(t, doubled(bytes))).session;
    assert.ok(once.ingest.icmp.errors > 0, name);
    assert.deepEqual(
      [twice.ingest.icmp.errors, twice.ingest.icmp.duplicateFrames],
      [once.ingest.icmp.errors, once.ingest.icmp.errors],
      name,
    );
    assert.equal(once.ingest.icmp.duplicateFrames, 0, name);
    assert.deepEqual(said(twice), said(once), name);
  }
});

/** Errors about one datagram of Alice's, by how long after the first they come. */
async function errors(t: TestContext, later: readonly number[], packet = lost()): Promise<number> {
  const capture = new Capture().addPackets(later.map((us) => ({ tsUs: EPOCH_US + us, bytes: packet })));
  return (await readCapture(t, capture.pcap())).session.ingest.icmp.errors;
}

function lost(id = 7): Uint8Array {
  const packet = udpPacket(ALICE.rtp, BOB.rtp, new Uint8Array(172));
  const error = icmpError({ from: BOB.rtp.address, to: ALICE.rtp.address, type: 3, code: 3, packet });
  new DataView(error.buffer, error.byteOffset).setUint16(4, id);
  return error;
}

test('three copies are one error, and what comes later or with an identification of its own is another', async (t) => {
  assert.equal(await errors(t, [0, 100, 200]), 1);
  assert.equal(await errors(t, [0, 20_000, 40_000]), 3);
  const pairs: number[][] = [];
  for (const id of [7, 9, 11, 13]) {
    const packets = [id, id + 1, id, id + 1].map((one, i) => ({ tsUs: EPOCH_US + i * 100, bytes: lost(one) }));
    const { icmp } = (await readCapture(t, new Capture().addPackets(packets).pcap())).session.ingest;
    pairs.push([icmp.errors, icmp.duplicateFrames]);
  }
  // One pair of 512 shares a place in the table, by a key that is drawn anew: the two forget each other.
  const known = pairs.filter(([errors, copies]) => errors === 2 && copies === 2);
  assert.ok(known.length >= 3, JSON.stringify(pairs));
});
