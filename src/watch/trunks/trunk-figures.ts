/**
 * What is counted of a trunk in a span of time: a minute, an hour, or all that came before.
 *
 * Ratios are made of counts when they are shown, and quantiles of bins.
 */
import { CellFigures } from '../cell-figures.ts';
import { CodeCounts } from '../code-counts.ts';

/** Bytes of the figures beside those of a cell, and beside codes. A test weighs them. */
const MORE_BYTES = 176;

export class TrunkFigures extends CellFigures {
  /** Attempts by their final code; those without one are the rest. */
  readonly codes = new CodeCounts();
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
    this.codes.note(code, before);
  }

  override merge(other: TrunkFigures): void {
    super.merge(other);
    this.codes.merge(other.codes);
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
    return super.bytes + MORE_BYTES + this.codes.bytes;
  }
}
