/** What waits for a collector leaves oldest first, and what was written one after another leaves together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backlog } from '../../../../src/actions/hep-out/backlog.ts';
import type { Block } from '../../../../src/actions/hep-out/block.ts';
import { BlockWriter, HEP_OUT_SLAB_BYTES, wholePackets } from '../../../../src/actions/hep-out/block.ts';
import type { HepFacts } from '../../../../src/actions/hep-out/hep-encode.ts';
import { HEP_TYPE, HepEncoder } from '../../../../src/actions/hep-out/hep-encode.ts';
import { hepOutCounters } from '../../../../src/actions/hep-out/link.ts';

const FACTS: HepFacts = {
  ...{
    ipVersion: 4,
    proto: 17,
    addresses: new Uint8Array(32),
    srcOff: 0,
    dstOff: 16,
    srcPort: 5060,
    dstPort: 5060,
    tos: 0,
  },
  ...{ tsUs: 1_700_000_000e6, protocolType: HEP_TYPE.SIP, vlan: 0, dscp: 255, tcpFlags: 0 },
};

test('blocks are taken together up to a number of bytes, and no message is lost, doubled or moved', () => {
  const encoder = new HepEncoder({ agentId: 1 });
  const writer = new BlockWriter(encoder);
  const backlog = new Backlog(8 * HEP_OUT_SLAB_BYTES, null, hepOutCounters(), () => undefined);
  const each = 3_000;
  const payload = Buffer.alloc(each);
  const count = Math.floor((3 * HEP_OUT_SLAB_BYTES) / each);
  const most = 2 * HEP_OUT_SLAB_BYTES;
  for (let n = 0; n < count; n++) {
    payload.writeUInt32BE(n, 0);
    const length = encoder.length(FACTS, each);
    if (!writer.write(length, FACTS, payload, 0, each)) assert.fail('each packet is taken before the next one comes');
    backlog.add(writer.take() as Block);
  }
  let [takes, seen] = [0, 0];
  for (let taken = backlog.take(most); taken.length > 0; taken = backlog.take(most)) {
    takes++;
    const { messages, bytes } = wholePackets(Buffer.concat(taken.map((block) => block.bytes)));
    assert.ok(bytes.length <= most);
    assert.equal(
      messages,
      taken.reduce((sum, block) => sum + block.messages, 0),
    );
    for (let i = 0; i < messages; i++, seen++) {
      const end: number = (bytes.length / messages) * (i + 1);
      assert.equal(bytes.readUInt32BE(end - each), seen);
    }
  }
  assert.equal(seen, count);
  assert.equal(takes, 2);
  assert.equal(backlog.bytes, 0);
});
