/**
 * Processes whose TLS no probe sees: looked for while the probes run, named once. They move TLS records on their sockets,
 * and no call of theirs came by a probe.
 */

import { safeText } from '../../core/terminal-text.ts';
import type { TlsMovers } from './native-tls.ts';

/** Processes that are counted of those whose TLS no probe sees, and programs that are named. @cap */
const MAX_TLS_UNSEEN = 1_024;

const WATCH_MS = 2_000;
const EVERY_MS = 60_000;

export type UnseenParts = {
  readonly watch: (ms: number) => Promise<TlsMovers>;
  /** Whether a probe has seen a call of the process. */
  readonly observes: (pid: number) => boolean;
  /** Whether the run means this process at all. */
  readonly isMeant: (pid: number, comm: string) => boolean;
  readonly isAlive: (pid: number) => boolean;
  readonly say: (line: string) => void;
};

export class UnseenProcesses {
  readonly #parts: UnseenParts;
  /** Names by process; those that ended go with the next look. */
  readonly #seen = new Map<number, string>();
  /** Names that were said: a program is named once, however many processes it has. */
  readonly #said = new Set<string>();
  #isLooking = false;
  #nextMs = 0;
  #error = '';

  constructor(parts: UnseenParts) {
    this.#parts = parts;
  }

  /** Processes that live and were found so; at most MAX_TLS_UNSEEN are counted. */
  get count(): number {
    return this.#seen.size;
  }

  /** Looks when it is time. */
  async look(nowMs: number): Promise<void> {
    if (this.#isLooking || nowMs < this.#nextMs) return;
    this.#isLooking = true;
    this.#nextMs = nowMs + EVERY_MS;
    try {
      this.#take(await this.#parts.watch(WATCH_MS));
    } finally {
      this.#isLooking = false;
    }
  }

  #take({ error, rows }: TlsMovers): void {
    const { observes, isMeant, isAlive, say } = this.#parts;
    if (error !== '' && this.#error === '') say(`uprobe: cannot tell whose TLS no probe sees: ${error}`);
    this.#error = error;
    for (const pid of this.#seen.keys()) if (observes(pid) || !isAlive(pid)) this.#seen.delete(pid);
    for (const { pid, comm } of rows) {
      if (pid === process.pid || observes(pid) || !isMeant(pid, comm) || !isAlive(pid)) continue;
      if (this.#seen.size < MAX_TLS_UNSEEN) this.#seen.set(pid, comm);
      if (this.#said.has(comm) || this.#said.size >= MAX_TLS_UNSEEN) continue;
      this.#said.add(comm);
      say(`uprobe: ${safeText(comm)} (${pid}) speaks TLS that no probe sees; calltap --uprobe-list says why`);
    }
  }
}
