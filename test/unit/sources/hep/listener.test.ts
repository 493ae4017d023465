/** The listener over a stand-in for the native thread: what it refuses, binds, shows and closes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { hep3Length } from '../../../../src/decode/hep/hep.ts';
import type { HepListener, HepListenerOptions, NativeHep } from '../../../../src/sources/hep/listener.ts';
import { type NativeHepOptions, SENDER_ADDRESS_BYTES } from '../../../../src/sources/hep/native-hep.ts';
import { startHepListener } from '../../../helpers/hep-listener.ts';
import { freePort } from '../../../helpers/patience.ts';

const NAMES = ['taken', 'not_allowed', 'too_long', 'over_rate', 'ring_full', 'datagrams', 'kernel_dropped'];
const VERDICTS = 5;

type Fake = NativeHep & { calls: string[]; options?: NativeHepOptions; slab?: (slab: number, records: number) => void };

function fake(overrides: { openErrno?: number; startErrno?: number; portsTaken?: number } = {}): Fake {
  const calls: string[] = [];
  const native: Fake = {
    counterNames: NAMES,
    verdicts: VERDICTS,
    calls,
    create(options, onSlab) {
      native.options = options;
      native.slab = onSlab;
      return {
        open(address, port) {
          calls.push(`open ${address} ${port}`);
          const errno =
            calls.length > (overrides.portsTaken ?? 0) ? (overrides.openErrno ?? 0) : constants.errno.EADDRINUSE;
          return { errno, port: errno === 0 ? port : 0, receiveBuffer: 425_984 };
        },
        halt() {
          calls.push('halt');
        },
        unread: () => 0,
        setOutput(id) {
          calls.push(`setOutput ${id}`);
        },
        start() {
          calls.push('start');
          return overrides.startErrno ?? 0;
        },
        admit: (_address, _version, _packet, start, end) => (end - start > 100 ? 2 : 0),
        topSenders(rows) {
          const view = new DataView(rows.buffer);
          rows.set([192, 0, 2, 7]);
          rows[16] = 4;
          for (let v = 0; v < VERDICTS; v++) view.setBigUint64(SENDER_ADDRESS_BYTES + v * 8, BigInt(v * 10), true);
          return 1;
        },
        close() {
          calls.push('close');
        },
      };
    },
  };
  return native;
}

const options = (native: NativeHep, port: number): HepListenerOptions => ({
  host: '127.0.0.1',
  port,
  allow: [],
  key: null,
  tls: null,
  ratePerSec: 50_000,
  sourceId: 3,
  native,
  lengthAt: hep3Length,
  onRecords: () => {},
  onPacket: () => null,
});

async function started(t: TestContext, o: HepListenerOptions): Promise<HepListener> {
  const listener = await startHepListener(o);
  t.after(() => listener.close());
  return listener;
}

const refusal = (code: string, words: RegExp) => (e: unknown) =>
  e instanceof ServiceError && e.code === code && words.test(e.message) && !e.message.includes('\n');

describe('HEP listener', { timeout: 120_000 }, () => {
  it('hands the native side its memory, list and rate, then starts it last', async (t) => {
    const native = fake();
    const port = await freePort();
    const listener = await started(t, options(native, port));
    assert.deepEqual(native.calls, [`open 127.0.0.1 ${port}`, 'start']);
    assert.deepEqual(
      [native.options?.rate, native.options?.sourceId, native.options?.allow.length, native.options?.counters.length],
      [50_000, 3, 36, NAMES.length],
    );
    assert.deepEqual(listener.urls, [`udp://127.0.0.1:${port}`, `tcp://127.0.0.1:${port}`]);
    assert.equal(listener.port, port);
    assert.equal(listener.receiveBuffer, 425_984);
  });

  it('passes slabs on until it is closed', async (t) => {
    const native = fake();
    const seen: number[] = [];
    const listener = await started(t, {
      ...options(native, await freePort()),
      onRecords: (_batch, count) => seen.push(count),
    });
    native.slab?.(0, 5);
    native.slab?.(63, 7);
    native.slab?.(1, 0);
    await listener.close();
    await listener.close();
    native.slab?.(0, 9);
    assert.deepEqual(seen, [5, 7]);
    assert.deepEqual(native.calls.slice(-1), ['close']);
  });

  it('shows counters and senders by name', async (t) => {
    const native = fake();
    const listener = await started(t, options(native, await freePort()));
    listener.counters[1] = 4n;
    listener.counters[6] = 9n;
    assert.deepEqual(
      [...listener.refused()],
      [
        ['not_allowed', 4],
        ['too_long', 0],
        ['over_rate', 0],
        ['ring_full', 0],
      ],
    );
    assert.equal(listener.counter('kernel_dropped'), 9);
    assert.throws(() => listener.counter('none'), RangeError);
    assert.deepEqual(listener.topSenders(3), [
      { sender: '192.0.2.7', counts: { taken: 0, not_allowed: 10, too_long: 20, over_rate: 30, ring_full: 40 } },
    ]);
  });

  it('refuses what the network could reach without --hep-allow, before anything is opened', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
      const native = fake();
      await assert.rejects(
        startHepListener({ ...options(native, 9060), host }),
        refusal('HEP_BIND_NOT_LOOPBACK', /--hep-allow/),
      );
      assert.deepEqual(native.calls, []);
    }
    await assert.rejects(
      startHepListener({ ...options(fake(), 9060), allow: ['10.0.0.0/99'] }),
      refusal('HEP_ALLOW_INVALID', /10\.0\.0\.0\/99/),
    );
    await assert.rejects(
      startHepListener({ ...options(fake(), 9060), host: 'agent.invalid' }),
      refusal('HEP_ADDRESS_UNKNOWN', /agent\.invalid/),
    );
  });

  it('a failed start leaves nothing open', async (t) => {
    const native = fake({ openErrno: 98 });
    await assert.rejects(startHepListener(options(native, 9060)), refusal('HEP_BIND_FAILED', /in use/));
    assert.equal(native.calls.at(-1), 'close');
    const port = await freePort();
    const late = fake({ startErrno: 11 });
    await assert.rejects(startHepListener(options(late, port)), refusal('HEP_BIND_FAILED', /EAGAIN/));
    assert.deepEqual(late.calls, [`open 127.0.0.1 ${port}`, 'start', 'halt', 'close']);
    // The connections' half was closed again: the port is free.
    await started(t, options(fake(), port));
    const taken = fake();
    await assert.rejects(startHepListener(options(taken, port)), refusal('HEP_BIND_FAILED', /tcp:.*in use/));
    assert.equal(taken.calls.at(-1), 'close');
  });

  it('port 0 is one number for both transports: what datagrams cannot have is given back', async (t) => {
    const native = fake({ portsTaken: 3 });
    const listener = await started(t, options(native, 0));
    const tried = native.calls.filter((c) => c.startsWith('open ')).map((c) => Number(c.split(' ')[2]));
    assert.equal(tried.length, 4);
    assert.ok(tried.every((p) => p > 0));
    assert.equal(listener.port, tried[3]);
    const socket = connect(listener.port, '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');

    const never = fake({ portsTaken: 1000 });
    await assert.rejects(startHepListener(options(never, 0)), refusal('HEP_BIND_FAILED', /udp:.*in use/));
    assert.equal(never.calls.at(-1), 'close');
    const other = fake({ openErrno: constants.errno.EADDRNOTAVAIL });
    await assert.rejects(startHepListener(options(other, 0)), refusal('HEP_BIND_FAILED', /does not have the address/));
    assert.equal(other.calls.filter((c) => c.startsWith('open ')).length, 1);
  });
});
