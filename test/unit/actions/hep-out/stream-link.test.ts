/** -H over TCP against real sockets: all of several collectors, failover, and what is counted when one is killed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Collector, HepOutCarrier, HepOutOptions } from '../../../../src/actions/hep-out/hep-out.ts';
import { HepOut } from '../../../../src/actions/hep-out/hep-out.ts';
import { HEP_OUT_LOSSES } from '../../../../src/actions/hep-out/link.ts';
import { StreamCollector } from '../../../helpers/hep-collectors.ts';
import { hepOf, payloadOf } from '../../../helpers/hep-packet.ts';
import { freePort, untilHolds } from '../../../helpers/patience.ts';

const carrier: HepOutCarrier = {
  tsUs: 1_700_000_000_123_456,
  origin: 0,
  ipVersion: 4,
  addresses: Uint8Array.from({ length: 32 }, (_, i) => i),
  srcOff: 0,
  dstOff: 16,
  srcPort: 5_060,
  dstPort: 5_070,
  vlan: 0,
  dscp: 255,
  tcpFlags: 0,
};

/** Messages are numbers; `got` has those that came, in order. */
async function numbered(t: TestContext): Promise<{ readonly got: number[]; readonly collector: StreamCollector }> {
  const got: number[] = [];
  const collector = new StreamCollector(t, (packet) => got.push(Number(payloadOf(hepOf(packet)).slice(0, 10))));
  await collector.start();
  return { got, collector };
}

async function mirror(t: TestContext, collectors: readonly Collector[], more: Partial<HepOutOptions> = {}) {
  const times = { firstRetryMs: 20, lastRetryMs: 50, connectMs: 10_000, stallMs: 10_000 };
  const out = new HepOut({ collectors, failsOver: false, tls: {}, agentId: 1, times, ...more });
  t.after(() => out.close());
  await out.start();
  return out;
}

function send(out: HepOut, number: number, bytes = 600): void {
  const text = Buffer.alloc(bytes, `${String(number).padStart(10, '0')} `);
  out.mirrorSip(text, 0, text.length, carrier, 17);
}

const tcp = (port: number): Collector => ({ transport: 'tcp', host: '127.0.0.1', port });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('HEP mirror over TCP', { timeout: 120_000 }, () => {
  it('every collector gets every message, in order', async (t) => {
    const [a, b] = [await numbered(t), await numbered(t)];
    const out = await mirror(t, [tcp(a.collector.port), tcp(b.collector.port)]);
    for (const n of upTo(5_000)) {
      send(out, n);
      if (n % 100 === 0) await turn();
    }
    await untilHolds(() => a.got.length === 5_000 && b.got.length === 5_000);
    assert.deepEqual(a.got, upTo(5_000));
    assert.deepEqual(b.got, upTo(5_000));
    await untilHolds(() => out.counters.get('sent') === 10_000);
    assert.equal(out.counters.get('connections'), 2);
  });

  it('with failover the first that is there gets them, and gets them again when it is back', async (t) => {
    const [a, b] = [await numbered(t), await numbered(t)];
    const out = await mirror(t, [tcp(a.collector.port), tcp(b.collector.port)], { failsOver: true });
    const [first] = out.links;
    for (const n of upTo(100)) send(out, n);
    await untilHolds(() => a.got.length === 100);
    assert.equal(b.got.length, 0);
    a.collector.kill();
    await untilHolds(() => first?.isUp === false);
    for (const n of upTo(100)) send(out, 100 + n);
    await untilHolds(() => b.got.length === 100);
    assert.equal(b.got[0], 100);
    await a.collector.start();
    await untilHolds(() => first?.isUp === true);
    for (const n of upTo(100)) send(out, 200 + n);
    await untilHolds(() => a.got.length === 200);
    assert.equal(a.got.at(-1), 299);
    assert.equal(b.got.length, 100);
  });

  it('waits for one that is away, within its memory, the oldest dropped first', async (t) => {
    const told: (string | null)[] = [];
    const { got, collector } = await numbered(t);
    collector.kill();
    const out = await mirror(t, [tcp(collector.port)], { onTrouble: (_name, reason) => told.push(reason) });
    for (const n of upTo(1_500)) send(out, n, 8_000);
    assert.ok(out.waitingBytes <= 8 * 1024 * 1024);
    assert.ok(out.counters.get('queueFull') > 0);
    await collector.start();
    // What was written last is handed over at the next turn, and may push out more.
    await untilHolds(() => got.length === 1_500 - out.counters.get('queueFull'));
    const dropped = out.counters.get('queueFull');
    assert.equal(got[0], dropped);
    assert.equal(got.at(-1), 1_499);
    assert.deepEqual(told, ['nobody listens there', null]);
  });

  it('killed ten times: received + counted <= generated <= received + counted + unconfirmed, none twice', async (t) => {
    const { got, collector } = await numbered(t);
    const out = await mirror(t, [tcp(collector.port)]);
    const { counters } = out;
    let n = 0;
    for (let kill = 0; kill < 10; kill++) {
      const before = got.length;
      for (let i = 0; i < 4_000; i++) {
        send(out, n++);
        if (i % 50 === 0) await turn();
      }
      await untilHolds(() => got.length > before);
      const connections = counters.get('connections');
      collector.kill();
      for (let i = 0; i < 500; i++) send(out, n++);
      await collector.start();
      await untilHolds(() => counters.get('connections') > connections);
    }
    await out.drain(60_000);
    const last = n - 1;
    await untilHolds(() => got.at(-1) === last);
    const counted = HEP_OUT_LOSSES.reduce((sum, name) => sum + counters.get(name), 0);
    const unconfirmed = counters.get('unconfirmed');
    assert.ok(got.length + counted <= n, `${got.length} + ${counted} <= ${n}`);
    assert.ok(n <= got.length + counted + unconfirmed, `${n} <= ${got.length} + ${counted} + ${unconfirmed}`);
    assert.ok(unconfirmed > 0);
    assert.equal(new Set(got).size, got.length, 'none came twice');
    assert.ok(
      got.every((number, i) => i === 0 || number > (got[i - 1] ?? 0)),
      'in order',
    );
  });

  it('a collector that takes nothing is left, and its messages go to the other', async (t) => {
    const { createServer } = await import('node:net');
    const deaf = createServer((socket) => socket.pause().on('error', () => undefined));
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    t.after(() => deaf.close());
    const { port } = deaf.address() as { port: number };
    const { got, collector } = await numbered(t);
    const out = await mirror(t, [tcp(port), tcp(collector.port)], {
      failsOver: true,
      times: { firstRetryMs: 60_000, lastRetryMs: 60_000, connectMs: 10_000, stallMs: 200 },
    });
    const [first] = out.links;
    let n = 0;
    while (first?.isUp === true) {
      send(out, n++, 60_000);
      await turn();
    }
    send(out, n, 600);
    await untilHolds(() => got.at(-1) === n);
    assert.ok(out.counters.get('unconfirmed') > 0);
    assert.equal(out.counters.get('unconfirmed') + got.length + out.counters.get('queueFull') >= n, true);
  });

  it('what waits at the end is counted', async (t) => {
    const out = await mirror(t, [tcp(await freePort())]);
    for (const n of upTo(10)) send(out, n);
    out.close();
    assert.equal(out.counters.get('unsentAtEnd'), 10);
  });
});
