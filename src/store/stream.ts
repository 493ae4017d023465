/**
 * One RTP stream as the store knows it; its counters live in the native table (src/rtp/stream-table.ts).
 */
import type { EndpointKey } from '../core/ip.ts';
import type { RtcpSideData } from './rtcp-data.ts';
import type { Claim } from './endpoint-index.ts';
import type { Dialog, FramePointer } from './dialog.ts';

export class Stream {
  readonly serial: number;
  readonly table: number;
  readonly index: number;
  readonly generation: number;
  readonly ssrc: number;
  readonly origin: number;
  readonly openedUs: number;
  readonly ipVersion: number;
  readonly srcKey: EndpointKey;
  readonly dstKey: EndpointKey;
  readonly frame: FramePointer | null;
  /** The heuristic found it to be RTP; false while only an SDP vouches for it. */
  isAccepted = false;
  dialog: Dialog | null = null;
  claim: Claim | null = null;
  /** Closed windows, as native/rtp_stream.h lays them out; null while none closed. */
  windows: Uint8Array | null = null;
  windowCount = 0;
  rtcp: RtcpSideData | null = null;
  /** Its quality stands in the histograms. */
  isObserved = false;
  /** Place in the store's list of visible streams. */
  orderIndex = -1;

  constructor(init: {
    serial: number;
    table: number;
    index: number;
    generation: number;
    ssrc: number;
    origin: number;
    openedUs: number;
    ipVersion: number;
    srcKey: EndpointKey;
    dstKey: EndpointKey;
    frame: FramePointer | null;
  }) {
    this.serial = init.serial;
    this.table = init.table;
    this.index = init.index;
    this.generation = init.generation;
    this.ssrc = init.ssrc;
    this.origin = init.origin;
    this.openedUs = init.openedUs;
    this.ipVersion = init.ipVersion;
    this.srcKey = init.srcKey;
    this.dstKey = init.dstKey;
    this.frame = init.frame;
  }

  /** A stream is shown once the heuristic accepted it or a dialog claims it. */
  get isVisible(): boolean {
    return this.isAccepted || this.dialog !== null;
  }
}
