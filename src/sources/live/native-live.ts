/**
 * The live half of the native Capture (native/live/source_packet.h, native/live/packet_filter.h), typed.
 */
import type { NativeCapture, NativeInfo } from '../native.ts';

/** enum ct_filter_mode */
export const FILTER_MODE = { NONE: 0, CLASSIC: 1, EBPF: 2 } as const;

/** enum ct_live_state */
export const LIVE_STATE = { CAPTURING: 0, DOWN: 1, GONE: 2, FAILING: 3 } as const;

export type NativeLiveInfo = {
  /** enum ct_live_counter, one row of these an interface. */
  liveCounterNames: string[];
  /** enum ct_filter_class. */
  filterClassNames: string[];
  filterClassIsDrop: boolean[];
  /** The addon was built with libbpf. */
  hasEbpf: boolean;
};

export type NativeLiveOptions = {
  interfaces: readonly string[];
  /** Rows of liveCounterNames.length, one an interface; stays pinned until close(). */
  liveCounters: BigUint64Array;
  /** 1 MiB blocks of each ring; 0 is the default. */
  blocks: number;
  /** FILTER_MODE: no better filter than this. */
  bestFilter: number;
  /** Frames for other hosts are captured too. */
  promiscuous: boolean;
  /** Payloads are retained: RTP is not cut. */
  wholeRtp: boolean;
};

/** errno 0, or the interface (its index in the options) and the step that failed. */
export type OpenLiveResult = { errno: number; step: string; index: number };

export type NativeLiveStatus = { state: number; mtu: number; ringBytes: number; text: string };

export type NativeLiveMethods = {
  /** Opens sockets, filter and rings and binds: all that needs privileges. Nothing is read yet. */
  openLive(options: NativeLiveOptions): OpenLiveResult;
  /** Starts the thread; errno. */
  startLive(): number;
  /** Asks the thread to end: a SOURCE_END record is its last. */
  askStopLive(): void;
  liveStatus(index: number): NativeLiveStatus;
  filterStatus(): { mode: number; why: string };
  /** Packets and bytes by class, in pairs; false when the filter does not count. */
  filterCounts(out: BigUint64Array): boolean;
  /** Whether filterMedia() takes CAP_BPF on this kernel. */
  filterNeedsBpf(): boolean;
  /** errno; 0 also where no filter needs to know. */
  filterMedia(address: Uint8Array, port: number, isNamed: boolean): number;
  /** Records for which JavaScript had no free slab. */
  queueDropped(): number;
};

export type NativeLive = NativeCapture & NativeLiveMethods;

export function hasLiveCapture(capture: NativeCapture): capture is NativeLive {
  return 'openLive' in capture;
}

export function hasLiveInfo(info: NativeInfo): info is NativeInfo & NativeLiveInfo {
  return 'liveCounterNames' in info;
}
