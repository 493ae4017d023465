/**
 * Loads the native addon and types its surface. The only file that casts what `require` gives.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { failure, type ServiceError } from '../core/errors.ts';
import { packageRoot } from '../core/package.ts';
import type { NativeHepCapture, NativeHepOptions } from './hep/native-hep.ts';
import type { Packet } from './packet.ts';
import { processorRefusal, readCpuinfo } from './processor.ts';
import { ABI, RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from './records.ts';
import type { NativeTlsCapture, NativeTlsOptions, TlsMovers } from './tls/native-tls.ts';

/** Facts of the addon, compared with the mirror in records.ts. */
export type NativeInfo = {
  abi: number;
  slabBytes: number;
  slabRecords: number;
  recordBytes: number;
  streamBytes: number;
  streamChunk: number;
  counterCount: number;
  counterNames: string[];
  reasonIsLoss: boolean[];
  firstReason: number;
  hepCounterNames: string[];
  hepVerdicts: number;
  /** enum ct_pw_counter. */
  outputCounterNames: string[];
  tlsCounterNames: string[];
  /** enum ct_live_counter, one row of these an interface. */
  liveCounterNames: string[];
  /** enum ct_filter_class. */
  filterClassNames: string[];
  filterClassIsDrop: boolean[];
  /** The addon was built with libbpf. */
  hasEbpf: boolean;
};

/** Options of the native Capture; the memory is JavaScript's and stays pinned until close(). */
export type NativeCaptureOptions = {
  slabs: Uint8Array;
  descriptors: Uint8Array;
  counters: BigUint64Array;
  sipOutPorts: Uint32Array;
  wsOutPorts: Uint32Array;
  sipGate: Uint8Array;
  /** SIP on other ports is taken too: of files on any, of interfaces at the sockets of learnSip(). */
  anySip: boolean;
  wsGate: Uint8Array;
  seed: Uint8Array;
  maxStreams: number;
  windowSec: number;
  bufferMs: number;
  espNull: boolean;
  /** RTP packets come whole, as records of their own. */
  retain: boolean;
  /** Frames that may be of a call come whole, after the records that they gave. */
  frames: boolean;
  hep: boolean;
  digests: boolean;
  /** Frames that this expression of tcpdump does not match are nobody's; '' all are looked at. */
  bpf: string;
};

export type NativeLiveOptions = {
  interfaces: readonly string[];
  /** Rows of liveCounterNames.length, one an interface; stays pinned until close(). */
  liveCounters: BigUint64Array;
  /** 1 MiB blocks of each ring; 0 is the default. */
  blocks: number;
  /** enum ct_filter_mode: no better filter than this. */
  bestFilter: number;
  /** Frames for other hosts are captured too. */
  promiscuous: boolean;
  /** Payloads are retained: RTP is not cut. */
  wholeRtp: boolean;
};

/** errno 0, or the interface (its index in the options) and the step that failed. */
export type OpenLiveResult = { errno: number; step: string; index: number };

/** `state` is enum ct_live_state. */
export type NativeLiveStatus = { state: number; mtu: number; ringBytes: number; text: string };

/** Files or interfaces as the source of one packet pipeline. */
export type NativeCapture = {
  /**
   * Reads files by the time of their frames; errno, 0 when the thread runs. A descriptor of a regular file is read, stays
   * the caller's and open until endFiles() or close(), and records say where in it they lie; for -1 the path is opened.
   */
  openFiles(paths: readonly string[], descriptors: Int32Array): number;
  /** The thread ends with what it has read. */
  askStopFiles(): void;
  /** Joins the thread after its SOURCE_END record; then other files may be opened. */
  endFiles(): void;
  /** No record is handed over any more, though the thread may continue; how many were still to come. */
  abandon(): number;
  /** 0..1 of the files read. */
  progress(): number;
  /**
   * Decodes a reassembled datagram into records of `scratch`; how many. `descriptor` is the record of the fragment that
   * gave the addresses; its transport field is the IP protocol of the payload.
   */
  datagram(scratch: Uint8Array, descriptors: Uint8Array, payload: Uint8Array, descriptor: Uint8Array): number;
  /** Memory of a chunk of the stream table; undefined until there is one. */
  rtpChunk(index: number): ArrayBuffer | undefined;
  /** Frames captured from the next start on are written to the OutputFile of this id. */
  setOutput(id: number): void;
  /** Opens sockets, filter and rings: all that needs privileges. Nothing is captured yet. */
  openLive(options: NativeLiveOptions): OpenLiveResult;
  /** Binds the sockets and starts the thread; errno. */
  startLive(): number;
  /** Asks the thread to end: a SOURCE_END record is its last. */
  askStopLive(): void;
  liveStatus(index: number): NativeLiveStatus;
  /**
   * When the ring of an interface dropped packets, each span given once: three numbers each, from and to in microseconds
   * and the packets, in `out`, which has room for LIVE_DROP_SPANS. How many.
   */
  liveDrops(index: number, out: Float64Array): number;
  filterStatus(): { mode: number; why: string };
  /** Packets and bytes by class, in pairs; false when the filter does not count. */
  filterCounts(out: BigUint64Array): boolean;
  /** Whether filterMedia() takes CAP_BPF on this kernel. */
  filterNeedsBpf(): boolean;
  /** Endpoints of 20 bytes; how many do not fit the filter's map, 0 also where no filter needs to know. */
  filterMedia(endpoints: Uint8Array, isNamed: boolean): number;
  /** From now on these sockets are the learned ones: 20 bytes each, with the IP version. */
  learnSip(sockets: Uint8Array): void;
  /** Records for which JavaScript had no free slab. */
  queueDropped(): number;
  /** Stops and joins; no callback comes after it. */
  close(): void;
};

