/**
 * The port over a running service: each question is asked at the address of its row, and its answer is held to its shape.
 */

import { faults } from '../../core/faults.ts';
import { connectionFailure, RemoteFailure } from '../../net/failures.ts';
import type { Target } from '../../net/target.ts';
import type { Pulse } from '../../view/pulse.ts';
import type { Questions, TerminalPort } from '../port.ts';
import type { AnswererClock, AnyQuestion, Question } from '../question-row.ts';
import { QUESTIONS } from '../questions.ts';
import { Cannot, Refusal } from '../refusal.ts';
import { readAnswer } from './answers.ts';
import { Link } from './link.ts';
import { Requests } from './requests.ts';
import { noAsk } from './service-failures.ts';
import { Watching } from './watching.ts';

export type RemotePort = TerminalPort & Required<Pick<TerminalPort, 'trouble'>> & { close(): void };

const PULSE_EVERY_MS = 2_000;

/** Rejects with RemoteFailure where the service cannot be reached, or does not let anybody in. `isUtc`: how times are written. */
export async function openRemote(target: Target, isUtc: boolean): Promise<RemotePort> {
  const requests = new Requests(target);
  try {
    const first = await readPulse(requests);
    return new Remote(requests, new Link(target.url, isUtc), isUtc, first).port();
  } catch (error) {
    requests.close();
    throw connectionFailure(error);
  }
}

function readPulse(requests: Requests): Promise<Pulse> {
  return readRow(requests, QUESTIONS.pulse, [], { isUtc: true, nowUs: 0 });
}

/** A service that has not even the list has no `/ask`. */
async function readRow<A extends readonly unknown[], T>(
  requests: Requests,
  row: Question<A, T>,
  asked: A,
  writing: AnswererClock,
): Promise<T> {
  const isList = row.path.startsWith('/ask/') && !row.path.includes(':');
  try {
    return await readAnswer(requests, row, row.write(asked, writing), asked, row.bounds);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.kind === 'gone' && isList) throw noAsk(requests.path);
    // A reason of the call itself stands alone.
    throw error.kind === 'no' && row.cannot !== undefined ? new Cannot(row.cannot, error.message) : error;
  }
}

class Remote {
  readonly #requests: Requests;
  readonly #link: Link;
  readonly #isUtc: boolean;
  readonly #watching: Watching;
  #pulse: Pulse;
  #pulseMs = performance.now();
  #isAskingPulse = false;

  constructor(requests: Requests, link: Link, isUtc: boolean, pulse: Pulse) {
    this.#requests = requests;
    this.#link = link;
    this.#isUtc = isUtc;
    this.#pulse = pulse;
    this.#watching = new Watching(requests, link);
  }

  port(): RemotePort {
    const methods = Object.entries(QUESTIONS).map(([name, row]) => [
      name,
      (...asked: unknown[]) => this.#ask(row as AnyQuestion, asked),
    ]);
    return {
      // A method a row, with the arguments and the answer of the row.
      ...(Object.fromEntries(methods) as Questions),
      changes: async (since) => this.#watching.since(since),
      pulse: () => this.#newestPulse(),
      trouble: () => this.#link.trouble,
      close: () => {
        this.#watching.close();
        this.#requests.close();
      },
    };
  }

  /** Rejects with a refusal where the service cannot be reached, or does not answer this. */
  async #ask<A extends readonly unknown[], T>(row: Question<A, T>, asked: A): Promise<T> {
    this.#link.refuseAll();
    try {
      const answer = await readRow(this.#requests, row, asked, { isUtc: this.#isUtc, nowUs: this.#pulse.nowUs });
      this.#link.regain();
      return answer;
    } catch (error) {
      throw error instanceof Refusal ? error : this.#link.refuse(connectionFailure(error));
    }
  }

  /** The newest one known; asks for a newer one where that is old. */
  #newestPulse(): Pulse {
    if (!this.#isAskingPulse && performance.now() - this.#pulseMs >= PULSE_EVERY_MS)
      faults.run('link', () => this.#askPulse());
    return this.#pulse;
  }

  async #askPulse(): Promise<void> {
    this.#isAskingPulse = true;
    try {
      this.#pulse = await readPulse(this.#requests);
      this.#link.regain();
    } catch (error) {
      const failure = connectionFailure(error);
      if (failure.kind !== 'busy') this.#link.lose(failure);
    } finally {
      this.#isAskingPulse = false;
      this.#pulseMs = performance.now();
    }
  }
}
