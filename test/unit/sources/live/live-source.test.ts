/** LiveSource over a native side that is played by the test: what it asks for, says and adds up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import type { LiveSourceOptions } from '../../../../src/sources/live/live-source.ts';
import { LiveSource, openError } from '../../../../src/sources/live/live-source.ts';
import type {
  NativeBinding,
  NativeCapture,
  NativeCaptureOptions,
  NativeInfo,
  NativeLiveOptions,
} from '../../../../src/sources/native.ts';
import { KIND, OFFSET, RECORD_BYTES } from '../../../../src/sources/records.ts';

const OPTIONS: LiveSourceOptions = {
  interfaces: ['eth0', 'any'],
  sipPorts: [{ from: 5060, to: 5061 }],
  wsPorts: [{ from: 443, to: 443 }],
  maxStreams: 100,
  windowSec: 5,
  espNull: false,
  hep: false,
  retainsPayload: false,
  isPromiscuous: true,
  writesFrames: true,
  bestFilter: 'classic',
};

class FakeNative {
  options: NativeCaptureOptions | undefined;
  live: NativeLiveOptions | undefined;
  openErrno = 0;
  texts = ['eth0: capturing', 'any: capturing'];
  calls: string[] = [];
  onSlab: (slab: number, records: number) => void = () => {};

  readonly info: NativeInfo = {
    abi: 1,
    slabBytes: 0,
    slabRecords: 0,
    recordBytes: RECORD_BYTES,
    streamBytes: 0,
    streamChunk: 0,
    counterCount: 3,
    counterNames: ['frames', 'ok', 'link_short'],
    reasonIsLoss: [false, true],
    firstReason: 1,
    hepCounterNames: [],
    hepVerdicts: 0,
    outputCounterNames: [],
    tlsCounterNames: [],
    liveCounterNames: ['frames', 'kernel_drops', 'unread_at_stop', 'iface_missed', 'gso_unsplit', 'iface_packets'],
    filterClassNames: ['sip', 'dropped_udp'],
    filterClassIsDrop: [false, true],
    hasEbpf: true,
  };

  binding(): NativeBinding {
    const fake = this;
    // A constructor may return the object it wants `new` to give.
    function Capture(options: NativeCaptureOptions, onSlab: (slab: number, records: number) => void): NativeCapture {
      fake.options = options;
      fake.onSlab = onSlab;
      return fake.capture();
    }
    return {
      info: () => fake.info,
      libbpfRefusal: () => '',
      digest: () => {},
      inflate: () => -1,
      readAgain: () => -1,
      secondPass: () => undefined,
      watchTurns: () => undefined,
      watchTlsMovers: () => undefined,
      expressionRefusal: () => ({ isMissing: false, text: '' }),
      openReply: () => -1,
      sendReply: () => -1,
      openSyslog: () => -1,
      sendSyslog: () => -1,
      isClockSynchronized: () => true,
      hostClock: () => undefined,
      hostSteps: () => 0,
      exitOnSignals: () => undefined,
      closeSocket: () => undefined,
      openMirror: () => -1,
      mirrorName: () => null,
      sendMirror: () => undefined,
      mirrorError: () => 0,
      inputPipe: () => -1,
      makePipe: () => -1,
      writeBlocks: () => false,
      hasten: () => 0,
      restart: () => 0,
      captureChunks: () => ({ status: 0, numbers: [] }),
      frameAt: () => ({ status: 0, errno: 0 }),
      dropPrivileges: () => ({ errno: 0, step: '', kept: [], threadsLeft: 0, uid: 1 }),
      OutputFile: class {
        constructor() {
          throw new Error('no output here');
        }
      } as unknown as NativeBinding['OutputFile'],
      MessageCapture: class {
        constructor() {
          throw new Error('no file here');
        }
      } as unknown as NativeBinding['MessageCapture'],
      HepCapture: class {
        constructor() {
          throw new Error('no HEP here');
        }
      } as unknown as NativeBinding['HepCapture'],
      TlsCapture: class {
        constructor() {
          throw new Error('no TLS here');
        }
      } as unknown as NativeBinding['TlsCapture'],
      // TypeScript has no type for a plain function as constructor.
      Capture: Capture as unknown as NativeBinding['Capture'],
    };
  }

  /** By interface, for who takes them. */
  readonly drops: number[][][] = [];

  capture(): NativeCapture {
    return {
      openFiles: () => 0,
      askStopFiles: () => {},
      endFiles: () => {},
      progress: () => 0,
      datagram: () => 0,
      rtpChunk: () => undefined,
      setOutput: (id) => this.calls.push(`setOutput ${id}`),
      close: () => this.calls.push('close'),
      openLive: (live) => {
        this.live = live;
        return { errno: this.openErrno, step: 'the interface', index: 1 };
      },
      startLive: () => 0,
      askStopLive: () => this.calls.push('askStop'),
      liveStatus: (i) => ({ state: i === 0 ? 0 : 2, mtu: 1500, ringBytes: 64 << 20, text: this.texts[i] ?? '' }),
      filterStatus: () => ({ mode: 1, why: 'classic BPF was asked for' }),
      filterCounts: (out) => {
        out.set([1n, 100n, 2n, 3000n]);
        return true;
      },
      filterNeedsBpf: () => false,
      learnSip: (sockets) => this.calls.push(`learnSip ${sockets.length}`),
      filterMedia: () => 0,
      queueDropped: () => 7,
      liveDrops: (i, out) => {
        const spans = this.drops[i] ?? [];
        out.set(spans.flat());
        this.drops[i] = [];
        return spans.length;
      },
      abandon: () => 0,
    };
  }
}

