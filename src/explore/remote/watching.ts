/**
 * Follows the changes of a service for as long as the screen is there: after a restart of it too. What was missed meanwhile makes
 * whoever asks read its list again.
 */

import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DialogSummary } from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import { EventReader } from '../../net/event-stream.ts';
import type { RemoteFailure } from '../../net/failures.ts';
import { connectionFailure } from '../../net/failures.ts';
import type { Changes } from '../changes.ts';
import { Away } from '../refusal.ts';
import { ChangesLog } from './changes-log.ts';
import type { Link } from './link.ts';
import type { Requests } from './requests.ts';
import { noAsk } from './service-failures.ts';
import { readShape } from './shapes.ts';

const OPEN_MS = 10_000;
/** The service says something every 15 s. */
const SILENT_MS = 40_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;
/** Where it has no room for one more reader, the list is read again so often. */
const CROWDED_MS = 5_000;

export class Watching {
  readonly #requests: Requests;
  readonly #link: Link;
  readonly #log = new ChangesLog();
  readonly #end = new AbortController();
  /** What is known now is what was told so far. */
  #isFollowing = false;

  constructor(requests: Requests, link: Link) {
    this.#requests = requests;
    this.#link = link;
    faults.run('link', () => this.#follow());
  }

  /** Throws Away while nothing is known. */
  since(moment: number | null): Changes {
    if (this.#isFollowing) return this.#log.since(moment);
    throw new Away('agent-away', 'The service has not reported changes yet.');
  }

  close(): void {
    this.#end.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end;
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; ) {
      const failure = await this.#readOnce(() => {
        waitMs = FIRST_WAIT_MS;
      });
      const isCrowded = failure?.kind === 'busy';
      this.#isFollowing = isCrowded;
      if (isCrowded) this.#log.forget();
      else if (failure !== null) this.#link.lose(failure.kind === 'gone' ? noAsk(this.#requests.path) : failure);
      await sleep(isCrowded ? CROWDED_MS : waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    }
  }

  /** Why it ended; null where the service ended it in order, as it does when it stops. */
  async #readOnce(onOpen: () => void): Promise<RemoteFailure | null> {
    let answer: IncomingMessage | null = null;
    const leave = (): void => void answer?.destroy();
    try {
      answer = await this.#requests.open('/ask/changes', OPEN_MS);
      if (this.#end.signal.aborted) leave();
      this.#end.signal.addEventListener('abort', leave);
      answer.setTimeout(SILENT_MS, leave);
      this.#link.regain();
      onOpen();
      const events = new EventReader();
      for await (const chunk of answer)
        for (const { name, data } of events.read(chunk as Buffer)) this.#take(name, data);
      return null;
    } catch (error) {
      return connectionFailure(error);
    } finally {
      this.#end.signal.removeEventListener('abort', leave);
      leave();
    }
  }

  #take(name: string, data: string): void {
    if (name === 'change') this.#log.add(readShape(DialogSummary, data));
    else if (name === 'resync') {
      this.#log.forget();
      this.#isFollowing = true;
    }
  }
}
