/** HEP over real loopback sockets through the native thread: both transports, one gate, nothing lost uncounted. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { ipText } from '../../src/core/ip.ts';
import { hep3Length } from '../../src/decode/hep/hep.ts';
import type { HepListener, HepListenerOptions, NativeHep } from '../../src/sources/hep/listener.ts';
import type { NativeHepCapture } from '../../src/sources/hep/native-hep.ts';
import { loadNative } from '../../src/sources/native.ts';
import { KIND } from '../../src/sources/records.ts';
import { startHepListener } from '../helpers/hep-listener.ts';
import { hepOf, payloadOf } from '../helpers/hep-packet.ts';
import { PATIENCE_MS, SOON_MS, untilHolds } from '../helpers/patience.ts';

/** What the addon exports for the listener. */
type HepBinding = {
  info(): { hepCounterNames: string[]; hepVerdicts: number };
  HepCapture: new (...args: Parameters<NativeHep['create']>) => NativeHepCapture;
};

function nativeHep(): NativeHep | null {
  const binding: object = loadNative();
  if (!('HepCapture' in binding)) return null;
  // The addon's exports have no type of their own; the tests below prove this one.
  const hep = binding as HepBinding;
  const { hepCounterNames, hepVerdicts } = hep.info();
  return {
    counterNames: hepCounterNames,
    verdicts: hepVerdicts,
    create: (options, onSlab) => new hep.HepCapture(options, onSlab),
  };
}

const native = nativeHep();

type Bed = { listener: HepListener; texts: string[]; from: Set<string> };

async function listen(t: TestContext, options: Partial<HepListenerOptions> = {}): Promise<Bed> {
  const texts: string[] = [];
  const from = new Set<string>();
  const take = (b: Buffer, start: number, end: number): void => {
    texts.push(payloadOf(hepOf(b, start, end)));
  };
  const listener = await startHepListener({
    host: '127.0.0.1',
    port: 0,
    allow: ['127.0.0.1'],
    key: null,
    tls: null,
    ratePerSec: 50_000,
    sourceId: 1,
    native: native ?? assert.fail(),
    lengthAt: hep3Length,
    onRecords: (batch, count) => {
      for (let i = 0; i < count; i++) {
        assert.equal(batch.kind(i), KIND.HEP);
        assert.ok(Math.abs(batch.tsUs(i) / 1000 - Date.now()) < PATIENCE_MS);
        from.add(ipText(batch.bytes, batch.srcOff(i), batch.ipVersion(i)));
        take(batch.data, batch.off(i), batch.off(i) + batch.len(i));
      }
    },
    onPacket: (b, start, end) => {
      take(b, start, end);
      return null;
    },
    ...options,
  });
  t.after(() => listener.close());
  return { listener, texts, from };
}

async function sender(t: TestContext, address: string): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  t.after(() => socket.close());
  return socket;
}

function hep(text: string, authKey?: string): Buffer {
  const [src, dst] = [
    { address: '10.0.0.1', port: 5060 },
    { address: '10.0.0.2', port: 5060 },
  ];
  const message = { src, dst, tsUs: 1_700_000_000_000_000, payload: Buffer.from(text) };
  return Buffer.from(hep3(message, authKey === undefined ? {} : { authKey }));
}

const skip = native === null && 'the addon has no HepCapture';

