/**
 * What is counted of a trunk in a span of time: a minute, an hour, or all that came before.
 *
 * Ratios are made of counts when they are shown. Quantiles come from sketches with a relative error of 1 % (DDSketch), which
 * merge without loss.
 */
import { createRequire } from 'node:module';
import type { DDSketch } from '@datadog/sketches-js';

/** Relative error of quantiles. */
const ACCURACY = 0.01;

const require = createRequire(import.meta.url);

/** Few runs count trunks: the package is loaded when the first figure comes, without waiting. */
function newSketch(): DDSketch {
  // The types of a package do not come through `require`; these are its own.
  const { DDSketch } = require('@datadog/sketches-js') as typeof import('@datadog/sketches-js');
  return new DDSketch({ relativeAccuracy: ACCURACY });
}

/**
 * Bytes of the figures without what is added below, of a code that is counted, of a sketch without its bins, and of a bin:
 * the engine keeps a fraction in an object of its own, and gives an array that grows half as much room again. A test weighs
 * them.
 */
const BASE_BYTES = 416;
const CODE_BYTES = 48;
const SKETCH_BYTES = 896;
const BIN_BYTES = 12;

export class TrunkFigures {
  /** What was last counted of its memory. */
  weighed = 0;
  /** Calls tried: INVITEs on one hop of one dialog, with the rounds that credentials take. */
  attempts = 0;
  /** Attempts by their final code; those without one are the rest. */
  readonly codes = new Map<number, number>();
  /** Calls that were answered and ended with a BYE, and how long they talked in all. */
  talks = 0;
  talkSec = 0;
  /** Most calls that talked at once. */
  mostTalking = 0;
  /** Messages of SIP that came again. */
  retransmits = 0;
  /** RTP packets that the calls' streams should have had, and those that never came. */
  expected = 0;
  lost = 0;
  optionsAsked = 0;
  optionsAnswered = 0;
  /** Sum over these. */
  roundTripMs = 0;
  registrationsFailed = 0;
  /** Post-dial delay in milliseconds, and the worst MOS of each call; null without any. */
  pddMs: DDSketch | null = null;
  mos: DDSketch | null = null;

  /** An attempt has `code` now, and had `before`; 0 stands for none. */
  noteCode(code: number, before: number): void {
    if (before > 0) {
      const left = (this.codes.get(before) ?? 0) - 1;
      if (left > 0) this.codes.set(before, left);
      else this.codes.delete(before);
    }
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  notePdd(ms: number): void {
    this.pddMs ??= newSketch();
    this.pddMs.accept(ms);
  }

  noteMos(mos: number): void {
    this.mos ??= newSketch();
    this.mos.accept(mos);
  }

  /** Adds all that another span has. */
  merge(other: TrunkFigures): void {
    this.attempts += other.attempts;
    for (const [code, n] of other.codes) this.codes.set(code, (this.codes.get(code) ?? 0) + n);
    this.talks += other.talks;
    this.talkSec += other.talkSec;
    this.mostTalking = Math.max(this.mostTalking, other.mostTalking);
    this.retransmits += other.retransmits;
    this.expected += other.expected;
    this.lost += other.lost;
    this.optionsAsked += other.optionsAsked;
    this.optionsAnswered += other.optionsAnswered;
    this.roundTripMs += other.roundTripMs;
    this.registrationsFailed += other.registrationsFailed;
    this.pddMs = merged(this.pddMs, other.pddMs);
    this.mos = merged(this.mos, other.mos);
  }

  /** About how much memory it holds. */
  get bytes(): number {
    return BASE_BYTES + this.codes.size * CODE_BYTES + sketchBytes(this.pddMs) + sketchBytes(this.mos);
  }
}

function merged(into: DDSketch | null, from: DDSketch | null): DDSketch | null {
  if (from === null) return into;
  const sum = into ?? newSketch();
  sum.merge(from);
  return sum;
}

function sketchBytes(sketch: DDSketch | null): number {
  return sketch === null ? 0 : SKETCH_BYTES + sketch.store.bins.length * BIN_BYTES;
}
