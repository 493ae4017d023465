/**
 * STUN and ICMP from hostile bytes: nothing throws or reads past the end, and the two sums of the ICMP tally hold after
 * any errors in any order (attributed and not make all; findings, unkeyed and untracked make all).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { concat } from '../../fixtures/build/bytes.ts';
import { icmpError } from '../../fixtures/build/icmp.ts';
import { type Endpoint, udpPacket } from '../../fixtures/build/packet.ts';
import { CLASS, lifetime, METHOD, mapped, peer, relayed, stun, username } from '../../fixtures/build/stun.ts';
import { endpointKey, parseIpv4 } from '../../src/core/ip.ts';
import { parseIcmpError } from '../../src/decode/icmp.ts';
import { StunTracker } from '../../src/ingest/media/stun-tracker.ts';
import { parseStun } from '../../src/protocols/stun/message.ts';
import { DialogStore } from '../../src/store/dialogs/dialog-store.ts';
import { IcmpMediaTally } from '../../src/store/icmp/icmp-media.ts';
import { EndpointIndex } from '../../src/store/media/endpoint-index.ts';
import { CARRIER } from '../unit/ingest/dialogs/tracker-kit.ts';
import { StreamKit } from '../unit/store/media/stream-kit.ts';

const NO_DIALOGS = new DialogStore(1, () => undefined);
const HOSTS = ['192.0.2.1', '192.0.2.2', '198.51.100.3'];
const endpoint = fc.record({
  address: fc.constantFrom(...HOSTS),
  port: fc.constantFrom(53, 5060, 20000, 20001, 30000),
});

/** A sound message with some bytes changed and the end cut off. */
const damaged = fc
  .tuple(
    fc.constantFrom(...Object.values(CLASS)),
    fc.constantFrom(...Object.values(METHOD)),
    endpoint,
    fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 4 }),
    fc.nat(80),
  )
  .map(([cls, method, e, changes, cut]) => {
    const whole = stun(cls, method, 'x', mapped(e), relayed(e), peer(e), lifetime(60), username('a:b'));
    for (const [at, value] of changes) whole[at] = value;
    return whole.subarray(0, Math.max(0, whole.length - cut));
  });

test('any bytes are a STUN message or have a reason', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 120 }), damaged), fc.nat(4), (bytes, lead) => {
      const held = concat(new Uint8Array(lead), bytes, new Uint8Array(8).fill(0xff));
      const parsed = parseStun(held, lead, lead + bytes.length);
      assert.deepEqual(parsed, parseStun(bytes.slice(), 0, bytes.length), 'what stands around it makes no difference');
    }),
  );
});

test('a tracker takes any of them, under its caps', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(damaged, endpoint, endpoint), { maxLength: 60 }), (messages) => {
      const named: unknown[] = [];
      const tracker = new StunTracker({
        endpoints: new EndpointIndex(NO_DIALOGS),
        name: (key) => named.push(key),
      });
      for (const [bytes, src, dst] of messages) {
        const addresses = new Uint8Array(32);
        const view = new DataView(addresses.buffer);
        view.setUint32(0, parseIpv4(src.address));
        view.setUint32(16, parseIpv4(dst.address));
        tracker.onPacket(bytes, 0, bytes.length, carrier(addresses, src, dst));
      }
      assert.equal(tracker.messages, messages.length);
      assert.deepEqual(named, [], 'nobody has an SDP here');
    }),
    { numRuns: 60 },
  );
});

function carrier(addresses: Uint8Array, src: Endpoint, dst: Endpoint): Parameters<StunTracker['onPacket']>[3] {
  return {
    ...CARRIER,
    addresses,
    srcPort: src.port,
    dstPort: dst.port,
  };
}

test('any bytes are an ICMP error or have a reason', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.constantFrom(4, 6), fc.nat(4), (bytes, version, type) => {
      if (bytes.length > 0) bytes[0] = version === 6 ? (type % 4) + 1 : (bytes[0] ?? 0);
      const held = concat(bytes, new Uint8Array(80).fill(0x45));
      const parsed = parseIcmpError(held, 0, bytes.length, version);
      if (!parsed.ok) return;
      const { payloadStart, payloadEnd, srcOff, dstOff } = parsed.value;
      const size = parsed.value.ipVersion === 6 ? 16 : 4;
      assert.ok(srcOff + size <= bytes.length && dstOff + size <= bytes.length);
      assert.ok(payloadStart <= payloadEnd && payloadEnd <= bytes.length);
    }),
  );
});

test('the sums of the ICMP tally hold whatever comes', () => {
  const error = fc.record({
    src: endpoint,
    dst: endpoint,
    payload: fc.uint8Array({ maxLength: 24 }),
    quoted: fc.integer({ min: 20, max: 60 }),
  });
  fc.assert(
    fc.property(
      fc.array(error, { maxLength: 80 }),
      fc.array(fc.tuple(endpoint, endpoint), { maxLength: 6 }),
      (list, ends) => {
        const endpoints = new EndpointIndex(NO_DIALOGS);
        const kit = new StreamKit(endpoints);
        for (const [src, dst] of ends) kit.accept(kit.open(src, dst));
        const tally = new IcmpMediaTally(endpoints, kit.store);
        let unkeyed = 0;
        for (const { src, dst, payload, quoted } of list) {
          const packet = udpPacket(src, dst, payload);
          const whole = icmpError({ from: dst.address, to: src.address, type: 3, code: 3, packet, quoted });
          const parsed = parseIcmpError(whole, 20, whole.length, 4);
          assert.ok(parsed.ok);
          const e = parsed.value;
          const hasPorts = e.srcPort >= 0;
          if (!hasPorts) unkeyed++;
          const key = (off: number, port: number) => (hasPorts ? endpointKey(whole, off, 4, port) : null);
          tally.add(e, whole, key(e.srcOff, e.srcPort), key(e.dstOff, e.dstPort), dst.address, 1000);
        }
        const flows = [...tally.flows];
        const { errors, media, attributed } = tally.totals();
        const tied = flows.filter((f) => f.attribution !== 'none').reduce((sum, f) => sum + f.errors, 0);
        const found = flows.reduce((sum, f) => sum + f.errors, 0);
        assert.equal(errors, list.length);
        assert.equal(tally.unkeyed, unkeyed);
        assert.equal(attributed, tied);
        assert.ok(attributed <= errors && media <= errors);
        assert.equal(found + tally.unkeyed + tally.untrackedFlows, errors);
      },
    ),
    { numRuns: 60 },
  );
});

test('flows beyond the cap are counted, and the sums still hold', () => {
  const endpoints = new EndpointIndex(NO_DIALOGS);
  const tally = new IcmpMediaTally(endpoints, new StreamKit(endpoints).store);
  const total = 6000;
  for (let i = 0; i < total; i++) {
    const dst = { address: '192.0.2.1', port: 1024 + i };
    const packet = udpPacket({ address: '192.0.2.9', port: 4000 }, dst, new Uint8Array(4));
    const whole = icmpError({ from: dst.address, to: '192.0.2.9', type: 3, code: 3, packet });
    const parsed = parseIcmpError(whole, 20, whole.length, 4);
    assert.ok(parsed.ok);
    const e = parsed.value;
    tally.add(e, whole, endpointKey(whole, e.srcOff, 4, e.srcPort), endpointKey(whole, e.dstOff, 4, e.dstPort), '', i);
  }
  assert.ok(tally.untrackedFlows > 0 && tally.untalliedEndpoints > 0);
  assert.equal(tally.flowCount + tally.untrackedFlows, total);
  assert.equal(tally.totals().errors, total);
});