/** What a file says of a message that has no frame. */
export type MessagePacket = Readonly<
  Pick<
    Packet,
    | 'tsUs'
    | 'origin'
    | 'transport'
    | 'ipVersion'
    | 'addresses'
    | 'srcOff'
    | 'dstOff'
    | 'srcPort'
    | 'dstPort'
    | 'isSnapped'
    | 'isWeak'
  >
>;

/** Messages without a frame as a pcapng file in memory. */
export type NativeMessageCapture = {
  /** Appends bytes[start..end); how many bytes wait for take(). Throws RangeError beyond 256 KiB. */
  add(bytes: Uint8Array, start: number, end: number, packet: MessagePacket, comment: string): number;
  /** The bytes of the file since the last time; the first ones begin it. */
  take(): Buffer;
};

/** The writer of captured frames. */
export type NativeOutputFile = {
  /** What setOutput() of a capture takes. */
  id(): number;
  /** errno; 0 when the first file is there. */
  open(options: {
    path: string;
    splitBytes: number;
    splitSeconds: number;
    keepFiles: number;
    /** The end of a pipe that pcapng goes to in place of the file; it is the writer's then. */
    pipe?: number;
  }): number;
  /** After setEnabled(false) returns, nothing more is written. */
  setEnabled(isEnabled: boolean): void;
  /** The next tick opens the file again under its name. */
  reopen(): void;
  /** Flushes, splits by time and reopens, for when no thread captures. */
  tick(): void;
  /** What is buffered goes into the file. */
  flush(): void;
  /** Of the file that is written now. */
  name(): string;
  /** Fills one value a name of info().outputCounterNames. */
  counters(out: BigUint64Array): void;
  /**
   * Takes out what was written since the last time, five numbers a chunk of a file: the number in its name, offset, bytes, first and
   * last time of its frames in microseconds. How many.
   */
  chunks(out: Float64Array): number;
  /** Writes a packet that came by a connection as the datagram it could have been. */
  writeDatagram(payload: Uint8Array, start: number, end: number, arrival: Packet): void;
  /** Writes a message that has no frame; a pcap file has no place for it, and counts it. */
  writeMessage(bytes: Uint8Array, start: number, end: number, packet: MessagePacket, comment: string): void;
  /** Flushes. The file closes when no capture writes to it any more. */
  close(): void;
};

/** One frame of a file and what the packet walk made of it; the optional parts need `isDecoded`. */
export type NativeFrame = {
  status: number;
  errno: number;
  frame?: Buffer;
  wireLength?: number;
  linkType?: number;
  tsUs?: number;
  reason?: string;
  /** What the packet lies inside. */
  tunnels?: string[];
  isDecoded?: boolean;
  ipVersion?: number;
  protocol?: number;
  srcPort?: number;
  dstPort?: number;
  src?: Buffer;
  dst?: Buffer;
  payload?: Buffer;
};

/** A second reading of files that writes some of their frames; a descriptor is as for openFiles(). */
export type NativeSecondPass = {
  paths: readonly string[];
  descriptors: Int32Array;
  /** Of each file the numbers of its frames, in order. */
  ordinals: readonly Float64Array[];
  /** Rows of struct ct_flow. */
  flows: Uint8Array;
  /** The id of an OutputFile. */
  output: number;
  /** Random. */
  seed: Uint8Array;
  espNull: boolean;
  bpf: string;
  /** [asked to stop, per mille of the files read] */
  control: Uint32Array;
};

/** enum ct_pcap_status and errno of the file number `failed`, -1 none. */
export type NativeSecondResult = {
  read: number;
  taken: number;
  refused: number;
  copies: number;
  missing: number;
  missedFragments: number;
  isStopped: boolean;
  failed: number;
  status: number;
  errno: number;
};

