/**
 * By what a file without a call is passed over: all users and numbers of its calls as one text, which is searched for a part,
 * and a filter of their Call-IDs. Both may say yes too often, never no.
 */
import { hash } from 'node:crypto';

/** Bytes of the users and numbers of one index: beyond, all its rows are looked at for any. @cap */
export const HISTORY_NAMES_BYTES = 1024 * 1024;

/** Bits of the filter for each Call-ID, and how many of them are set: one of a hundred others is taken for it. */
const BITS = 10;
const PROBES = 4;
/** The filter of more calls than this says yes to all. @cap */
export const HISTORY_FILTER_CALLS = 400_000;

/** Letters alike, as the filter of calls compares them. */
function folded(text: string): string {
  return text.toLowerCase();
}

/** What is looked for in the file of one index. */
export class Names {
  readonly #texts = new Set<string>();
  #bytes = 0;

  add(names: readonly string[]): void {
    for (const name of names) {
      const text = folded(name);
      if (this.#bytes > HISTORY_NAMES_BYTES || text === '' || this.#texts.has(text)) continue;
      this.#texts.add(text);
      this.#bytes += Buffer.byteLength(text) + 1;
    }
  }

  /** Null where there were too many. Sorted: what begins alike stands together, and is deflated to a few bytes. */
  text(): string | null {
    return this.#bytes > HISTORY_NAMES_BYTES ? null : [...this.#texts].sort().join('\n');
  }

  /** About so many bytes once deflated. */
  get deflatedBytes(): number {
    return this.#bytes > HISTORY_NAMES_BYTES ? 0 : Math.ceil(this.#bytes / 2);
  }
}

/** Whether a text of Names may have the part; null is of too many names. */
export function mayName(names: string | null, part: string): boolean {
  return names === null || part.includes('\n') || names.includes(folded(part));
}

/** Bits by Call-ID. */
export class CallIdFilter {
  readonly #bits: Uint8Array;

  private constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  static of(callIds: ReadonlySet<string>): CallIdFilter {
    const count = callIds.size > HISTORY_FILTER_CALLS ? 0 : callIds.size;
    const filter = new CallIdFilter(new Uint8Array(Math.ceil((count * BITS) / 8)));
    if (count > 0) for (const callId of callIds) filter.#set(callId);
    return filter;
  }

  static read(text: string): CallIdFilter {
    return new CallIdFilter(Buffer.from(text, 'base64'));
  }

  text(): string {
    return Buffer.from(this.#bits).toString('base64');
  }

  mayHold(callId: string): boolean {
    const bits = this.#bits;
    return bits.length === 0 || probes(callId, bits.length * 8).every((at) => ((bits[at >> 3] ?? 0) >> (at & 7)) & 1);
  }

  #set(callId: string): void {
    const bits = this.#bits;
    for (const at of probes(callId, bits.length * 8)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
}

/** Which of so many bits stand for it. */
function probes(callId: string, bits: number): number[] {
  const digest = hash('sha1', callId, 'buffer');
  return Array.from({ length: PROBES }, (_, i) => digest.readUInt32LE(4 * i) % bits);
}
