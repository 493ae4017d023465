/**
 * What JavaScript gives a native capture when it is made: the memory it lends (slabs, descriptors, counters and port
 * sets), and what to look at.
 */

import { randomBytes } from 'node:crypto';
import { measuredSec } from '../core/score-window.ts';
import type { NativeCaptureOptions } from './native.ts';
import { RecordBatch } from './record-batch.ts';
import { RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from './records.ts';

const BUFFER_MS = 60;

export type PortSpan = { readonly from: number; readonly to: number };

/** The ports that SIP was given. Nobody doubts it there: damaged messages are looked at too, and what keeps a flow open. */
const SIP_PORTS: readonly PortSpan[] = [{ from: 5060, to: 5061 }];

/** What a capture looks at, wherever its frames come from. */
export type CaptureOptions = {
  /** SIP of these ports alone; null takes it from SIP_PORTS, and elsewhere where it is SIP beyond doubt. */
  readonly sipPorts: readonly PortSpan[] | null;
  readonly wsPorts: readonly PortSpan[];
  readonly maxStreams: number;
  readonly windowSec: number;
  readonly espNull: boolean;
  /** HEP packets among the frames are read. */
  readonly hep: boolean;
  /** RTP packets are handed on whole, for their audio. */
  readonly retainsPayload: boolean;
  /** Frames that may be of a call are handed on whole, for the files of calls. */
  readonly handsFrames?: boolean;
  /** Only frames that this expression of tcpdump matches; null or left out: all. */
  readonly bpf?: string | null;
};

/** The slabs of a ring; what is not filled is not in use. */
export type SlabMemory = {
  readonly slabs: Buffer;
  readonly descriptors: Uint8Array;
  /** One a slab, in the order of the ring. */
  readonly batches: readonly RecordBatch[];
};

export type CaptureMemory = SlabMemory & {
  readonly counters: BigUint64Array;
  readonly sipOutPorts: Uint32Array;
  readonly wsOutPorts: Uint32Array;
};

export function allocateSlabs(slabCount: number): SlabMemory {
  const slabs = Buffer.allocUnsafeSlow(slabCount * SLAB_BYTES);
  const bytes = SLAB_RECORDS * RECORD_BYTES;
  const descriptors = new Uint8Array(slabCount * bytes);
  return {
    slabs,
    descriptors,
    batches: Array.from(
      { length: slabCount },
      (_, i) =>
        new RecordBatch(
          slabs.subarray(i * SLAB_BYTES, (i + 1) * SLAB_BYTES),
          descriptors.subarray(i * bytes, (i + 1) * bytes),
        ),
    ),
  };
}

export function allocateCaptureMemory(slabCount: number, counterCount: number): CaptureMemory {
  return {
    ...allocateSlabs(slabCount),
    counters: new BigUint64Array(counterCount),
    sipOutPorts: new Uint32Array(65536),
    wsOutPorts: new Uint32Array(65536),
  };
}

/** The options of the addon's capture; `digests` where frames can be pointed at later. */
export function nativeOptions(memory: CaptureMemory, options: CaptureOptions, digests: boolean): NativeCaptureOptions {
  const { slabs, descriptors, counters, sipOutPorts, wsOutPorts } = memory;
  return {
    slabs,
    descriptors,
    counters,
    sipOutPorts,
    wsOutPorts,
    sipGate: portBits(options.sipPorts ?? SIP_PORTS),
    anySip: options.sipPorts === null,
    wsGate: portBits(options.wsPorts),
    seed: randomBytes(16),
    maxStreams: options.maxStreams,
    windowSec: measuredSec(options.windowSec),
    bufferMs: BUFFER_MS,
    espNull: options.espNull,
    retain: options.retainsPayload,
    frames: options.handsFrames === true,
    hep: options.hep,
    digests,
    bpf: options.bpf ?? '',
  };
}

/** One bit a port, as struct ct_gate of native/decode/packet.h. */
function portBits(spans: readonly PortSpan[]): Uint8Array {
  const bits = new Uint8Array(8192);
  for (const { from, to } of spans)
    for (let port = from; port <= to; port++) bits[port >> 3] = (bits[port >> 3] ?? 0) | (1 << (port & 7));
  return bits;
}
