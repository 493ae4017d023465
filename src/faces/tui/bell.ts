/**
 * Rings when a new call passes the filter, whichever screen is shown: once for each call, also where it passes long after it began,
 * as a call that fails does.
 */
import type { Call } from '../../contract/index.ts';
import { dropOldest, rowKey } from '../../core/maps.ts';
import type { TerminalPort } from '../../explore/port.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { ifAnswered } from '../../explore/refusal.ts';

/** Calls that changed last, of which it looks for new ones at a time. */
const LOOKED_AT = 100;
/** A list that takes long to make is read again so many times less often. */
const SHARE = 50;
/** Calls that the bell of the terminal has rung for; one that is forgotten may ring again. @cap */
const MAX_RUNG = 10_000;

type Filter = CallsQuestion['filter'];
const NEWEST = { by: 'created', isDescending: true } as const;
const CHANGED = { by: 'updated', isDescending: true } as const;

export class Bell {
  readonly #port: Pick<TerminalPort, 'page' | 'changes'>;
  readonly #onNew: (calls: readonly Call[]) => void;
  /** Undefined while it is quiet. */
  #filter: Filter | undefined;
  /** When the newest call began that was here before. */
  #before = '';
  readonly #rung = new Map<string, true>();
  #changes: number | null = null;
  #isAsking = false;
  #readMs = Number.NEGATIVE_INFINITY;
  #takesMs = 0;

  constructor(port: Pick<TerminalPort, 'page' | 'changes'>, onNew: (calls: readonly Call[]) => void) {
    this.#port = port;
    this.#onNew = onNew;
  }

  get isOn(): boolean {
    return this.#filter !== undefined;
  }

  /** For calls of this filter from now on; where nobody answers nothing changes. */
  async begin(filter: Filter): Promise<void> {
    const found = await ifAnswered(() => this.#port.page({ filter: null, sort: NEWEST }, 1, ''));
    if (found === null) return;
    this.#before = found.calls[0]?.created_at ?? '';
    this.#changes = null;
    this.#filter = filter;
  }

  end(): void {
    this.#filter = undefined;
  }

  /** Once a second. `filter` is that of the list: with another one it begins again. */
  async tick(filter: Filter): Promise<void> {
    const isDue = performance.now() - this.#readMs >= this.#takesMs * SHARE;
    if (!this.isOn || this.#isAsking || !isDue) return;
    this.#isAsking = true;
    try {
      if (filter === this.#filter) await this.#look(filter);
      else await this.begin(filter);
    } finally {
      this.#isAsking = false;
    }
  }

  async #look(filter: Filter): Promise<void> {
    const startMs = performance.now();
    const changes = await ifAnswered(() => this.#port.changes(this.#changes));
    if (changes === null || changes.upTo === this.#changes) return;
    const found = await ifAnswered(() => this.#port.page({ filter, sort: CHANGED }, LOOKED_AT, ''));
    this.#readMs = performance.now();
    this.#takesMs = this.#readMs - startMs;
    if (found === null || !this.isOn) return;
    this.#changes = changes.upTo;
    const calls = found.calls.filter((call) => call.created_at > this.#before && !this.#rung.has(rowKey(call)));
    for (const call of calls) {
      this.#rung.set(rowKey(call), true);
      if (this.#rung.size > MAX_RUNG) dropOldest(this.#rung);
    }
    if (calls.length > 0) this.#onNew(calls);
  }
}
