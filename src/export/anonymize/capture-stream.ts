/**
 * Makes a pcapng anonymous while it goes by: the packet blocks of calltap's own writers (native/output/pcap_encode.c,
 * src/export/pcapng-blocks.ts). Names, comments and options of a file are never written again.
 *
 * Blocks that keep their length are rewritten where they lie, and go on in runs: media costs no copy and no object.
 */
import {
  INTERFACE_BYTES,
  packetBytes,
  putInterface,
  putPacketAt,
  putSection,
  SECTION_BYTES,
} from '../pcapng-blocks.ts';
import type { Anonymizer } from './anonymizer.ts';
import type { FrameCounts, FrameNote } from './frame-anonymizer.ts';
import { FrameAnonymizer } from './frame-anonymizer.ts';

/** Link types that a file may have. @cap */
const MAX_LINK_TYPES = 64;

const BLOCK_BYTES = 12;
const LONGEST_BLOCK = 1024 * 1024;
const OUT_BYTES = 256 * 1024;
const BLOCK = { SECTION: 0x0a0d_0d0a, INTERFACE: 1, PACKET: 6 } as const;
const AROUND_PACKET = 32;
const BEFORE_PACKET = 28;

/** Takes what comes out, in order. The bytes hold during the call. */
export type CaptureTarget = {
  section(): void;
  /** Packets that follow name their interfaces by their places in this list. */
  interface(linkType: number): void;
  /** Whole packet blocks. */
  packets(blocks: Uint8Array, start: number, end: number): void;
};

type Note = FrameNote & { readonly interface: number; readonly high: number; readonly low: number };

export class CaptureStream {
  readonly #frames: FrameAnonymizer<Note>;
  readonly #target: CaptureTarget;
  readonly #linkTypes: number[] = [];
  readonly #out = Buffer.alloc(OUT_BYTES + LONGEST_BLOCK);
  #outLength = 0;

  constructor(anonymizer: Anonymizer, target: CaptureTarget) {
    this.#target = target;
    this.#frames = new FrameAnonymizer<Note>(anonymizer, (bytes, start, end, wireLength, note) =>
      this.#put(bytes.subarray(start, end), wireLength, note),
    );
  }

  get counts(): FrameCounts {
    return this.#frames.counts;
  }

  /**
   * Takes the whole blocks among the first `end` bytes, which may change them; the bytes of those. `b` begins at a multiple of
   * four of its memory. Throws where there is no such file.
   */
  take(b: Buffer, end: number): number {
    const words = new Uint32Array(b.buffer, b.byteOffset, end >>> 2);
    let at = 0;
    let run = 0;
    while (end - at >= BLOCK_BYTES) {
      const type = words[at >>> 2];
      const length = words[(at >>> 2) + 1] ?? 0;
      if (length < BLOCK_BYTES || (length & 3) !== 0 || length > LONGEST_BLOCK) throw new Error('no pcapng of calltap');
      if (length > end - at) break;
      const next = at + length;
      const captured = type === BLOCK.PACKET ? (words[(at >>> 2) + 5] ?? 0) : 0;
      const isPlain = type === BLOCK.PACKET && length === packetBytes(captured);
      const link = isPlain ? this.#linkTypes[words[(at >>> 2) + 2] ?? 0] : undefined;
      const start = at + BEFORE_PACKET;
      if (link !== undefined && this.#frames.rewriteInPlace(b, start, start + captured, link, words)) {
        at = next;
        continue;
      }
      this.#give(b, run, at);
      if (type === BLOCK.PACKET) this.#packet(b, at, length);
      else if (type === BLOCK.INTERFACE) this.#interface(b.readUInt16LE(at + 8));
      else if (type === BLOCK.SECTION) this.#section();
      at = next;
      run = at;
    }
    this.#give(b, run, at);
    this.#flush();
    return at;
  }

  /** No more comes. */
  end(): void {
    this.#frames.end();
    this.#flush();
  }

  #section(): void {
    // What waits belongs to the interfaces before.
    this.end();
    this.#linkTypes.length = 0;
    this.#target.section();
  }

  #interface(linkType: number): void {
    if (this.#linkTypes.length === MAX_LINK_TYPES) throw new Error('too many interfaces');
    this.#flush();
    this.#linkTypes.push(linkType);
    this.#target.interface(linkType);
  }

  #packet(b: Buffer, at: number, length: number): void {
    const id = b.readUInt32LE(at + 8);
    const captured = b.readUInt32LE(at + 20);
    const linkType = this.#linkTypes[id];
    if (linkType === undefined || captured > length - AROUND_PACKET) throw new Error('no pcapng of calltap');
    const high = b.readUInt32LE(at + 12);
    const low = b.readUInt32LE(at + 16);
    const tsUs = (high * 0x1_0000_0000 + low) / 1000;
    const note = { linkType, tsUs, wireLength: b.readUInt32LE(at + 24), interface: id, high, low };
    this.#frames.take(b, at + BEFORE_PACKET, at + BEFORE_PACKET + captured, note);
  }

  #put(frame: Uint8Array, wireLength: number, { interface: id, high, low }: Note): void {
    this.#outLength = putPacketAt(this.#out, this.#outLength, id, high, low, frame, wireLength);
    if (this.#outLength >= OUT_BYTES) this.#flush();
  }

  /** A run that lies in the input; what was put together before it goes first. */
  #give(b: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.#flush();
    this.#target.packets(b, start, end);
  }

  #flush(): void {
    const end = this.#outLength;
    this.#outLength = 0;
    if (end > 0) this.#target.packets(this.#out, 0, end);
  }
}

/** A capture in memory, made anonymous: pieces of the file that it becomes. */
export function* anonymizedCapture(
  pieces: Iterable<Buffer>,
  anonymizer: Anonymizer,
): Generator<Buffer, FrameCounts, void> {
  const ready: Buffer[] = [];
  const stream = new CaptureStream(anonymizer, {
    section() {
      const b = Buffer.alloc(SECTION_BYTES);
      putSection(b, 0);
      ready.push(b);
    },
    interface(linkType) {
      const b = Buffer.alloc(INTERFACE_BYTES);
      putInterface(b, 0, linkType);
      ready.push(b);
    },
    packets: (blocks, start, end) => ready.push(Buffer.from(blocks.subarray(start, end))),
  });
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    const whole = Buffer.alloc(rest.length + piece.length);
    rest.copy(whole);
    piece.copy(whole, rest.length);
    rest = whole.subarray(stream.take(whole, whole.length));
    yield* ready.splice(0);
  }
  stream.end();
  yield* ready;
  return stream.counts;
}