describe('HEP from the network', { timeout: 120_000, skip }, () => {
  it('takes datagrams and connections of listed senders alone', async (t) => {
    const { listener, texts, from } = await listen(t);
    const good = await sender(t, '127.0.0.1');
    const bad = await sender(t, '127.0.0.9');
    for (let i = 0; i < 500; i++) good.send(hep(`udp ${i}`), listener.port, '127.0.0.1');
    for (let i = 0; i < 7; i++) bad.send(hep('never'), listener.port, '127.0.0.1');
    const socket = connect(listener.port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(Buffer.concat([hep('tcp 1'), hep('tcp 2')]));
    await untilHolds(() => texts.length === 502 && listener.counter('not_allowed') === 7);
    assert.equal(texts.filter((s) => s.startsWith('tcp')).length, 2);
    assert.ok(!texts.includes('never'));
    assert.deepEqual([...from], ['127.0.0.1']);
    assert.equal(listener.counter('taken'), 502);
    const [worst, next] = listener.topSenders(2);
    assert.deepEqual([worst?.sender, worst?.counts['not_allowed']], ['127.0.0.9', 7]);
    assert.deepEqual([next?.sender, next?.counts['taken']], ['127.0.0.1', 502]);
  });

  it('one rate for both transports', async (t) => {
    const { listener, texts } = await listen(t, { ratePerSec: 10 });
    const udp = await sender(t, '127.0.0.1');
    for (let i = 0; i < 8; i++) udp.send(hep('u'), listener.port, '127.0.0.1');
    await untilHolds(() => texts.length === 8);
    const socket = connect(listener.port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(Buffer.concat(Array.from({ length: 60 }, () => hep('t'))));
    await untilHolds(() => listener.tcp.counts.packets === 60);
    assert.equal(listener.counter('taken') + listener.counter('over_rate'), 68);
    assert.ok(listener.counter('over_rate') >= 1);
  });

  it('IPv6, and a port that is taken', async (t) => {
    const { listener, texts, from } = await listen(t, { host: '::1', allow: ['::1'] });
    const udp = await sender(t, '::1');
    udp.send(hep('six'), listener.port, '::1');
    await untilHolds(() => texts.length === 1);
    assert.deepEqual([...from], ['::1']);
    assert.deepEqual(listener.urls, [`udp://[::1]:${listener.port}`, `tcp://[::1]:${listener.port}`]);
    await assert.rejects(listen(t, { host: '::1', port: listener.port }), /in use/);
  });

  it('what had come before the stop is analysed: taken is handed over or counted as abandoned', async (t) => {
    const { listener, texts } = await listen(t, { ratePerSec: 1_000_000 });
    const udp = await sender(t, '127.0.0.1');
    const packet = hep('x');
    await Promise.all(
      Array.from(
        { length: 2000 },
        () => new Promise((resolve) => udp.send(packet, listener.port, '127.0.0.1', resolve)),
      ),
    );
    await listener.close();
    const arrived = listener.counter('taken');
    assert.equal(texts.length + listener.abandoned, arrived);
    assert.equal(arrived + listener.counter('kernel_dropped') + listener.counter('ring_full'), 2000);
  });

  it('without the key nothing is taken, nor a part of the rate, by either transport', async (t) => {
    const { listener, texts } = await listen(t, { key: 'sesame', ratePerSec: 4 });
    const udp = await sender(t, '127.0.0.1');
    for (let i = 0; i < 100; i++) udp.send(hep('x', i % 2 === 0 ? 'sesam' : undefined), listener.port, '127.0.0.1');
    await untilHolds(() => listener.counter('auth_failed') === 100);
    const stranger = connect(listener.port, '127.0.0.1');
    stranger.on('error', () => {});
    stranger.write(Buffer.concat(Array.from({ length: 100 }, () => hep('x'))));
    await new Promise((resolve) => stranger.once('close', resolve));
    assert.equal(listener.tcp.counts.closedWithoutKey, 1);
    assert.equal(listener.counter('auth_failed'), 101);
    const agent = connect(listener.port, '127.0.0.1');
    t.after(() => agent.destroy());
    agent.write(Buffer.concat([hep('one', 'sesame'), hep('two', 'sesame')]));
    for (const text of ['three', 'four']) udp.send(hep(text, 'sesame'), listener.port, '127.0.0.1');
    await untilHolds(() => texts.length === 4);
    assert.deepEqual([...texts].sort(), ['four', 'one', 'three', 'two']);
    assert.equal(listener.counter('over_rate'), 0);
  });

  it('stops soon and says nothing after', async (t) => {
    const { listener, texts } = await listen(t);
    const udp = await sender(t, '127.0.0.1');
    for (let i = 0; i < 200; i++) udp.send(hep('x'), listener.port, '127.0.0.1');
    const start = performance.now();
    await listener.close();
    assert.ok(performance.now() - start < SOON_MS);
    const seen = texts.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(texts.length, seen);
  });
});
