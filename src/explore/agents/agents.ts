/**
 * Asks the agents that `[agents]` names, one or all of them, and says of each that has no answer why. No other host is dialled.
 */
import { connectionFailure, RemoteFailure, saidText } from '../../net/failures.ts';
import type { Target } from '../../net/target.ts';
import { Requests } from '../remote/requests.ts';

/** Agents that are asked at a time where all of them are. @cap */
const AGENTS_AT_ONCE = 64;

/** A host that does not even take a connection is away: nobody waits for a file from there. */
const CONNECT_MS = 2_000;

/** A host without an answer, and a sentence that says why. */
export type Missing = { readonly host: string; readonly why: string };

export class Agents {
  readonly #requests: ReadonlyMap<string, Requests>;
  questions = 0;
  failures = 0;

  constructor(targets: ReadonlyMap<string, Target>) {
    this.#requests = new Map([...targets].map(([host, target]) => [host, new Requests(target, CONNECT_MS)]));
  }

  get hosts(): readonly string[] {
    return [...this.#requests.keys()];
  }

  /** What `work` makes of the agent of a host. Rejects with RemoteFailure. */
  async ask<T>(host: string, work: (requests: Requests) => Promise<T>): Promise<T> {
    const requests = this.#requests.get(host);
    if (requests === undefined) throw new RemoteFailure('no', 'it is not in [agents]', 'name it there, with its url');
    this.questions++;
    try {
      return await work(requests);
    } catch (error) {
      const failure = connectionFailure(error);
      // It answered, that it has no such thing.
      if (failure.kind !== 'gone') this.failures++;
      throw failure;
    }
  }

  /**
   * Asks all of them, some at a time; `add` takes each answer as it comes. The hosts that are missing, in the order of the
   * configuration.
   */
  async everywhere<T>(
    work: (requests: Requests) => Promise<T>,
    add: (host: string, answer: T) => void,
  ): Promise<readonly Missing[]> {
    const why = new Map<string, string>();
    const left = this.hosts[Symbol.iterator]();
    const next = async (): Promise<void> => {
      for (const host of left) {
        try {
          add(host, await this.ask(host, work));
        } catch (error) {
          why.set(host, whySentence(host, error));
        }
      }
    };
    await Promise.all(Array.from({ length: AGENTS_AT_ONCE }, next));
    return this.hosts.flatMap((host) => {
      const found = why.get(host);
      return found === undefined ? [] : [{ host, why: found }];
    });
  }

  close(): void {
    for (const requests of this.#requests.values()) requests.close();
  }
}

/** Why the agent of a host has no answer. A host may be one that a forged row names. */
export function whySentence(host: string, error: unknown): string {
  const { message, remedy } = connectionFailure(error);
  const text = remedy === '' ? message : `${message}; ${remedy}`;
  // The words are those of --connect.
  const words = text.replace('--ca FILE', 'ca of this agent').replace('that of --ca', 'its ca');
  return `${saidText(host)}: ${words}.`;
}
