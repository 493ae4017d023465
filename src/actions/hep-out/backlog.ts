/**
 * Keeps what waits for one collector, oldest first: what came back from a link or from the disk, what lies on the disk, and
 * what is in memory. Memory is bounded. What is beyond goes to the spool, or is dropped, the oldest first, and counted.
 */
import { faults } from '../../core/faults.ts';
import type { Block } from './block.ts';
import type { HepOutCounters } from './link.ts';
import type { PacketSpool } from './spool.ts';

export class Backlog {
  readonly #mostBytes: number;
  readonly #spool: PacketSpool | null;
  readonly #counters: HepOutCounters;
  readonly #onLoaded: () => void;
  readonly #front: Block[] = [];
  readonly #memory: Block[] = [];
  #memoryBytes = 0;
  #isLoading = false;

  /** `onLoaded` is called when take() has something again. */
  constructor(mostBytes: number, spool: PacketSpool | null, counters: HepOutCounters, onLoaded: () => void) {
    this.#mostBytes = mostBytes;
    this.#spool = spool;
    this.#counters = counters;
    this.#onLoaded = onLoaded;
  }

  /** Throws ServiceError when the spool cannot be used. */
  open(): void {
    this.#spool?.open();
  }

  get isEmpty(): boolean {
    return this.#front.length === 0 && this.#memory.length === 0 && !this.#isLoading && this.#spool?.isEmpty !== false;
  }

  /** In memory. */
  get bytes(): number {
    return this.#memoryBytes + this.#front.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  add(block: Block): void {
    this.#memory.push(block);
    this.#memoryBytes += block.bytes.length;
    while (this.#memoryBytes > this.#mostBytes) this.#shed();
  }

  /** Was taken and could not be sent. */
  putBack(block: Block): void {
    if (block.messages > 0) this.#front.unshift(block);
  }

  /** The oldest, with those after it up to `atOnceBytes`; none when there is none, or when it has to be read first. */
  take(atOnceBytes: number): readonly Block[] {
    const first = this.#front.shift();
    if (first !== undefined) return [first];
    if (this.#isLoading) return [];
    if (this.#spool !== null && !this.#spool.isEmpty) {
      const spool = this.#spool;
      faults.run('link', () => this.#load(spool));
      return [];
    }
    let [count, bytes] = [0, 0];
    for (const block of this.#memory) {
      if (count > 0 && bytes + block.bytes.length > atOnceBytes) break;
      count++;
      bytes += block.bytes.length;
    }
    this.#memoryBytes -= bytes;
    return this.#memory.splice(0, count);
  }

  /** Nothing takes what waits: it goes to the disk, where that may be written. */
  spill(): void {
    if (this.#spool?.isOpen !== true) return;
    while (this.#memory.length > 0) this.#shed();
  }

  /** To the disk with all, or it is counted. */
  close(): void {
    if (this.#spool?.isOpen === true) {
      for (let block = this.#front.pop(); block !== undefined; block = this.#front.pop()) this.#spool.putBack(block);
      this.spill();
    }
    for (const { messages } of [...this.#front, ...this.#memory]) this.#counters.add('unsentAtEnd', messages);
    this.#front.length = 0;
    this.#memory.length = 0;
    this.#memoryBytes = 0;
    this.#spool?.close();
  }

  #shed(): void {
    const block = this.#memory.shift();
    if (block === undefined) return;
    this.#memoryBytes -= block.bytes.length;
    if (this.#spool === null) this.#counters.add('queueFull', block.messages);
    else this.#spool.append(block);
  }

  async #load(spool: PacketSpool): Promise<void> {
    this.#isLoading = true;
    try {
      const block = await spool.takeOldest();
      if (block !== null) this.putBack(block);
    } finally {
      this.#isLoading = false;
    }
    this.#onLoaded();
  }
}
