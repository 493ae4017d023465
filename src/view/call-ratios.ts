/**
 * How many of the calls that were tried got through: ASR and NER (ITU-T E.411), and the delay before it rings, in all and by
 * the addresses that calls came from and went to.
 */
import { messagesOf } from '../analysis/call-messages.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AddressRatios, CallRatios } from '../contract/index.ts';
import { MAX_ADDRESSES_COUNTED, MAX_ADDRESSES_SHOWN } from '../core/item-limits.ts';
import * as METHOD from '../core/methods.ts';
import { rounded } from '../core/rounded.ts';
import type { Steps } from '../core/turns.ts';
import { isAnswer, isEffective } from '../store/dialogs/call-outcome.ts';
import { postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { STATE } from '../store/dialogs/dialog-state.ts';
import { nearestRankOf } from './pdd-percentiles.ts';

type Side = AddressRatios['side'];

export class RatioCount {
  readonly #e: Evidence;
  readonly #all = new Tally();
  readonly #byAddress = new Map<string, Tally>();

  constructor(e: Evidence) {
    this.#e = e;
  }

  add(d: Dialog): void {
    if (d.methodId !== METHOD.INVITE || d.state === STATE.Trying || d.state === STATE.Ringing) return;
    this.#all.add(d);
    // Where the call was first seen: what it passed after that is another address's.
    const [first] = messagesOf(d, this.#e.stores.log);
    if (first === undefined) return;
    this.#tallyOf('caller', first.src.host).add(d);
    this.#tallyOf('callee', first.dst.host).add(d);
  }

  get ratios(): CallRatios {
    return this.#all.ratios;
  }

  /** The busiest first; a step an address. */
  *addresses(): Steps<AddressRatios[]> {
    const busiest = [...this.#byAddress]
      .sort(([keyA, a], [keyB, b]) => b.tried - a.tried || (keyA < keyB ? -1 : 1))
      .slice(0, MAX_ADDRESSES_SHOWN);
    const rows: AddressRatios[] = [];
    for (const [key, tally] of busiest) {
      yield;
      const [side = '', address = ''] = key.split(' ');
      const name = this.#e.rules.names.of(address);
      // The key was made of a side.
      rows.push({ address, ...(name === null ? {} : { name }), side: side as Side, ...tally.ratios });
    }
    return rows;
  }

  #tallyOf(side: Side, address: string): Tally {
    const key = `${side} ${address}`;
    let tally = this.#byAddress.get(key);
    if (tally === undefined) {
      if (this.#byAddress.size >= MAX_ADDRESSES_COUNTED) this.#forgetRare();
      tally = new Tally();
      this.#byAddress.set(key, tally);
    }
    return tally;
  }

  /** Who calls from ever new addresses does not push out who calls often. */
  #forgetRare(): void {
    for (let most = 1; this.#byAddress.size > MAX_ADDRESSES_COUNTED / 2; most++)
      for (const [key, { tried }] of this.#byAddress) if (tried <= most) this.#byAddress.delete(key);
  }
}

class Tally {
  tried = 0;
  #answered = 0;
  #effective = 0;
  readonly #delaysMs: number[] = [];

  add(d: Dialog): void {
    this.tried++;
    if (isAnswer(d.finalCode)) this.#answered++;
    if (isEffective(d.finalCode)) this.#effective++;
    const ms = postDialDelayMs(d);
    if (ms !== null) this.#delaysMs.push(ms);
  }

  get ratios(): CallRatios {
    const { tried } = this;
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
