/** The native captures, each with something that feeds it: for tests of how they begin and end. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { closeSync, constants, mkdtempSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { udpPacket } from '../../fixtures/build/packet.ts';
import { pcap } from '../../fixtures/build/pcap-file.ts';
import { errnoOf } from '../../src/core/errors.ts';
import { allocateCaptureMemory, type CaptureMemory, nativeOptions } from '../../src/sources/capture-memory.ts';
import { LIVE_DROP_SPANS } from '../../src/sources/live/live-source.ts';
import { loadNative, type NativeCapture } from '../../src/sources/native.ts';
import { RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from '../../src/sources/records.ts';
import { exportedSites } from '../helpers/tls-probes.ts';
import { privateLibssl } from '../live/tls-kernel-lab.ts';

export const SOURCE_NAMES = ['file', 'live', 'hep', 'tls'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

/** What a capture is pointed at: a pipe, a port, a library. Can be handed to a worker. */
export type Target = { port: number; path: string };
export type OnSlab = (slab: number, records: number) => void;

export interface Feeder {
  readonly target: Target;
  feed(): void;
  end(): void;
}

/** A capture and its memory; nothing but this holds them. */
export interface Running {
  readonly capture: { close(): void };
  readonly memory: CaptureMemory;
  /** When it returns the thread runs; the port that a listener got. */
  start(): number;
  /** Calls every method, whatever each of them says. */
  useAll(): void;
}

const SLABS = 4;
const SIP = Buffer.from('OPTIONS sip:a@127.0.0.1 SIP/2.0\r\nCall-ID: lifecycle\r\n\r\n');
const PACKETS_A_FEED = 5;
const NOT_HELD = Int32Array.of(-1);

/** A folder in that of the test, which goes with it however this process ends. */
function folder(): string {
  return mkdtempSync(join(process.env['LIFECYCLE_FOLDER'] ?? '', 'source-'));
}

/* ---- What feeds them ---- */

/** A pipe that never ends: between two packets the reader waits. */
function pipeFeeder(): Feeder {
  const path = join(folder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const from = { address: '192.0.2.1', port: 5060 };
  const packet = udpPacket(from, { address: '192.0.2.2', port: 5060 }, SIP);
  const file = pcap([{ tsUs: 1e15, data: packet }], { linktype: 101 });
  const header = 24;
  writeSync(fd, file, 0, header);
  return {
    target: { path, port: 5060 },
    feed: () => {
      try {
        for (let i = 0; i < PACKETS_A_FEED; i++) writeSync(fd, file, header);
      } catch (error) {
        // A pipe that is full feeds for long: its reader has not begun on this machine.
        if (errnoOf(error) !== 'EAGAIN') throw error;
      }
    },
    end: () => closeSync(fd),
  };
}

/** A port of this host that takes datagrams and reads none. */
async function datagramFeeder(): Promise<Feeder> {
  const socket = dgram.createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  socket.unref();
  const target = { path: '', port: socket.address().port };
  return {
    target,
    feed: () => {
      for (let i = 0; i < PACKETS_A_FEED; i++) socket.send(SIP, target.port, '127.0.0.1');
    },
    end: () => socket.close(),
  };
}

/** Two peers with a library of their own; a line goes from one to the other. The server ends with the client. */
async function tlsFeeder(): Promise<Feeder> {
  const dir = folder();
  const path = privateLibssl(dir);
  const env = { ...process.env, LD_LIBRARY_PATH: join(dir, 'lib') };
  const key = ['-psk', '00112233445566778899', '-psk_identity', 'a', '-tls1_3'];
  const server = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-nocert', '-rev', '-naccept', '1', ...key], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const port = await said(server, /ACCEPT 127\.0\.0\.1:(\d+)/);
  const client = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...key], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const held of [server, client, server.stdout, client.stdin]) if (canUnref(held)) held.unref();
  return {
    target: { path, port: 0 },
    feed: () => client.stdin.write('line\n'),
    end: () => {
      client.kill('SIGKILL');
      server.kill('SIGKILL');
    },
  };
}

/** A pipe of a child is a socket, though it is not typed as one. */
function canUnref(held: object): held is { unref(): void } {
  return 'unref' in held;
}

async function said(child: ChildProcess, what: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const found = what.exec(text);
      if (found !== null) resolve(found[1] ?? '');
    });
    child.on('exit', (code) => reject(new Error(`openssl ended (${code}): ${text}`)));
  });
}

export async function feederFor(name: SourceName): Promise<Feeder> {
  if (name === 'file') return pipeFeeder();
  return name === 'tls' ? tlsFeeder() : datagramFeeder();
}

/* ---- The captures ---- */

function attempt(...calls: (() => unknown)[]): void {
  for (const call of calls) {
    try {
      call();
    } catch {
      // A refusal is an answer; a crash would end this process.
    }
  }
}

