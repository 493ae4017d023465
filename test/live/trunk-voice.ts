/**
 * How a stream of the carriers' lab sounded, reckoned from its packets by hand: G.711 with packet-loss concealment by the
 * E-model (ITU-T G.107, values of G.113) after a jitter buffer of 60 ms. It shares no code with calltap.
 */
import assert from 'node:assert/strict';

/** A packet of RTP, in the order of arrival. */
export type Spoken = { readonly sec: number; readonly sequence: number; readonly ticks: number };

const CLOCK_HZ = 8_000;
/** A stream that is shorter is one window, which has a score from so many packets on. */
const WINDOW_SEC = 5;
const LEAST_EXPECTED = 50;
const BUFFER_SEC = 0.06;
/** The buffer follows a sender whose clock is slower, by so much of the time, and starts again after so many late packets. */
const DRIFT = 1 / 4_096;
const LATE_IN_A_ROW = 25;

/** Without echo and noise, nobody measured a delay: Ro - Is - Id. */
const BEST_R = 93.2;
/** G.711 with concealment of 10 ms: no impairment without loss, robustness to loss. */
const BPL = 25.1;

export type Heard = {
  readonly expected: number;
  readonly lost: number;
  /** Null where there are too few packets. */
  readonly mos: number | null;
};

/** Sequence numbers never wrap, and timestamps do not either. */
export function heard(packets: readonly Spoken[]): Heard {
  const firsts = packets.filter((one, i) => packets.findIndex(({ sequence }) => sequence === one.sequence) === i);
  const numbers = firsts.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const expected = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;
  const lost = expected - numbers.length;
  if (expected < LEAST_EXPECTED) return { expected, lost, mos: null };
  assert.ok((packets.at(-1)?.sec ?? 0) - (packets[0]?.sec ?? 0) < WINDOW_SEC, 'a stream is one window');
  const lossPct = (100 * (lost + lateIn(firsts))) / expected;
  // How long runs of losses are, by how long random loss makes them: 1 / (1 - p).
  const runs = numbers.filter((n, i) => i > 0 && n - (numbers[i - 1] ?? 0) > 1).length;
  const burstRatio = runs === 0 ? 1 : Math.max(1, (lost / runs) * (1 - lost / expected));
  return { expected, lost, mos: mosOf(BEST_R - (95 * lossPct) / (lossPct / burstRatio + BPL)) };
}

/** Packets that came more than the buffer's time after the earliest one, by what their timestamps say. */
function lateIn(packets: readonly Spoken[]): number {
  let last: Spoken | null = null;
  let [behindSec, late, inRow] = [0, 0, 0];
  for (const packet of packets) {
    const elapsedSec: number = last === null ? 0 : packet.sec - last.sec;
    const laterSec: number = last === null ? 0 : elapsedSec - (packet.ticks - last.ticks) / CLOCK_HZ;
    last = packet;
    behindSec += laterSec;
    behindSec = behindSec < 0 ? 0 : behindSec - DRIFT * elapsedSec;
    inRow = behindSec > BUFFER_SEC ? inRow + 1 : 0;
    if (inRow > 0) late++;
    if (inRow === LATE_IN_A_ROW) [behindSec, inRow] = [0, 0];
  }
  return late;
}

/** G.107 Annex B; below 6.5 the formula dips under 1. */
function mosOf(r: number): number {
  return r < 6.5 ? 1 : 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
}
