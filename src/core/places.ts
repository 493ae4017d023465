/** A number of places for work that holds much memory: who finds none waits in a line of bounded length. */

type Waiting = { readonly isGone: () => boolean; readonly begin: (hasPlace: boolean) => void };

export class Places {
  /** Turned away because the line was full. */
  refused = 0;
  readonly #max: number;
  readonly #maxWaiting: number;
  #taken = 0;
  #line: Waiting[] = [];

  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /** The work's result; null when the line is full, or when nobody waits for it any more as its turn comes. */
  async run<T>(isGone: () => boolean, work: () => Promise<T>): Promise<T | null> {
    const leave = await this.enter(isGone);
    if (leave === null) return null;
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Takes a place until the function it resolves to is called; null as above. */
  async enter(isGone: () => boolean): Promise<(() => void) | null> {
    if (this.#taken < this.#max) this.#taken++;
    else if (!(await this.#wait(isGone))) return null;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#taken--;
      this.#next();
    };
  }

  #wait(isGone: () => boolean): Promise<boolean> {
    if (this.#line.length >= this.#maxWaiting) this.#line = this.#line.filter(stays);
    if (this.#line.length >= this.#maxWaiting) {
      this.refused++;
      return Promise.resolve(false);
    }
    return new Promise((resolve) => this.#line.push({ isGone, begin: resolve }));
  }

  #next(): void {
    for (let first = this.#line.shift(); first !== undefined; first = this.#line.shift()) {
      if (!stays(first)) continue;
      this.#taken++;
      first.begin(true);
      return;
    }
  }
}

/** Whether somebody still waits; who has gone is let go of. */
function stays({ isGone, begin }: Waiting): boolean {
  const isHere = !isGone();
  if (!isHere) begin(false);
  return isHere;
}