test('options reach the native side, memory is sized by the interfaces', () => {
  const fake = new FakeNative();
  const source = new LiveSource(OPTIONS, fake.binding());
  assert.deepEqual(fake.live?.interfaces, ['eth0', 'any']);
  assert.equal(fake.live?.liveCounters.length, 12);
  assert.equal(fake.live?.bestFilter, 1);
  assert.equal(fake.live?.wholeRtp, true);
  assert.equal(fake.live?.promiscuous, true);
  assert.equal(fake.options?.slabs.length, 64 << 20);
  assert.equal((fake.options?.sipGate[5060 >> 3] ?? 0) & (1 << (5060 & 7)), 1 << (5060 & 7));
  source.close();
  source.close();
  assert.deepEqual(fake.calls, ['close']);
});

test('losses are added over the interfaces', () => {
  const fake = new FakeNative();
  const source = new LiveSource(OPTIONS, fake.binding());
  fake.live?.liveCounters.set([10n, 1n, 2n, 3n, 4n, 0n, 20n, 10n, 20n, 30n, 40n, 0n]);
  fake.options?.counters.set([5n], 2);
  assert.deepEqual(source.liveLosses(), { kernel: 33, interface: 33, queue: 7, unsplit: 44 });
  assert.equal(source.liveCounter('frames'), 30);
  assert.equal(source.liveCounter('frames', 1), 20);
  assert.deepEqual([...source.losses()], [['link_short', 5]]);
  assert.throws(() => source.liveCounter('nothing'), RangeError);
  assert.deepEqual(source.filter(), {
    mode: 'classic',
    why: 'classic BPF was asked for',
    classes: [
      { name: 'sip', isDropped: false, packets: 1, bytes: 100 },
      { name: 'dropped_udp', isDropped: true, packets: 2, bytes: 3000 },
    ],
  });
  source.close();
});

test('when a ring dropped packets is told once, with the interface', () => {
  const fake = new FakeNative();
  const source = new LiveSource(OPTIONS, fake.binding());
  assert.deepEqual(source.takeDrops(), []);
  fake.drops[1] = [
    [1_000, 2_000, 3],
    [5_000, 6_000, 1],
  ];
  // The counter says that there are some: without it nobody asks.
  assert.deepEqual(source.takeDrops(), []);
  const at = fake.info.liveCounterNames.indexOf('kernel_drops');
  fake.live?.liveCounters.set([4n], fake.info.liveCounterNames.length + at);
  assert.deepEqual(source.takeDrops(), [
    { source: 1, fromUs: 1_000, toUs: 2_000, packets: 3 },
    { source: 1, fromUs: 5_000, toUs: 6_000, packets: 1 },
  ]);
  assert.deepEqual(source.takeDrops(), []);
  source.close();
});

