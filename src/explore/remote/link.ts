/**
 * Whether a service can be reached, since when not, and what whoever asks is told then. Over all of it stands the address, since
 * nobody remembers where a screen looks.
 */

import type { RemoteFailure } from '../../net/failures.ts';
import { clockOf } from '../../view/clock.ts';
import type { Refusal } from '../refusal.ts';
import { Away, Busy, Cannot, NotHere } from '../refusal.ts';

export class Link {
  readonly #url: string;
  readonly #isUtc: boolean;
  #lost: { readonly sinceMs: number; readonly why: RemoteFailure } | null = null;

  constructor(url: string, isUtc: boolean) {
    this.#url = url;
    this.#isUtc = isUtc;
  }

  /** Something was answered. */
  regain(): void {
    this.#lost = null;
  }

  lose(why: RemoteFailure): void {
    this.#lost = { sinceMs: this.#lost?.sinceMs ?? Date.now(), why };
  }

  /** The refusal of an answer that did not come; others may. */
  refuse(why: RemoteFailure): Refusal {
    if (why.kind === 'lost') this.lose(why);
    return this.#refusalOf(why);
  }

  /** Nothing is asked: whoever looks whether it is there again is enough. */
  refuseAll(): void {
    if (this.#lost !== null) throw this.#refusalOf(this.#lost.why);
  }

  /** For the strip; '' while answers come. */
  get trouble(): string {
    const lost = this.#lost;
    if (lost === null) return '';
    const { time } = clockOf(lost.sinceMs * 1000, this.#isUtc);
    return `no answer from ${this.#url} since ${time.slice(0, 8)}, trying again: ${lost.why.message}`;
  }

  #refusalOf({ kind, message, remedy }: RemoteFailure): Refusal {
    const sentence = `${this.#url}: ${message}${remedy === '' ? '' : `; ${remedy}`}`;
    if (kind === 'gone') return new NotHere(sentence);
    if (kind === 'busy') return new Busy(sentence);
    return kind === 'no' ? new Cannot('too-wide', sentence) : new Away('agent-away', sentence);
  }
}
