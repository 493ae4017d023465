/**
 * Chooses where each message goes: to a collector, or to the first of several that is there. It chooses again whenever the
 * answer may have changed, so nothing waits for a timer.
 */
import { faults } from '../../core/faults.ts';
import type { Backlog } from './backlog.ts';
import type { Block } from './block.ts';
import type { Link } from './link.ts';

/** What nobody took for so long goes to the disk, so that a crash loses little. */
const SPILL_MS = 1_000;

export class Destination {
  readonly #links: readonly Link[];
  readonly #backlog: Backlog;
  readonly #clock: NodeJS.Timeout;
  #isPumping = false;
  #isClosed = false;

  constructor(links: readonly Link[], backlog: Backlog) {
    this.#links = links;
    this.#backlog = backlog;
    this.#clock = faults.every(SPILL_MS, 'tick', () => this.#tick());
    this.#clock.unref();
  }

  get links(): readonly Link[] {
    return this.#links;
  }

  /** Nothing waits or is under way. */
  get isDone(): boolean {
    return this.#backlog.isEmpty && this.#links.every((link) => link.underWay === 0);
  }

  /** Bytes in memory that wait or are under way. */
  get bytes(): number {
    return this.#backlog.bytes + this.#links.reduce((sum, link) => sum + link.underWay, 0);
  }

  /** Throws ServiceError when its spool cannot be used. */
  async start(): Promise<void> {
    this.#backlog.open();
    await Promise.all(this.#links.map((link) => link.start()));
  }

  add(block: Block): void {
    this.#backlog.add(block);
    this.pump();
  }

  putBack(block: Block): void {
    this.#backlog.putBack(block);
  }

  pump(): void {
    // Sending may say at once that more may be sent.
    if (this.#isPumping || this.#isClosed) return;
    this.#isPumping = true;
    for (let link = this.#way(); link?.isFree === true; link = this.#way()) {
      const blocks = this.#backlog.take(link.atOnceBytes);
      if (blocks.length === 0) break;
      link.send(blocks);
    }
    this.#isPumping = false;
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#clock);
    for (const link of this.#links) link.close();
    this.#backlog.close();
  }

  #way(): Link | undefined {
    return this.#links.find((link) => link.isUp);
  }

  #tick(): void {
    if (this.#way() === undefined) this.#backlog.spill();
    else this.pump();
  }
}
