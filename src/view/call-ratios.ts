/** How many of the calls that were tried got through: ASR (ITU-T E.411) and NER (E.425), and the delay before it rings. */
import type { CallRatios } from '../contract/index.ts';
import * as METHOD from '../core/methods.ts';
import { rounded } from '../core/rounded.ts';
import { isAnswer, isEffective } from '../store/dialogs/call-outcome.ts';
import { postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { STATE } from '../store/dialogs/dialog-state.ts';
import { nearestRankOf } from './pdd-percentiles.ts';

export class RatioCount {
  #tried = 0;
  #answered = 0;
  #effective = 0;
  readonly #delaysMs: number[] = [];

  /** What is still being set up is not tried yet. */
  add(d: Dialog): void {
    if (d.methodId !== METHOD.INVITE || d.state === STATE.Trying || d.state === STATE.Ringing) return;
    this.#tried++;
    if (isAnswer(d.finalCode)) this.#answered++;
    if (isEffective(d.finalCode)) this.#effective++;
    const ms = postDialDelayMs(d);
    if (ms !== null) this.#delaysMs.push(ms);
  }

  get ratios(): CallRatios {
    const tried = this.#tried;
    const percent = (part: number): number => rounded((100 * part) / tried, 1);
    const delaysMs = this.#delaysMs.sort((a, b) => a - b);
    const p95 = delaysMs[nearestRankOf(delaysMs.length, 95) - 1] ?? null;
    return {
      tried,
      answered: this.#answered,
      effective: this.#effective,
      ...(tried === 0 ? {} : { asr_pct: percent(this.#answered), ner_pct: percent(this.#effective) }),
      ...(p95 === null ? {} : { pdd_p95_ms: p95 }),
    };
  }
}