/** What was given up, or what failed and why; capabilities by number. */
export type PrivilegesResult = { errno: number; step: string; kept: number[]; threadsLeft: number; uid: number };

export type NativeBinding = {
  info(): NativeInfo;
  /** '' when libbpf, which eBPF needs, is there; else why not and what to do. Loads it. */
  libbpfRefusal(): string;
  /** FNV-1a 64 of view[start..start+length), as two halves (low, high) into `out`. */
  digest(view: Uint8Array, start: number, length: number, out: Int32Array): void;
  /** A pipe of `room` bytes: [to read, to write], or an errno. The end to write blocks, or loses what finds no room. */
  makePipe(room: number, blocks: boolean): [number, number] | number;
  /** Packet blocks of a pcapng, whole ones, to the OutputFile of this id, from any thread; false when it is closed. */
  writeBlocks(output: number, blocks: Uint8Array, start: number, end: number, linkTypes: Uint32Array): boolean;
  /** ct_inflate() of native/core/inflate.h: the bytes that came out, or below 0 why not. */
  inflate(
    form: number,
    input: Uint8Array,
    start: number,
    end: number,
    window: Uint8Array,
    windowBytes: number,
    output: Uint8Array,
    room: number,
  ): number;
  /** Fills `into` from that position; the check that a record holds of such bytes, -1 when there are too few. */
  readAgain(fd: number, position: number, into: Uint8Array): number;
  /** Gives this nice value, -20 to -1, to each thread of the process whose own is between it and 0; how many have it now. */
  hasten(nice: number): number;
  /**
   * Until the process ends counts turns of the event loop in `turns[0]`, and calls `onTurn` at the end of each that took
   * `fromMs` or more: the time without the wait for events, and the processor time of this thread.
   */
  watchTurns(turns: Float64Array, fromMs: number, onTurn: (heldMs: number, cpuMs: number) => void): void;
  /** Runs this process's program again in its place, the first argument its name; errno when that fails. */
  restart(words: readonly string[]): number;
  /**
   * SIGINT and SIGTERM do nothing for `afterMs`, and then end the process at once, with 130 and 143. Node gets no signal any
   * more; its listeners must stay, or the signal is the kernel's for a moment.
   */
  exitOnSignals(afterMs: number): void;
  /** Four numbers a chunk of whole records: offset, bytes, first and last time in microseconds. None of a compressed file. */
  captureChunks(path: string): { status: number; numbers: number[] };
  frameAt(path: string, ordinal: number, espNull: boolean): NativeFrame;
  /** Whether the kernel takes the clock of the host for synchronized. */
  isClockSynchronized(): boolean;
  /** Steady time in microseconds, and how often what is known of steps changed. */
  hostClock(out: Float64Array): void;
  /**
   * When the clock was set, in steady time, and by how much: two numbers a step in `out`. The oldest comes
   * first, and stands for those that are forgotten too. How many there were ever.
   */
  hostSteps(out: Float64Array): number;
  /** From the main thread: capabilities are those of the thread that calls. */
  dropPrivileges(user: string | null, keep: readonly number[]): PrivilegesResult;
  /** A raw socket for IP version 4 or 6, or -errno. */
  openReply(version: number): number;
  /** A datagram with any source address and port; offsets are into `addresses`. 0, or -errno. */
  sendReply(
    fd: number,
    version: number,
    addresses: Uint8Array,
    srcOff: number,
    srcPort: number,
    dstOff: number,
    dstPort: number,
    payload: Uint8Array,
  ): number;
  /** A socket connected to a syslog daemon, or -errno. */
  openSyslog(path: string): number;
  /** One message; 0, or -errno. */
  sendSyslog(fd: number, text: Uint8Array): number;
  closeSocket(fd: number): void;
  /** A UDP socket connected to a collector (the text of an address of IP version 4 or 6), or -errno. */
  openMirror(ip: string, port: number, version: number): number;
  /** This end of such a socket; null when it cannot say. */
  mirrorName(fd: number): { readonly address: string; readonly port: number } | null;
  /**
   * Sends runs of whole HEP 3 packets, one after another and a datagram each, on a thread of its own; `done` is called once.
   * Before `at`, counted over all runs, all were sent or are too long; `errno` says why the rest was not sent, 0 when there is
   * none.
   */
  sendMirror(
    fd: number,
    runs: readonly Uint8Array[],
    maxBytes: number,
    done: (sent: number, sentBytes: number, tooLong: number, at: number, errno: number) => void,
  ): void;
  /** The errno that the network reported since the last time; 0 none. */
  mirrorError(fd: number): number;
  /** A descriptor from which a command reads these bytes and then the end, or -errno; the caller closes it. */
  inputPipe(bytes: Uint8Array): number;
  /** What is wrong with an expression of tcpdump, '' nothing; or that libpcap is missing, and what to do. */
  expressionRefusal(text: string): { isMissing: boolean; text: string };
  /** On a thread of its own; `done` is called once. */
  secondPass(options: NativeSecondPass, done: (result: NativeSecondResult) => void): void;
  /** Watches who moves TLS records (tls/movers.ts), on a thread of its own; `done` is called once. */
  watchTlsMovers(ms: number, done: (movers: TlsMovers) => void): void;
  OutputFile: new () => NativeOutputFile;
  MessageCapture: new () => NativeMessageCapture;
  HepCapture: new (options: NativeHepOptions, onSlab: (slab: number, records: number) => void) => NativeHepCapture;
  TlsCapture: new (options: NativeTlsOptions, onSlab: (slab: number, records: number) => void) => NativeTlsCapture;
  Capture: new (options: NativeCaptureOptions, onSlab: (slab: number, records: number) => void) => NativeCapture;
};

