/** ICMP errors about media: what a stranger invents is not looked at for each call, and no call names all of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointKey } from '../../../../src/core/ip.ts';
import { endpointKeyFromText } from '../../../../src/core/ip.ts';
import type { IcmpError } from '../../../../src/decode/icmp.ts';
import { PROTOCOL_UDP } from '../../../../src/decode/icmp.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { IcmpMediaTally, MAX_DIALOG_ICMP_FLOWS, MAX_ICMP_FLOWS } from '../../../../src/store/icmp/icmp-media.ts';
import type { EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import type { StreamStore } from '../../../../src/store/media/stream-store.ts';

const ERROR = {
  ipVersion: 4,
  type: 3,
  code: 3,
  protocol: PROTOCOL_UDP,
  srcPort: 5000,
  dstPort: 6000,
  payloadStart: 0,
  payloadEnd: 0,
} as unknown as IcmpError;
const CALL = { slot: 0 } as Dialog;
const NAMED = endpointKeyFromText('192.0.2.9', 7000) ?? assert.fail();
const at = (n: number): EndpointKey => endpointKeyFromText(`10.0.${n >> 8}.${n & 255}`, 5000) ?? assert.fail();

/** A tally over stores in which one call named one socket; how often streams were looked up. */
function tally() {
  const known = { opened: 0, looks: 0 };
  const endpoints = {
    size: 1,
    latest: (key: EndpointKey) => (key === NAMED ? 1 : -1),
    dialogOf: (row: number) => (row === 1 ? CALL : null),
  };
  const streams = {
    get opened() {
      return known.opened;
    },
    at() {
      known.looks++;
      return [];
    },
    bySsrc: () => [],
  };
  const made = new IcmpMediaTally(endpoints as unknown as EndpointIndex, streams as unknown as StreamStore);
  return { made, known };
}

test('errors about nobody are looked at again as calls come, a few for each', () => {
  const looksOf = (flows: number): number => {
    const { made, known } = tally();
    for (let n = 0; n < flows; n++) made.add(ERROR, Buffer.alloc(0), at(n), at(n + 8192), '192.0.2.1', n);
    assert.equal(made.flowCount, flows);
    made.ofDialog(CALL);
    const before = known.looks;
    for (let calls = 0; calls < 1_000; calls++) {
      known.opened += 2;
      made.ofDialog(CALL);
    }
    return (known.looks - before) / 1_000;
  };
  assert.ok(looksOf(32) >= 32, 'a few flows are looked at whenever something came');
  const most = looksOf(MAX_ICMP_FLOWS);
  assert.ok(most <= 1_024, `${most} looks a call`);
});

test('of very many flows that are tied to one call some are named, and the rest is counted', () => {
  const { made } = tally();
  for (let n = 0; n < 1_000; n++) made.add(ERROR, Buffer.alloc(0), at(n), NAMED, '192.0.2.1', n);
  assert.equal(made.ofDialog(CALL).length, MAX_DIALOG_ICMP_FLOWS);
  assert.equal(made.beyondDialog, 1_000 - MAX_DIALOG_ICMP_FLOWS);
});
