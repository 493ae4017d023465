/** HEP over real loopback connections: who is let in, what is framed, what is counted. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { hep3 } from '../../../../fixtures/build/hep.ts';
import { ServiceError } from '../../../../src/core/errors.ts';
import { ipText } from '../../../../src/core/ip.ts';
import { hep3Length } from '../../../../src/decode/hep/hep.ts';
import { HepAllow } from '../../../../src/sources/hep/allow.ts';
import { HEP_TCP_PAUSE_MS, type HepTcpOptions, HepTcpServer } from '../../../../src/sources/hep/tcp.ts';
import { hepOf, payloadOf } from '../../../helpers/hep-packet.ts';
import { SOON_MS, untilHolds } from '../../../helpers/patience.ts';

type Seen = { text: string; from: string; to: string; srcPort: number; dstPort: number; tsUs: number };

type Bed = { server: HepTcpServer; port: number; seen: Seen[]; open(from?: string): Promise<Socket> };

async function serve(t: TestContext, options: Partial<HepTcpOptions> = {}, allow = ['127.0.0.1', '::1']): Promise<Bed> {
  const seen: Seen[] = [];
  const list = HepAllow.parse(allow);
  const server = new HepTcpServer({
    lengthAt: hep3Length,
    allows: (address, version) => list.allows(address, version),
    admit: () => 'taken',
    onPacket: (b, start, end, a) => {
      seen.push({
        text: payloadOf(hepOf(b, start, end)),
        from: ipText(a.addresses, a.srcOff, a.ipVersion),
        to: ipText(a.addresses, a.dstOff, a.ipVersion),
        srcPort: a.srcPort,
        dstPort: a.dstPort,
        tsUs: a.tsUs,
      });
      return null;
    },
    tls: null,
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
      admit: (address, version, _b, start, end) => {
        judged.push(`${ipText(address, 0, version)} ${end - start}`);
        return 'taken';
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
    const bed = await serve(t, { admit: () => (left-- > 0 ? 'taken' : 'over_rate') });
    const socket = await bed.open();
    socket.write(Buffer.concat(['a', 'b', 'c', 'd'].map(hep)));
    await untilHolds(() => bed.server.counts.packets === 4);
    assert.equal(bed.server.counts.overRate, 1);
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

  it('a TLS handshake is refused at once, whatever its pieces; what only begins so is not', async (t) => {
    const said: string[] = [];
    const bed = await serve(t, {
      onStranger: (what, a) => said.push(`${what} ${ipText(a.addresses, a.srcOff, a.ipVersion)}`),
    });
    for (const pieces of [['\x16\x03\x01\x02\x00'], ['\x16', '\x03\x01'], ['\x16\x03']]) {
      const socket = await bed.open();
      socket.setNoDelay(true);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      for (const piece of pieces) {
        socket.write(Buffer.from(piece, 'latin1'));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await closed;
    }
    assert.equal(bed.server.counts.closedTls, 3);
    assert.deepEqual(said, ['tls 127.0.0.1', 'tls 127.0.0.1', 'tls 127.0.0.1']);
    const agent = await bed.open();
    agent.write(hep('one').subarray(0, 4));
    await new Promise((resolve) => setTimeout(resolve, 20));
    agent.write(Buffer.concat([hep('one').subarray(4), Buffer.from('\x16\x03'), hep('two')]));
    await untilHolds(() => bed.seen.length === 2);
    assert.equal(bed.server.counts.notHep, 3);
  });

  it('says once of a connection that it brings no HEP', async (t) => {
    const said: string[] = [];
    const bed = await serve(t, { onStranger: (what) => said.push(what) });
    const socket = await bed.open();
    for (let i = 0; i < 20; i++) socket.write('GET / HTTP/1.1\r\n\r\n');
    await untilHolds(() => bed.server.counts.skippedBytes === 20 * 18);
    assert.deepEqual(said, ['other']);
    assert.equal(bed.server.counts.notHep, 1);
  });

  it('hangs up on who brings no key, and not on an agent that brought it', async (t) => {
    const bed = await serve(t, {
      admit: (_address, _version, b, start, end) =>
        Buffer.from(b.subarray(start, end)).includes('key') ? 'taken' : 'auth_failed',
    });
    const stranger = await bed.open();
    stranger.write(Buffer.concat(Array.from({ length: 1_000 }, () => hep('none'))));
    await new Promise((resolve) => stranger.once('close', resolve));
    assert.equal(bed.server.counts.packets, 1);
    assert.equal(bed.server.counts.closedWithoutKey, 1);
    const agent = await bed.open();
    agent.write(Buffer.concat([hep('key'), hep('none'), hep('key')]));
    await untilHolds(() => bed.server.counts.packets === 4);
    assert.equal(bed.server.connections, 1);
  });

  it('reads no further for a while from who is over the rate', async (t) => {
    let judged = 0;
    const bed = await serve(t, { admit: () => (judged++ === 0 ? 'taken' : 'over_rate') });
    const socket = await bed.open();
    const flood = Buffer.concat(Array.from({ length: 500 }, () => hep('x')));
    const send = (): void => {
      while (!socket.destroyed && socket.write(flood));
      if (!socket.destroyed) socket.once('drain', send);
    };
    const begun = performance.now();
    send();
    await new Promise((resolve) => setTimeout(resolve, 6 * HEP_TCP_PAUSE_MS));
    // Between two pauses comes what one reading of the socket brings, however fast the sender is.
    const readings = (performance.now() - begun) / HEP_TCP_PAUSE_MS + 2;
    const { packets } = bed.server.counts;
    assert.ok(judged <= readings + 1, 'the rest of a reading is not judged one by one');
    assert.equal(bed.server.counts.overRate, packets - judged);
    assert.ok(packets > 1 && packets <= readings * (65_536 / hep('x').length), String(packets));
  });

  it('who holds all places in silence keeps no agent out', async (t) => {
    const bed = await serve(t, { maxConnections: 8 }, ['127.0.0.0/8']);
    const idle = await Promise.all(Array.from({ length: 8 }, () => bed.open('127.0.0.9')));
    await untilHolds(() => bed.server.connections === 8);
    for (let i = 1; i <= 4; i++) (await bed.open(`127.0.0.${i}`)).write(hep(`agent ${i}`));
    await untilHolds(() => bed.seen.length === 4);
    assert.equal(bed.server.counts.evicted, 4);
    assert.equal(bed.server.connections, 8);
    await untilHolds(() => idle.filter((socket) => socket.destroyed).length === 4);
    const more = await bed.open('127.0.0.9');
    await untilHolds(() => more.destroyed);
    assert.equal(bed.server.counts.refusedFull, 1);
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
      admit: () => 'taken',
      onPacket: () => null,
      tls: null,
    });
    t.after(() => second.close());
    await assert.rejects(second.listen('127.0.0.1', bed.port), (e) => {
      return e instanceof ServiceError && e.code === 'HEP_BIND_FAILED' && /in use/.test(e.message);
    });
  });
});
