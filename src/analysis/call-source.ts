/** Holds one dialog while the fields of its call are read: what several fields need is read once, and only where one asks for it. */
import { finish } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn } from '../store/stores.ts';
import type { CallStream } from './call.ts';
import type { CallMessage } from './call-messages.ts';
import { messagesOf } from './call-messages.ts';
import type { CallWay } from './call-way.ts';
import { callWayAmong, callWayOf } from './call-way.ts';
import type { DialogFacts } from './dialog-facts.ts';
import { dialogFactsSteps } from './dialog-facts.ts';
import type { Evidence } from './evidence.ts';
import type { WorstReported } from './media/reported-worst.ts';
import { worstReported } from './media/reported-worst.ts';

export class CallSource {
  d: Dialog;
  readonly e: Evidence;
  #messages: readonly CallMessage[] | undefined;
  #facts: DialogFacts | undefined;
  #way: CallWay | null | undefined;
  #reported: WorstReported | undefined;

  /** `facts`: for who has them. */
  constructor(e: Evidence, d: Dialog, facts?: DialogFacts) {
    this.e = e;
    this.d = d;
    this.#facts = facts;
  }

  /** Is about this dialog from now on: a walk over all dialogs makes one source. */
  turnTo(d: Dialog): void {
    this.d = d;
    this.#messages = undefined;
    this.#facts = undefined;
    this.#way = undefined;
    this.#reported = undefined;
  }

  get capture(): CapturedIn {
    return this.e.capture;
  }

  /** The kept messages; each message of one dialog is bounded, and so is their number. */
  get messages(): readonly CallMessage[] {
    this.#messages ??= this.#facts?.messages ?? messagesOf(this.d, this.e.stores.log);
    return this.#messages;
  }

  /** With their figures: whoever shows a call shows its findings too, which need them. */
  get streams(): readonly CallStream[] {
    return this.facts.streams;
  }

  get isJudged(): boolean {
    return this.#facts !== undefined;
  }

  /** Judged at once where `facts` were not set. */
  get facts(): DialogFacts {
    this.#facts ??= finish(dialogFactsSteps(this.e, this.d));
    return this.#facts;
  }

  set facts(facts: DialogFacts) {
    this.#facts = facts;
  }

  /** What phones and agents reported of it. */
  get reported(): WorstReported {
    this.#reported ??= worstReported(this.d, this.e.stores);
    return this.#reported;
  }

  /** Null where no message is kept. */
  get way(): CallWay | null {
    if (this.#way === undefined)
      this.#way =
        this.#messages === undefined ? callWayOf(this.d, this.e.stores.log) : callWayAmong(this.d, this.#messages);
    return this.#way;
  }
}
