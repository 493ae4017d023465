/**
 * Whether a service can be reached: since when not, and why the newest answer did not come. Over both stands the address, since
 * nobody remembers where a screen looks.
 */
import { clockOf } from '../../view/clock.ts';
import type { RemoteFailure } from './failures.ts';

export class Link {
  readonly #url: string;
  readonly #isUtc: boolean;
  #lost: { readonly sinceMs: number; readonly why: RemoteFailure } | null = null;
  #newest: RemoteFailure | null = null;

  constructor(url: string, isUtc: boolean) {
    this.#url = url;
    this.#isUtc = isUtc;
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /** Something was answered. */
  regain(): void {
    this.#lost = null;
  }

  lose(why: RemoteFailure): void {
    this.#newest = why;
    this.#lost = { sinceMs: this.#lost?.sinceMs ?? Date.now(), why };
  }

  /** One answer did not come; others may. */
  note(why: RemoteFailure): void {
    this.#newest = why;
    if (why.kind === 'lost') this.lose(why);
  }

  /** For the strip; '' while answers come. */
  get trouble(): string {
    const lost = this.#lost;
    if (lost === null) return '';
    const { time } = clockOf(lost.sinceMs * 1000, this.#isUtc);
    return `no answer from ${this.#url} since ${time.slice(0, 8)}, trying again: ${lost.why.message}`;
  }

  /** For the place where the answer would be. */
  get whyNone(): string {
    const why = this.#lost?.why ?? this.#newest;
    if (why === null) return `${this.#url} did not answer`;
    return `${this.#url}: ${why.message}${why.remedy === '' ? '' : `; ${why.remedy}`}`;
  }
}
