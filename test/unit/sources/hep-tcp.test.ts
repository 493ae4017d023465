/** HEP over real loopback connections: who is let in, what is framed, what is counted. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { hep3 } from '../../../fixtures/build/hep.ts';
import { ServiceError } from '../../../src/core/error.ts';
import { ipText } from '../../../src/core/ip.ts';
import { hep3Length, parseHep } from '../../../src/decode/hep.ts';
import { HepAllow } from '../../../src/sources/hep-allow.ts';
import { type HepTcpOptions, HepTcpServer } from '../../../src/sources/hep-tcp.ts';
import { SOON_MS, untilHolds } from '../../helpers/patience.ts';

type Seen = { text: string; from: string; to: string; srcPort: number; dstPort: number; tsUs: number };

type Bed = { server: HepTcpServer; port: number; seen: Seen[]; open(from?: string): Promise<Socket> };

async function serve(t: TestContext, options: Partial<HepTcpOptions> = {}, allow = ['127.0.0.1', '::1']): Promise<Bed> {
  const seen: Seen[] = [];
  const list = HepAllow.parse(allow);
  const server = new HepTcpServer({
    lengthAt: hep3Length,
    allows: (address, version) => list.allows(address, version),
    admit: () => true,
    onPacket: (b, start, end, a) => {
      const p = parseHep(b, start, end);
      assert.ok(p.ok);
      seen.push({
        text: Buffer.from(p.value.bytes.subarray(p.value.start, p.value.end)).toString(),
        from: ipText(a.src, 0, a.ipVersion),
        to: ipText(a.dst, 0, a.ipVersion),
        srcPort: a.srcPort,
        dstPort: a.dstPort,
        tsUs: a.tsUs,
      });
    },
    ...options,
  });
  const port = await server.listen('127.0.0.1', 0);
  t.after(() => server.close());
  const open = async (from = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  };
  return { server, port, seen, open };
}

function hep(text: string): Buffer {
  const [src, dst] = [
    { address: '10.0.0.1', port: 5060 },
    { address: '10.0.0.2', port: 5061 },
  ];
  return Buffer.from(hep3({ src, dst, tsUs: 1_700_000_000_000_000, payload: Buffer.from(text) }));
}

describe('HEP over TCP', { timeout: 120_000 }, () => {
  it('delivers packets with their two ends', async (t) => {
    const bed = await serve(t);
    const socket = await bed.open();
    const before = Date.now() * 1000;
    socket.write(Buffer.concat([hep('one'), hep('two'), hep('three').subarray(0, 20)]));
    await untilHolds(() => bed.seen.length === 2);
    socket.write(hep('three').subarray(20));
    await untilHolds(() => bed.seen.length === 3);
    assert.deepEqual(
      bed.seen.map((s) => s.text),
      ['one', 'two', 'three'],
    );
    const first = bed.seen[0] ?? assert.fail();
    assert.deepEqual(
      [first.from, first.to, first.srcPort, first.dstPort],
      ['127.0.0.1', '127.0.0.1', socket.localPort, bed.port],
    );
    assert.ok(first.tsUs >= before && first.tsUs <= Date.now() * 1000);
    assert.equal(bed.server.connections, 1);
    assert.equal(bed.server.counts.packets, 3);
  });

  it('an unlisted sender is cut off and told to the gate', async (t) => {
    const judged: string[] = [];
    const bed = await serve(t, {
      admit: (address, version, bytes) => {
        judged.push(`${ipText(address, 0, version)} ${bytes}`);
        return true;
      },
    });
    const socket = await bed.open('127.0.0.2');
    socket.write(hep('never'));
    await new Promise((resolve) => socket.once('close', resolve));
    assert.deepEqual(judged, ['127.0.0.2 0']);
    assert.equal(bed.server.counts.refusedAddress, 1);
    assert.equal(bed.server.counts.accepted, 0);
    assert.deepEqual(bed.seen, []);
  });

  it('a packet the gate refuses goes nowhere', async (t) => {
    let left = 2;
    const bed = await serve(t, { admit: () => left-- > 0 });
    const socket = await bed.open();
    socket.write(Buffer.concat(['a', 'b', 'c', 'd'].map(hep)));
    await untilHolds(() => bed.server.counts.packets === 4);
    assert.deepEqual(
      bed.seen.map((s) => s.text),
      ['a', 'b'],
    );
  });

  it('steps over what is no HEP, and hangs up on who speaks none', async (t) => {
    const bed = await serve(t);
    const good = await bed.open();
    good.write(Buffer.concat([Buffer.from('noise'), hep('found')]));
    await untilHolds(() => bed.seen.length === 1);
    assert.equal(bed.server.counts.resyncs, 1);
    assert.equal(bed.server.counts.skippedBytes, 5);
    const other = await bed.open();
    other.write(Buffer.alloc(300_000, 0x61));
    await untilHolds(() => bed.server.counts.closedNotHep === 1);
    good.write(hep('still here'));
    await untilHolds(() => bed.seen.length === 2);
  });

  it('has a cap on connections', async (t) => {
    const bed = await serve(t, { maxConnections: 2 });
    const first = await bed.open();
    await bed.open();
    await untilHolds(() => bed.server.connections === 2);
    const third = await bed.open();
    await new Promise((resolve) => third.once('close', resolve));
    assert.equal(bed.server.counts.refusedFull, 1);
    first.destroy();
    await untilHolds(() => bed.server.connections === 1);
    (await bed.open()).write(hep('room again'));
    await untilHolds(() => bed.seen.length === 1);
  });

  it('ends a silent connection and counts what it cut', async (t) => {
    const bed = await serve(t, { idleMs: 50 });
    const socket = await bed.open();
    socket.write(hep('whole').subarray(0, 10));
    await new Promise((resolve) => socket.once('close', resolve));
    await untilHolds(() => bed.server.connections === 0);
    assert.equal(bed.server.counts.closedIdle, 1);
    assert.equal(bed.server.counts.cutPackets, 1);
  });

  it('closes at once with connections open, and twice', async (t) => {
    const bed = await serve(t);
    await bed.open();
    await untilHolds(() => bed.server.connections === 1);
    const start = performance.now();
    await Promise.all([bed.server.close(), bed.server.close()]);
    assert.ok(performance.now() - start < SOON_MS);
  });

  it('an address in use is one clear line', async (t) => {
    const bed = await serve(t);
    const second = new HepTcpServer({
      lengthAt: hep3Length,
      allows: () => true,
      admit: () => true,
      onPacket: () => {},
    });
    t.after(() => second.close());
    await assert.rejects(second.listen('127.0.0.1', bed.port), (e) => {
      return e instanceof ServiceError && e.code === 'HEP_BIND_FAILED' && /in use/.test(e.message);
    });
  });
});
