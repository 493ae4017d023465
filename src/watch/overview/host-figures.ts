/** What is counted of all calls of a host in a span of time. Calls are dialogs that an INVITE opened. */
import { CellFigures } from '../cell-figures.ts';
import { CodeCounts } from '../code-counts.ts';

/** Bytes beside those of a cell and of codes. A test weighs them. */
const MORE_BYTES = 80;

export class HostFigures extends CellFigures {
  /** Calls by their final code of 300 and above. */
  readonly codes = new CodeCounts();
  failed = 0;
  canceled = 0;
  messages = 0;
  /** Calls that talked when the last of it was counted, and the most that talked at once. */
  talking = 0;
  mostTalking = 0;

  override noteCode(code: number, before: number): void {
    super.noteCode(code, before);
    this.codes.note(failure(code), failure(before));
  }

  override merge(other: HostFigures): void {
    super.merge(other);
    this.codes.merge(other.codes);
    this.failed += other.failed;
    this.canceled += other.canceled;
    this.messages += other.messages;
    this.mostTalking = Math.max(this.mostTalking, other.mostTalking);
  }

  override get bytes(): number {
    return super.bytes + MORE_BYTES + this.codes.bytes;
  }
}

/** The code of a call that was not answered, else 0. */
function failure(code: number): number {
  return code >= 300 ? code : 0;
}
