/** The hot path of HEP says of every packet, whole, changed or made up, what the general parser says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hep1, hep2, hep3 } from '../../fixtures/build/hep.ts';
import { parseHep } from '../../src/decode/hep/hep.ts';
import { HepScan, scanHep } from '../../src/decode/hep/scan.ts';

function fromParser(b: Uint8Array): unknown {
  const parsed = parseHep(b, 0, b.length);
  if (!parsed.ok) return parsed.reason;
  const p = parsed.value;
  const size = p.ipVersion === 4 ? 4 : 16;
  return {
    ipVersion: p.ipVersion,
    proto: p.proto,
    src: Buffer.from(p.src.subarray(0, size)).toString('hex'),
    dst: Buffer.from(p.dst.subarray(0, size)).toString('hex'),
    ports: [p.srcPort, p.dstPort],
    tsUs: p.tsUs ?? Number.NaN,
    agentId: p.agentId ?? 0,
    protocolType: p.protocolType,
    payload: Buffer.from(p.bytes.subarray(p.start, p.end)).toString('hex'),
    isCompressed: p.isCompressed,
    authKey: p.authKey === null ? null : Buffer.from(p.authKey).toString('hex'),
  };
}

/** One object for all packets: nothing of one may be left in the next. */
const scan = new HepScan();

function fromScan(b: Uint8Array): unknown {
  const refused = scanHep(b, 0, b.length, scan);
  if (refused !== null) return refused;
  const size = scan.ipVersion === 4 ? 4 : 16;
  const text = (at: number) =>
    // Without a version there is no address: whatever stands there counts as none.
    scan.ipVersion === 0 ? '0'.repeat(32) : Buffer.from(scan.addresses.subarray(at, at + size)).toString('hex');
  return {
    ipVersion: scan.ipVersion,
    proto: scan.proto,
    src: text(scan.srcAt),
    dst: text(scan.dstAt),
    ports: [scan.srcPort, scan.dstPort],
    tsUs: scan.tsUs,
    agentId: scan.agentId,
    protocolType: scan.protocolType,
    payload: Buffer.from(scan.bytes.subarray(scan.start, scan.end)).toString('hex'),
    isCompressed: scan.isCompressed,
    authKey: scan.authKey === null ? null : Buffer.from(scan.authKey).toString('hex'),
  };
}

const chunk = fc
  .record({
    vendor: fc.constantFrom(0, 0, 0, 2, 0x100),
    type: fc.oneof(fc.integer({ min: 0, max: 0x12 }), fc.integer({ min: 0, max: 0xffff })),
    size: fc.constantFrom(0, 1, 2, 4, 16, 5),
    length: fc.constantFrom(null, null, null, null, 0, 5, 6, 0xffff),
    fill: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ vendor, type, size, length, fill }) => {
    const b = Buffer.alloc(6 + size, fill);
    b.writeUInt16BE(vendor, 0);
    b.writeUInt16BE(type, 2);
    b.writeUInt16BE(length ?? 6 + size, 4);
    return b;
  });

const madeUp = fc
  .record({
    chunks: fc.array(chunk, { maxLength: 14 }),
    total: fc.constantFrom(0, 0, 0, 0, 1, -1, -7),
    extra: fc.nat(3),
  })
  .map(({ chunks, total, extra }) => {
    const body = Buffer.concat(chunks);
    const head = Buffer.from('HEP3\0\0', 'latin1');
    head.writeUInt16BE(Math.max(0, 6 + body.length + total), 4);
    return Buffer.concat([head, body, Buffer.alloc(extra)]);
  });

const packet = fc
  .record({
    version: fc.constantFrom(1, 2, 3),
    six: fc.boolean(),
    payload: fc.uint8Array({ maxLength: 60 }),
    tsUs: fc.integer({ min: 0, max: 4_000_000_000 }),
    compressed: fc.boolean(),
    authKey: fc.option(fc.string({ maxLength: 8 }), { nil: undefined }),
    protocolType: fc.constantFrom(1, 5, 100),
    edits: fc.array(fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) }), { maxLength: 3 }),
    cut: fc.option(fc.nat(), { nil: undefined }),
  })
  .map((o) => {
    const address = o.six ? '2001:db8::1' : '192.0.2.1';
    const m = { src: { address, port: 5060 }, dst: { address, port: 5062 }, tsUs: o.tsUs * 1000, payload: o.payload };
    const options = { protocolType: o.protocolType, compressed: o.compressed };
    const made =
      o.version === 1
        ? hep1(m)
        : o.version === 2
          ? hep2(m)
          : hep3(m, o.authKey === undefined ? options : { ...options, authKey: o.authKey });
    const b = Buffer.from(made);
    for (const { at, value } of o.edits) b[at % b.length] = value;
    return o.cut === undefined ? b : b.subarray(0, o.cut % (b.length + 1));
  });

test('both readers of HEP say the same', () => {
  fc.assert(
    fc.property(fc.oneof(packet, madeUp, fc.uint8Array({ maxLength: 80 })), (b) => {
      assert.deepEqual(fromScan(b), fromParser(b));
    }),
    { numRuns: 5000 },
  );
});
