/** How many peer programs run at once: the others wait their turn, and no longer than their own limit. */

type Waiter = { readonly admit: (isAdmitted: boolean) => void };

export class Gate {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(size: number) {
    this.#free = size;
  }

  /** True when a place was given, which `leave` gives back; false when `waitMs` passed or the gate was shut. */
  async enter(waitMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (waitMs <= 0) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        admit: (isAdmitted) => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          resolve(isAdmitted);
        },
      };
      const timer = setTimeout(() => waiter.admit(false), waitMs);
      this.#waiting.add(waiter);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else next.admit(true);
  }

  /** Sends everybody away who waits. */
  shut(): void {
    for (const waiter of [...this.#waiting]) waiter.admit(false);
  }
}
