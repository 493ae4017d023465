/**
 * Takes captured frames to the files of calls. A frame comes after the records that it gave, so calltap knows by then which
 * dialogs its messages belong to. The sockets say whose media it is.
 */
import type { EndpointKey } from '../core/ip.ts';
import type { Packet } from '../sources/packet.ts';
import { emptyPacket, type FrameAt, type InFrame } from '../sources/packet.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { FRAME_PART, NO_STREAM } from '../sources/records.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { FrameOwners } from '../store/media/frame-owners.ts';
import type { Stream } from '../store/media/stream.ts';
import type { StreamStore } from '../store/media/stream-store.ts';
import type { MessageFrames } from '../store/messages/frame-ledger.ts';

/** One object is filled again and again: it and its bytes hold during a call only. */
export type CapturedFrame = FrameAt & {
  /** The frame is bytes[start..end). */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly wireLength: number;
  /** LINKTYPE_* as in pcap files. */
  readonly linkType: number;
  /** Microseconds since the epoch, and the nanoseconds of its second, which those cannot hold. */
  readonly tsUs: number;
  readonly nanos: number;
  /** It may hold a part of a message whose rest comes in other frames. */
  readonly isPart: boolean;
};

/** What takes the frames of calls. It is told first which frames carried something of a dialog, then gets the frames. */
export type FrameSink = MessageFrames & {
  /** `owners` is valid during the call; `stream` is that of an RTP packet. */
  onFrame(frame: CapturedFrame, owners: readonly Dialog[], stream: Stream | undefined): void;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOBODY: readonly Dialog[] = [];
const UDP = 17;
const UDP_HEADER = 8;

export class FrameIntake {
  readonly #sink: FrameSink;
  readonly #owners: FrameOwners;
  readonly #streams: StreamStore;
  readonly #packet = emptyPacket();
  readonly #frame: Mutable<CapturedFrame> = {
    ...{ source: 0, frame: -1, bytes: Buffer.alloc(0), start: 0, end: 0 },
    ...{ wireLength: 0, linkType: 0, tsUs: 0, nanos: 0, isPart: false },
  };

  constructor(sink: FrameSink, owners: FrameOwners, streams: StreamStore) {
    this.#sink = sink;
    this.#owners = owners;
    this.#streams = streams;
  }

  /** Record `i` is a frame. */
  onRecord(b: RecordBatch, i: number): void {
    const f = this.#frame;
    f.source = b.source(i);
    f.frame = b.frame(i);
    f.bytes = b.data;
    f.start = b.off(i);
    f.end = f.start + b.len(i);
    f.wireLength = b.wireLen(i);
    f.linkType = b.link(i);
    f.tsUs = b.tsUs(i);
    f.nanos = b.check(i);
    const part = b.aux0(i);
    f.isPart = part === FRAME_PART.PART;
    if (part !== FRAME_PART.MEDIA && part !== FRAME_PART.CONTROL) {
      this.#sink.onFrame(f, NOBODY, undefined);
      return;
    }
    b.readPacket(i, this.#packet);
    const index = b.aux1(i);
    const stream = index === NO_STREAM ? undefined : this.#streams.find(index, b.aux2(i));
    this.#sink.onFrame(f, this.#owners.of(this.#packet, stream, part === FRAME_PART.CONTROL), stream);
  }

  /** An ICMP error quotes a packet between these sockets; RTCP is as likely as media. */
  onQuote(src: EndpointKey, dst: EndpointKey, c: Packet): void {
    for (const { slot } of this.#owners.ofSockets(src, dst, c.tsUs, undefined, true)) this.#sink.add(slot, c);
  }

  /** The IP payload of a datagram that came in fragments; `c` has its addresses. */
  onDatagram(payload: Uint8Array, proto: number, c: Packet, frames: InFrame): void {
    if (proto !== UDP || payload.length < UDP_HEADER) return;
    c.srcPort = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
    c.dstPort = ((payload[2] ?? 0) << 8) | (payload[3] ?? 0);
    for (const { slot } of this.#owners.of(c, undefined, false)) this.#sink.add(slot, frames);
  }
}