function packetCapture(target: Target, onSlab: OnSlab): { capture: NativeCapture; memory: CaptureMemory } {
  const binding = loadNative();
  const memory = allocateCaptureMemory(SLABS, binding.info().counterCount);
  const options = nativeOptions(
    memory,
    {
      sipPorts: [{ from: target.port, to: target.port }],
      wsPorts: [],
      maxStreams: 64,
      windowSec: 10,
      espNull: false,
      hep: false,
      retainsPayload: false,
    },
    false,
  );
  return { capture: new binding.Capture(options, onSlab), memory };
}

/** What can be asked of a packet capture at any time. */
function usePacketCapture(capture: NativeCapture, target: Target): void {
  const rows = new Uint8Array(SLAB_RECORDS * RECORD_BYTES);
  const info = loadNative().info();
  attempt(
    () => capture.openFiles([target.path], NOT_HELD),
    () => capture.endFiles(),
    () => capture.progress(),
    () => capture.rtpChunk(0),
    () => capture.setOutput(1),
    () => capture.datagram(new Uint8Array(SLAB_BYTES), rows, SIP, rows.subarray(0, RECORD_BYTES)),
  );
  attempt(
    () => capture.startLive(),
    () => capture.askStopLive(),
    () => capture.liveStatus(0),
    () => capture.liveDrops(0, new Float64Array(3 * LIVE_DROP_SPANS)),
    () => capture.filterStatus(),
    () => capture.filterNeedsBpf(),
    () => capture.filterCounts(new BigUint64Array(2 * info.filterClassNames.length)),
    () => capture.filterMedia(new Uint8Array(40), true),
    () => capture.queueDropped(),
    () => capture.abandon(),
  );
}

function file(target: Target, onSlab: OnSlab): Running {
  const { capture, memory } = packetCapture(target, onSlab);
  return {
    capture,
    memory,
    start: () => {
      return capture.openFiles([target.path], NOT_HELD);
    },
    useAll: () => usePacketCapture(capture, target),
  };
}

function live(target: Target, onSlab: OnSlab): Running {
  const { capture, memory } = packetCapture(target, onSlab);
  const info = loadNative().info();
  const liveCounters = new BigUint64Array(info.liveCounterNames.length);
  return {
    capture,
    memory,
    start: () => {
      const options = {
        interfaces: ['lo'],
        liveCounters,
        blocks: 2,
        promiscuous: true,
        bestFilter: 1,
        wholeRtp: false,
      };
      const opened = capture.openLive(options);
      if (opened.errno !== 0) throw new Error(`openLive: ${JSON.stringify(opened)}`);
      const errno = capture.startLive();
      if (errno !== 0) throw new Error(`startLive: errno ${errno}`);
      return target.port;
    },
    useAll: () => usePacketCapture(capture, target),
  };
}

function hep(_target: Target, onSlab: OnSlab): Running {
  const binding = loadNative();
  const memory = allocateCaptureMemory(SLABS, binding.info().hepCounterNames.length);
  const capture = new binding.HepCapture(
    {
      ...memory,
      allow: new Uint8Array(0),
      key: new Uint8Array(0),
      rate: 0,
      maxBytes: 0,
      receiveBuffer: 65_536,
      sourceId: 0,
    },
    onSlab,
  );
  const start = (): number => {
    const bound = capture.open('127.0.0.1', 0);
    const errno = bound.errno === 0 ? capture.start() : bound.errno;
    if (errno !== 0) throw new Error(`HEP: errno ${errno}`);
    return bound.port;
  };
  return {
    capture,
    memory,
    start,
    useAll: () =>
      attempt(
        start,
        () => capture.setOutput(1),
        () => capture.start(),
        () => capture.admit(new Uint8Array(16), 4, new Uint8Array(100), 0, 100),
        () => capture.topSenders(new Uint8Array(4096)),
        () => capture.halt(),
        () => capture.unread(),
      ),
  };
}

function tls(target: Target, onSlab: OnSlab): Running {
  const binding = loadNative();
  const memory = allocateCaptureMemory(SLABS, 0);
  const capture = new binding.TlsCapture(
    { ...memory, sourceId: 0, ringBytes: 65_536, maxCallBytes: 0, maxConnections: 64, sipOnly: false },
    onSlab,
  );
  const attach = (): void => {
    const made = capture.attach({ path: target.path, sites: exportedSites(target.path) });
    if (made.id === 0) throw new Error(made.error);
  };
  return {
    capture,
    memory,
    start: () => {
      const why = capture.open();
      if (why !== '') throw new Error(why);
      const errno = capture.start();
      if (errno !== 0) throw new Error(`TLS: errno ${errno}`);
      attach();
      return 0;
    },
    useAll: () =>
      attempt(
        () => capture.open(),
        () => capture.start(),
        attach,
        () => capture.detach(1),
        () => capture.scan(() => undefined),
        () => capture.allow(Uint32Array.of(1)),
        () => capture.verdict(1, 0, true),
        () => capture.counters(new BigUint64Array(binding.info().tlsCounterNames.length)),
        () => capture.execs(),
        () => capture.status(),
      ),
  };
}

const MAKE: Readonly<Record<SourceName, (target: Target, onSlab: OnSlab) => Running>> = { file, live, hep, tls };

export function makeSource(name: SourceName, target: Target, onSlab: OnSlab): Running {
  return MAKE[name](target, onSlab);
}