test('a status is told at the start and when it changes', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const fake = new FakeNative();
  const source = new LiveSource(OPTIONS, fake.binding());
  const told: string[] = [];
  source.onStatus((status) => told.push(`${status.state} ${status.text}`));
  source.start();
  t.mock.timers.tick(3000);
  fake.texts[1] = 'any: gone';
  t.mock.timers.tick(1000);
  assert.deepEqual(told, ['capturing eth0: capturing', 'gone any: capturing', 'gone any: gone']);
  source.close();
});

test('an interface that is up and silent is told of once, with what to check, and so is the end of it', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const fake = new FakeNative();
  const source = new LiveSource({ ...OPTIONS, interfaces: ['eth0'], isPromiscuous: false }, fake.binding());
  const told: string[] = [];
  source.onStatus(({ text }) => told.push(text));
  const news = (seconds: number): string => {
    told.length = 0;
    t.mock.timers.tick(seconds * 1000);
    return told.join('; ');
  };
  const frames = (n: number): void => fake.live?.liveCounters.set([BigInt(n)], 0);
  const packets = (n: number): void => fake.live?.liveCounters.set([BigInt(n)], 5);
  source.start();
  assert.equal(news(29), '');
  assert.match(news(1), /^eth0: no frame for 30 s; .*up and idle: check the cable, the mirror port \(SPAN\)/);
  assert.equal(news(3600), '');
  frames(1);
  assert.equal(news(1), 'eth0: frames come again after 3630 s of silence');
  packets(7);
  assert.equal(news(599), '', 'a quiet ten minutes is no fault');
  assert.match(
    news(1),
    /^eth0: no frame for 600 s; it counted 7 packets, and calltap reads none of them: check --portrange and --no-promisc/,
  );
  source.close();
});

test('an interface that is down is not called silent', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const fake = new FakeNative();
  const source = new LiveSource({ ...OPTIONS, interfaces: ['any', 'eth0'] }, fake.binding());
  const told: string[] = [];
  source.onStatus(({ text }) => told.push(text));
  source.start();
  t.mock.timers.tick(60_000);
  assert.deepEqual(
    told.slice(2).map((text) => /^\w+: no frame/.exec(text)?.[0]),
    ['any: no frame'],
  );
  source.close();
});

test('stop ends with the end record', async () => {
  const fake = new FakeNative();
  const source = new LiveSource(OPTIONS, fake.binding());
  let records = 0;
  source.onRecords((_, count) => {
    records += count;
  });
  source.start();
  const stopped = source.stop();
  assert.deepEqual(fake.calls, ['askStop']);
  const descriptors = fake.options?.descriptors;
  assert.ok(descriptors !== undefined);
  descriptors[RECORD_BYTES + OFFSET.kind] = KIND.SOURCE_END;
  fake.onSlab(0, 2);
  await stopped;
  assert.equal(records, 2);
  source.close();
});

test('an interface that cannot be opened is one line with the remedy', () => {
  const fake = new FakeNative();
  fake.openErrno = 19;
  assert.throws(
    () => new LiveSource(OPTIONS, fake.binding()),
    (error) => error instanceof ServiceError && /^-d any: there is no such interface/.test(error.message),
  );
  assert.deepEqual(fake.calls, ['close']);
  assert.match(openError('eth0', { errno: 1, step: 'a packet socket', index: 0 }).message, /CAP_NET_RAW/);
  assert.match(openError('eth0', { errno: 22, step: 'PACKET_VERSION', index: 0 }).message, /PACKET_VERSION.*EINVAL/);
  assert.throws(() => new LiveSource({ ...OPTIONS, interfaces: [] }, fake.binding()), /-d/);
});