/** enum ct_pcap_status of native/file/pcap_read.h. */
export const PCAP_STATUS = {
  RECORD: 0,
  EOF: 1,
  TRUNCATED: 2,
  CORRUPT: 3,
  IO: 4,
  NOT_CAPTURE: 5,
  EMPTY: 6,
} as const;

let loaded: NativeBinding | undefined;

/** Releases by the version of the interface that addons are built for (process.versions.modules). */
const RELEASES: Readonly<Record<string, string>> = { 108: '18', 115: '20', 127: '22', 131: '23', 137: '24', 141: '25' };

/**
 * Why an addon cannot be loaded, in one line. Of one that was built for another Node the engine says no more than that it
 * "did not self-register"; the name of its entry tells for which.
 */
export function loadRefusal(path: string, cause: unknown, root: string): string {
  const built = /node_register_module_v(\d+)/.exec(readFileSync(path, 'latin1'))?.[1];
  const own = process.versions.modules;
  if (built === undefined || built === own) return `cannot load the native part (${path}): ${String(cause)}`;
  const release = RELEASES[built];
  const its = release === undefined ? 'another Node' : `Node ${release}`;
  return (
    `the native part was built for ${its} (interface ${built}), and this is Node ${process.versions.node} (interface ` +
    `${own}); run "npm run setup" in ${root} with this Node, or start with ${release === undefined ? 'that one' : its}`
  );
}

/** No addon is there for this Node: a package names those that it brings, a checkout is to be built. */
export function missingAddon(root: string, prebuilds: string): ServiceError {
  if (!existsSync(prebuilds)) return failure('NATIVE_MISSING', { cause: 'missing', root });
  const releases = readdirSync(prebuilds)
    .map((name) => /^node-(\d+)\.node$/.exec(name)?.[1] ?? '')
    .map((abi) => RELEASES[abi])
    .filter((release) => release !== undefined);
  return failure('NATIVE_OF_OTHER_NODE', { releases: releases.join(', '), node: process.versions.node });
}

/**
 * The addon: a local build, else a prebuild of this platform and ABI. Throws ServiceError, on a processor that it is not
 * made for before its first instruction.
 */
export function loadNative(): NativeBinding {
  if (loaded !== undefined) return loaded;
  const refusal = processorRefusal(process.arch, readCpuinfo());
  if (refusal !== null) throw failure('PROCESSOR_UNSUPPORTED', { reason: refusal });
  const root = packageRoot();
  const require = createRequire(import.meta.url);
  const prebuilds = `prebuilds/linux-${process.arch}`;
  const prebuild = `${prebuilds}/node-${process.versions.modules}.node`;
  const candidates = ['build/Debug/calltap.node', 'build/Release/calltap.node', prebuild].map((p) => join(root, p));
  const path = candidates.find((p) => existsSync(p));
  if (path === undefined) throw missingAddon(root, join(root, prebuilds));
  let binding: NativeBinding;
  try {
    // What a native module exports has no type; info() below proves it is the addon this was built for.
    binding = require(path) as NativeBinding;
  } catch (cause) {
    throw failure('NATIVE_UNLOADABLE', { reason: loadRefusal(path, cause, root) });
  }
  const info = binding.info();
  if (
    info.abi !== ABI ||
    info.slabBytes !== SLAB_BYTES ||
    info.slabRecords !== SLAB_RECORDS ||
    info.recordBytes !== RECORD_BYTES
  )
    throw failure('NATIVE_MISSING', { cause: 'version', root });
  loaded = binding;
  return binding;
}
