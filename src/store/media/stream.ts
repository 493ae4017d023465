/**
 * One RTP stream, as those see it who ask for one: its facts lie in the store's columns (stream-columns.ts), its counters
 * in the native table (src/protocols/rtp/stream-table.ts).
 */
import type { EndpointKey } from '../../core/ip.ts';
import type { SegmentEnd } from '../../protocols/rtp/stream-segment.ts';
import type { FramePointer } from '../dialogs/call-marks.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import type { RtcpSideData } from './rtcp-data.ts';
import type { ClaimedMedia } from './sdp-timeline.ts';
import type { StreamColumns } from './stream-columns.ts';
import { FACT } from './stream-columns.ts';

export class Stream {
  /** Closed windows, as native/rtp/rtp_report.h lays them out; null while none closed. */
  windows: Uint8Array | null = null;
  windowCount = 0;
  /** Where its payload type changed, oldest first; null while it never did. */
  ends: SegmentEnd[] | null = null;
  rtcp: RtcpSideData | null = null;
  /** Its place in the native table. */
  readonly index: number;
  #columns: StreamColumns;
  #place: number;

  constructor(columns: StreamColumns, index: number) {
    this.#columns = columns;
    this.#place = index;
    this.index = index;
  }

  /** The place becomes another's: who still reads this stream finds its facts. */
  detach(): void {
    this.#columns = this.#columns.copy(this.#place);
    this.#place = 0;
  }

  get serial(): number {
    return this.#columns.serial(this.#place);
  }
  get generation(): number {
    return this.#columns.generation(this.#place);
  }
  get ssrc(): number {
    return this.#columns.ssrc(this.#place);
  }
  get origin(): number {
    return this.#columns.origin(this.#place);
  }
  /** Number of the file or interface that brought its first packet. */
  get source(): number {
    return this.#columns.source(this.#place);
  }
  get openedUs(): number {
    return this.#columns.openedUs(this.#place);
  }
  get ipVersion(): number {
    return this.#columns.has(this.#place, FACT.IPV6) ? 6 : 4;
  }
  get srcKey(): EndpointKey {
    return this.#columns.srcKey(this.#place);
  }
  get dstKey(): EndpointKey {
    return this.#columns.dstKey(this.#place);
  }

  /** What a description said of it; null while no dialog owns it. */
  get claim(): ClaimedMedia | null {
    return this.#columns.media(this.#place);
  }
  get dialog(): Dialog | null {
    return this.#columns.dialog(this.#place);
  }

  /** The heuristic found it to be RTP; false while only an SDP vouches for it. */
  get isAccepted(): boolean {
    return this.#columns.has(this.#place, FACT.ACCEPTED);
  }
  /** A dialog that gave it up owned it before. */
  get wasOwned(): boolean {
    return this.#columns.has(this.#place, FACT.WAS_OWNED);
  }
  /** A description said that it is encrypted. */
  get isEncrypted(): boolean {
    return this.#columns.has(this.#place, FACT.ENCRYPTED);
  }

  /** Its quality stands in the histograms. */
  get isObserved(): boolean {
    return this.#columns.has(this.#place, FACT.OBSERVED);
  }
  set isObserved(value: boolean) {
    this.#columns.set(this.#place, FACT.OBSERVED, value);
  }

  /** The frame that opened it; null when it came without one. */
  get frame(): FramePointer | null {
    return this.#columns.frame(this.#place);
  }
}
