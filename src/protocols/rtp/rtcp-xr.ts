/**
 * Reads the report blocks of an RTCP extended report (RFC 3611 section 3): the receiver's reference time and its
 * echo (4.4, 4.5) and the VoIP metrics (4.7); others by type only.
 *
 *   | block type | type specific | length in words, less one | contents |
 */

import type { Result } from '../../core/result.ts';
import { fail, ok } from '../../core/result.ts';

/** Blocks read of one extended report (RTCP XR). @cap */
const MAX_XR_BLOCKS = 64;

/** What an endpoint says about a stream it receives; a figure it does not know is absent. */
export type VoipMetrics = {
  readonly kind: 'voip_metrics';
  readonly ssrc: number;
  /** Of 256, over the whole stream. */
  readonly lossRate: number;
  readonly discardRate: number;
  readonly burstDensity: number;
  readonly gapDensity: number;
  readonly burstDurationMs: number;
  readonly gapDurationMs: number;
  readonly roundTripMs: number;
  readonly endSystemDelayMs: number;
  readonly gmin: number;
  readonly rFactor?: number;
  readonly externalRFactor?: number;
  readonly mosLq?: number;
  readonly mosCq?: number;
  readonly jitterBufferMs: number;
  readonly jitterBufferMaxMs: number;
};

export type XrBlock =
  | VoipMetrics
  | { readonly kind: 'reference_time'; readonly ntpSeconds: number; readonly ntpFraction: number }
  | {
      readonly kind: 'reference_time_echo';
      readonly echoes: readonly { readonly ssrc: number; readonly lastRr: number; readonly delaySinceLastRr: number }[];
    }
  | { readonly kind: 'other'; readonly blockType: number };

const BLOCK = { RRTR: 4, DLRR: 5, VOIP: 7 } as const;
/** "Unavailable" in the one-byte quality figures. */
const UNAVAILABLE = 127;

export function parseXrBlocks(v: DataView, from: number, end: number): Result<XrBlock[], 'malformed'> {
  const blocks: XrBlock[] = [];
  let at = from;
  while (at < end) {
    // A block header is four bytes, and its contents lie within the report.
    if (end - at < 4 || blocks.length === MAX_XR_BLOCKS) return fail('malformed');
    const type = v.getUint8(at);
    const words = v.getUint16(at + 2);
    const next = at + 4 + words * 4;
    if (next > end) return fail('malformed');
    const block = parseBlock(v, type, words, at + 4);
    if (block === null) return fail('malformed');
    blocks.push(block);
    at = next;
  }
  return ok(blocks);
}

function parseBlock(v: DataView, type: number, words: number, at: number): XrBlock | null {
  switch (type) {
    case BLOCK.RRTR:
      if (words !== 2) return null;
      return { kind: 'reference_time', ntpSeconds: v.getUint32(at), ntpFraction: v.getUint32(at + 4) };
    case BLOCK.DLRR: {
      if (words % 3 !== 0) return null;
      const echoes = [];
      for (let i = 0; i < words / 3; i++) {
        const e = at + i * 12;
        echoes.push({ ssrc: v.getUint32(e), lastRr: v.getUint32(e + 4), delaySinceLastRr: v.getUint32(e + 8) });
      }
      return { kind: 'reference_time_echo', echoes };
    }
    case BLOCK.VOIP:
      return words === 8 ? parseVoipMetrics(v, at) : null;
    default:
      return { kind: 'other', blockType: type };
  }
}

/*
 *   | SSRC                                                                     |  0
 *   | loss rate        | discard rate     | burst density   | gap density       |  4
 *   | burst duration (ms)                 | gap duration (ms)                   |  8
 *   | round trip delay (ms)               | end system delay (ms)               | 12
 *   | signal level     | noise level      | RERL            | Gmin              | 16
 *   | R factor         | external R       | MOS-LQ x 10     | MOS-CQ x 10       | 20
 *   | RX config        | reserved         | JB nominal (ms)                     | 24
 *   | JB maximum (ms)                     | JB absolute maximum (ms)            | 28
 */
function parseVoipMetrics(v: DataView, at: number): VoipMetrics {
  const r = v.getUint8(at + 20);
  const externalR = v.getUint8(at + 21);
  const lq = v.getUint8(at + 22);
  const cq = v.getUint8(at + 23);
  return {
    kind: 'voip_metrics',
    ssrc: v.getUint32(at),
    lossRate: v.getUint8(at + 4),
    discardRate: v.getUint8(at + 5),
    burstDensity: v.getUint8(at + 6),
    gapDensity: v.getUint8(at + 7),
    burstDurationMs: v.getUint16(at + 8),
    gapDurationMs: v.getUint16(at + 10),
    roundTripMs: v.getUint16(at + 12),
    endSystemDelayMs: v.getUint16(at + 14),
    gmin: v.getUint8(at + 19),
    ...(r === UNAVAILABLE ? {} : { rFactor: r }),
    ...(externalR === UNAVAILABLE ? {} : { externalRFactor: externalR }),
    ...(lq === UNAVAILABLE ? {} : { mosLq: lq / 10 }),
    ...(cq === UNAVAILABLE ? {} : { mosCq: cq / 10 }),
    jitterBufferMs: v.getUint16(at + 26),
    jitterBufferMaxMs: v.getUint16(at + 28),
  };
}
