/**
 * Keeps what each capture source saw of a call, every source on its own clock. A duration never mixes two clocks where one
 * source saw both its ends. What the wire saw goes before what a mirror tells.
 */
import { ORIGINS } from '../../core/words.ts';
import type { CallMarks, ForkBranch } from './call-marks.ts';

/** Better first: the kernel's clock here, the clock of a probed process, the clock a mirroring agent tells. */
export const BY_QUALITY: readonly number[] = [
  ORIGINS.indexOf('wire'),
  ORIGINS.indexOf('uprobe'),
  ORIGINS.indexOf('hep'),
];

/** Copies of one message are this close at most; what is closer at the ends of a call is the same message. */
export const SAME_MESSAGE_US = 2_000_000;

/** The marks of one source. */
class SourceMarks implements CallMarks {
  /** First and last message, by the source's clock where it can be compared with ours, else by their arrival. */
  firstUs = Number.POSITIVE_INFINITY;
  lastUs = Number.NEGATIVE_INFINITY;
  /** When its first message came in here. */
  firstArrivedUs = Number.POSITIVE_INFINITY;
  marks = 0;
  inviteCseq = -1;
  inviteUs = Number.NaN;
  tryingUs = Number.NaN;
  progressUs = Number.NaN;
  progressTagHash = 0;
  branches: ForkBranch[] | null = null;
  finalUs = Number.NaN;
  answerUs = Number.NaN;
  answerTagHash = 0;
  byeUs = Number.NaN;
  byeCseq = -1;
  byeFinalUs = Number.NaN;

  note(tsUs: number, arrivedUs: number): void {
    const atUs = Math.abs(arrivedUs - tsUs) <= SAME_MESSAGE_US ? tsUs : arrivedUs;
    if (atUs < this.firstUs) this.firstUs = atUs;
    if (atUs > this.lastUs) this.lastUs = atUs;
    if (arrivedUs < this.firstArrivedUs) this.firstArrivedUs = arrivedUs;
  }
}

/** A call with the marks of all its sources together. */
type MarkedCall = CallMarks & {
  readonly origin: number;
  readonly createdUs: number;
  readonly updatedUs: number;
  readonly arrivalLagUs: number;
};

/** The marks of a dialog that one source alone has carried so far, as that source's own. */
function marksOfOnly(d: MarkedCall): SourceMarks {
  const m = new SourceMarks();
  m.note(d.createdUs, d.createdUs + d.arrivalLagUs);
  m.note(d.updatedUs, d.updatedUs + d.arrivalLagUs);
  m.marks = d.marks;
  m.inviteCseq = d.inviteCseq;
  m.inviteUs = d.inviteUs;
  m.tryingUs = d.tryingUs;
  m.progressUs = d.progressUs;
  m.progressTagHash = d.progressTagHash;
  m.branches = d.branches === null ? null : [...d.branches];
  m.finalUs = d.finalUs;
  m.answerUs = d.answerUs;
  m.answerTagHash = d.answerTagHash;
  m.byeUs = d.byeUs;
  m.byeCseq = d.byeCseq;
  m.byeFinalUs = d.byeFinalUs;
  return m;
}

/** All sources of one call that more than one carried. */
export class CallSources {
  readonly #marks: (SourceMarks | undefined)[] = [];

  constructor(d: MarkedCall) {
    this.#marks[d.origin] = marksOfOnly(d);
  }

  /** The marks of a source, made when it first shows. */
  of(origin: number): SourceMarks {
    const known = this.#marks[origin];
    if (known !== undefined) return known;
    const made = new SourceMarks();
    this.#marks[origin] = made;
    return made;
  }

  /** Those that carried the call, better first. */
  *better(): Generator<SourceMarks> {
    for (const origin of BY_QUALITY) {
      const m = this.#marks[origin];
      if (m !== undefined) yield m;
    }
  }

  /** The source whose first message came in first; of two at the same time the better one. */
  get opener(): number {
    let opener = -1;
    let firstUs = Number.POSITIVE_INFINITY;
    for (const origin of BY_QUALITY) {
      const m = this.#marks[origin];
      if (m === undefined || m.firstArrivedUs >= firstUs) continue;
      opener = origin;
      firstUs = m.firstArrivedUs;
    }
    return opener;
  }

  /** First and last message on the best clock; another source extends them only by more than clocks may differ. */
  get firstUs(): number {
    let firstUs = Number.NaN;
    for (const m of this.better())
      if (Number.isNaN(firstUs) || firstUs - m.firstUs > SAME_MESSAGE_US) firstUs = m.firstUs;
    return firstUs;
  }

  get lastUs(): number {
    let lastUs = Number.NaN;
    for (const m of this.better()) if (Number.isNaN(lastUs) || m.lastUs - lastUs > SAME_MESSAGE_US) lastUs = m.lastUs;
    return lastUs;
  }
}
