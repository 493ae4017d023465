/**
 * What was found out of texts that came lately: most come again soon, in the next message of a call or in all calls. Two generations
 * of as many texts: when the younger one is full the older one is forgotten, and who is asked for again becomes young.
 */
export class Recent<T extends {}> {
  readonly #most: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** Remembers twice as many at most. */
  constructor(most: number) {
    this.#most = most;
  }

  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  /** `text` is of ISO 8859-1. */
  set(text: string, value: T): void {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    // A copy: what is cut out of a message keeps the whole of it alive.
    this.#young.set(Buffer.from(text, 'latin1').toString('latin1'), value);
  }
}
