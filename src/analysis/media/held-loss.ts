/**
 * Computes how much of a stream's loss a hold explains. The sequence continued while the descriptions in force let nothing
 * come here, as through a PBX that bridges the two other ends meanwhile. Nobody expected those packets.
 *
 * A hold explains at most one gap in a window, and at most as many packets as the hold would have had, with a packet at each
 * of its edges. A gap that reaches beyond the hold is loss there. A gap is also loss if the sequence stood still during the
 * hold.
 */

import type { StreamSnapshot } from '../../protocols/rtp/stream-snapshot.ts';
import type { StreamWindow } from '../../protocols/rtp/stream-window.ts';
import { recounted } from '../../protocols/rtp/stream-window.ts';
import { streamFormat } from '../../store/media/codec-format.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Span } from './held-spans.ts';
import { heldSpans } from './held-spans.ts';

/** What is excused, and what is left to judge. */
export type Excused = {
  /** Packets, and the gaps that they make. */
  readonly lost: number;
  readonly gaps: number;
  /** With what is expected of each, without those in which nothing was. */
  readonly windows: StreamWindow[];
  /** The packets, where they are: each with the beginning of its window. */
  readonly pieces: readonly HeldPiece[];
};

export type HeldPiece = { readonly atUs: number; readonly lost: number };

type Counts = Pick<
  StreamWindow,
  'startUs' | 'lengthUs' | 'packets' | 'expected' | 'lost' | 'lossRuns' | 'payloadType' | 'clock' | 'tsStep'
>;

/** Where the timestamps did not tell the packet time (RFC 3551 section 4.2). */
const DEFAULT_PACKET_US = 20_000;

/** A hold may explain some of what the stream lost. */
export function mayExplain(stream: Stream, s: StreamSnapshot): boolean {
  return s.lost > 0 && stream.dialog !== null && heldSpans(stream.dialog, stream).length > 0;
}

/** `windows` of the stream, oldest first, the open one too. */
export function excuseHeld(stream: Stream, s: StreamSnapshot, windows: StreamWindow[]): Excused {
  const spans = s.lost === 0 || stream.dialog === null ? [] : heldSpans(stream.dialog, stream);
  if (spans.length === 0) return { lost: 0, gaps: 0, windows, pieces: [] };
  const excuse = new Excuse(stream, s, spans);
  const rest = forgotten(s, windows);
  if (rest !== null) excuse.of(rest);
  const left: StreamWindow[] = [];
  for (const w of windows) {
    const lost = excuse.of(w);
    if (lost === 0) left.push(w);
    else if (w.packets > 0 || w.lost > lost) left.push(without(w, lost));
  }
  return { lost: excuse.lost, gaps: excuse.gaps, windows: left, pieces: excuse.pieces };
}

class Excuse {
  lost = 0;
  gaps = 0;
  readonly pieces: HeldPiece[] = [];
  readonly #stream: Stream;
  readonly #spans: readonly Span[];
  readonly #lastUs: number;
  /** Packets may be missing without a gap in the sequence: how many were due in a time is not known. */
  readonly #isSilentAtTimes: boolean;
  /** Packets that the hold would have had so far, less those excused. */
  #room = 0;
  #isInGap = false;

  constructor(stream: Stream, s: StreamSnapshot, spans: readonly Span[]) {
    this.#stream = stream;
    this.#spans = spans;
    this.#lastUs = s.lastUs;
    // A hold during which the sequence stood still is one of the pauses.
    this.#isSilentAtTimes = s.cnPackets > 0 || s.pauses > spans.length;
  }

  /** Of the window that follows the one asked before. */
  of(window: Counts): number {
    const { startUs, lengthUs, packets, expected, lost, lossRuns } = window;
    const packetUs = this.#packetUs(window);
    const endUs = Math.min(startUs + lengthUs, this.#lastUs + packetUs);
    const heldUs = this.#heldUs(startUs, endUs, packetUs);
    this.#room = heldUs > 0 ? this.#room + heldUs / packetUs : 0;
    const gap = lost - Math.max(0, lossRuns - 1);
    const due = Math.floor((endUs - startUs - heldUs) / packetUs);
    const missing = packets === 0 || this.#isSilentAtTimes ? gap : Math.min(gap, expected - due);
    const excused = Math.max(0, Math.min(missing, Math.floor(this.#room)));
    if (excused > 0 && !this.#isInGap) this.gaps++;
    this.#isInGap = excused > 0;
    this.#room -= excused;
    this.lost += excused;
    if (excused > 0) this.pieces.push({ atUs: startUs, lost: excused });
    return excused;
  }

  #packetUs({ payloadType, clock, tsStep }: Counts): number {
    const clockRate = streamFormat(this.#stream, payloadType)?.clockRate ?? clock;
    return tsStep > 0 && clockRate > 0 ? (tsStep * 1e6) / clockRate : DEFAULT_PACKET_US;
  }

  #heldUs(fromUs: number, toUs: number, edgeUs: number): number {
    let us = 0;
    for (const span of this.#spans)
      us += Math.max(0, Math.min(toUs, span.toUs + edgeUs) - Math.max(fromUs, span.fromUs - edgeUs));
    return us;
  }
}

/** What was counted before the first window that is kept. */
function forgotten(s: StreamSnapshot, windows: readonly StreamWindow[]): Counts | null {
  const toUs = windows[0]?.startUs ?? s.lastUs;
  if (toUs - s.firstUs < 1) return null;
  let { packets, expected, lost, lossRuns } = s;
  for (const w of windows) {
    packets -= w.packets;
    expected -= w.expected;
    lost -= w.lost;
    lossRuns -= w.lossRuns;
  }
  const { payloadType, clock, tsStep } = windows[0] ?? s;
  const lengthUs = toUs - s.firstUs;
  return { startUs: s.firstUs, lengthUs, packets, expected, lost, lossRuns, payloadType, clock, tsStep };
}

function without(window: StreamWindow, excused: number): StreamWindow {
  const lost = window.lost - excused;
  const { startUs, expected, lossRuns } = window;
  return recounted(window, { startUs, expected: expected - excused, lost, lossRuns: Math.min(lossRuns, lost) });
}
