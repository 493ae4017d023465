/**
 * What is counted of a trunk in a span of time: a minute, an hour, or all that came before.
 *
 * Ratios are made of counts when they are shown, and quantiles of bins.
 */
import { CellFigures } from '../cell-figures.ts';

/** Bytes of the figures beside those of a cell, and of a code that is counted. A test weighs them. */
const MORE_BYTES = 296;
const CODE_BYTES = 48;

export class TrunkFigures extends CellFigures {
  /** Attempts by their final code; those without one are the rest. */
  readonly codes = new Map<number, number>();
  /** Calls that were answered and ended with a BYE, and how long they talked in all. */
  talks = 0;
  talkSec = 0;
  /** Most calls that talked at once. */
  mostTalking = 0;
  /** Messages of SIP that came again. */
  retransmits = 0;
  optionsAsked = 0;
  optionsAnswered = 0;
  /** Sum over these. */
  roundTripMs = 0;
  registrationsFailed = 0;

  override noteCode(code: number, before: number): void {
    super.noteCode(code, before);
    if (before > 0) {
      const left = (this.codes.get(before) ?? 0) - 1;
      if (left > 0) this.codes.set(before, left);
      else this.codes.delete(before);
    }
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  override merge(other: TrunkFigures): void {
    super.merge(other);
    for (const [code, n] of other.codes) this.codes.set(code, (this.codes.get(code) ?? 0) + n);
    this.talks += other.talks;
    this.talkSec += other.talkSec;
    this.mostTalking = Math.max(this.mostTalking, other.mostTalking);
    this.retransmits += other.retransmits;
    this.optionsAsked += other.optionsAsked;
    this.optionsAnswered += other.optionsAnswered;
    this.roundTripMs += other.roundTripMs;
    this.registrationsFailed += other.registrationsFailed;
  }

  override get bytes(): number {
    return super.bytes + MORE_BYTES + this.codes.size * CODE_BYTES;
  }
}
