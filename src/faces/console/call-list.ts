/**
 * The calls of a filter, read page by page, and what became of them since. A call that changes changes in its row; new ones
 * are counted, and come on top only while nobody holds the list: rows do not move under a hand.
 */
import type { AskCalls, AskPulse, Call, DialogSummary, HiddenBy } from '../../contract/index.ts';
import { rowKey } from '../../core/maps.ts';
import { runs, ticked } from '../../core/running-calls.ts';
import { SHARE, whyOf } from './asking.ts';
import type { Live } from './changes.ts';
import { followChanges } from './changes.ts';
import { ask } from './service.ts';

const PAGE_ROWS = 200;
/** Of the pages after the first, which nobody waits for. */
const NEXT_ROWS = 1_000;
/** A busy service has new calls with each event; the list is read again at most so often. */
const READ_AGAIN_MS = 1_000;
/** How often the clocks of calls that talk are looked at. */
const CLOCK_MS = 1_000;
/** So long after the last time, where calls only changed. */
const REFINE_MS = 5_000;
/** New calls that are counted while the list is held: a page that is left open overnight keeps no more of them. */
export const MOST_NEW = 10_000;

export type ListState = {
  readonly rows: readonly Call[];
  readonly total: number;
  /** There may be more: not all files of the ring were looked at. */
  readonly isTotalLeast: boolean;
  /** Of a host with an index beside its files: how far they reach back. */
  readonly ring: AskCalls['ring'];
  readonly hiddenBy: readonly HiddenBy[];
  /** Calls that came since, whether the filter chooses them or not. */
  readonly isNew: number;
  readonly error: string;
  readonly isLoading: boolean;
  readonly live: Live;
};

export const EMPTY: ListState = {
  rows: [],
  total: 0,
  isTotalLeast: false,
  ring: undefined,
  hiddenBy: [],
  isNew: 0,
  error: '',
  isLoading: true,
  live: 'waiting',
};

/** A list as it was left. */
export type Kept = {
  readonly state: ListState;
  /** Where its next page begins, and what it was asked for; without them its rows are those of another list. */
  readonly cursor?: string | undefined;
  readonly path?: string;
};

export class CallList {
  readonly #path: string;
  readonly #tell: (state: ListState) => void;
  readonly #gone = new AbortController();
  #state: ListState;
  #rowOf = new Map<string, number>();
  /** Rows that changed since the last frame, in a copy of their own; null before the first of a frame. */
  #changed: Call[] | null = null;
  readonly #new = new Set<string>();
  #cursor: string | undefined;
  #isReading = false;
  /** The end of the rows came into sight while something else was read. */
  #wantsMore = false;
  #isHeld = false;
  #timer = 0;
  readonly #clock: number;
  /** Capture time up to which the clocks of the rows have run; NaN where it is not known. */
  #clockUs = Number.NaN;
  #readAtMs = 0;
  #dueMs = 0;
  /** How long the first page took last time. */
  #tookMs = 0;
  #frame = 0;

  /** `tell` gets each new state, at most one a frame. The rows of the list before stay until there are others. */
  constructor(q: string, sort: string, tell: (state: ListState) => void, before: Kept = { state: EMPTY }) {
    this.#path = `ask/calls?${new URLSearchParams({ ...(q === '' ? {} : { q }), sort })}`;
    this.#tell = tell;
    const { rows, total } = before.state;
    this.#state = { ...EMPTY, rows, total };
    if (before.path === this.#path) {
      this.#state = { ...before.state, isNew: 0, live: 'waiting' };
      this.#cursor = before.cursor;
      this.#rowOf = new Map(rows.map((row, i) => [rowKey(row), i]));
    }
    void this.#readFirst();
    this.#clock = window.setInterval(() => void this.#runClocks(), CLOCK_MS);
    void followChanges(
      {
        change: (call) => this.#change(call),
        // What was missed is counted, held or not.
        resync: () => this.#wantFirst(READ_AGAIN_MS, true),
        state: (live) => this.#set({ live }),
      },
      this.#gone.signal,
    );
  }

  kept(): Kept {
    const state = this.#state;
    return { state, cursor: this.#cursor, ...(state.isLoading ? {} : { path: this.#path }) };
  }

  close(): void {
    this.#gone.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#clock);
    cancelAnimationFrame(this.#frame);
  }

  /** While it is held, new calls are counted and not shown. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && this.#new.size > 0) this.#wantFirst();
  }

  /** Shows what is new, held or not. */
  refresh(): void {
    void this.#readFirst(true);
  }

  /** Reads the next page, where there is one. */
  more(): void {
    if (this.#isReading) this.#wantsMore = true;
    else if (this.#cursor !== undefined) void this.#read(this.#cursor);
  }

  /** By the clock of the capture: that of a file stands still. */
  async #runClocks(): Promise<void> {
    if (document.hidden || !this.#state.rows.some(runs)) {
      this.#clockUs = Number.NaN;
      return;
    }
    try {
      const { capture_time } = await ask<AskPulse>('ask/pulse', this.#gone.signal);
      const nowUs = Date.parse(capture_time ?? '') * 1_000;
      const rows = ticked(this.#changed ?? this.#state.rows, (nowUs - this.#clockUs) / 1e6);
      this.#clockUs = nowUs;
      if (rows === null) return;
      this.#changed = rows;
      this.#set({ rows });
    } catch {
      // The list says itself when the service is away.
      this.#clockUs = Number.NaN;
    }
  }

  #set(change: Partial<ListState>): void {
    this.#state = { ...this.#state, ...change };
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#changed = null;
      this.#tell(this.#state);
    });
  }

  #change(call: DialogSummary): void {
    const i = this.#rowOf.get(rowKey(call));
    if (i !== undefined) {
      // A busy service tells hundreds at once, and rows may be many: they are copied once a frame.
      this.#changed ??= [...this.#state.rows];
      const was = this.#changed[i];
      if (was !== undefined) this.#changed[i] = { ...was, ...call };
      this.#set({ rows: this.#changed });
      // Findings and scores are in the list alone.
      this.#wantFirst(REFINE_MS);
      return;
    }
    if (this.#new.size < MOST_NEW) this.#new.add(rowKey(call));
    this.#set({ isNew: this.#new.size });
    this.#wantFirst();
  }

  /** Reads the first page again so long after the last time, or sooner where that is wanted already. */
  #wantFirst(afterMs = READ_AGAIN_MS, evenHeld = false): void {
    const dueMs = this.#readAtMs + Math.max(afterMs, this.#tookMs * SHARE);
    if ((this.#isHeld && !evenHeld) || (this.#timer !== 0 && this.#dueMs <= dueMs)) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = window.setTimeout(
      () => {
        this.#timer = 0;
        if (!this.#isHeld || evenHeld) void this.#readFirst();
      },
      Math.max(0, dueMs - performance.now()),
    );
  }

  async #readFirst(isAsked = false): Promise<void> {
    if (this.#isReading) {
      this.#wantFirst(READ_AGAIN_MS, true);
      return;
    }
    this.#readAtMs = performance.now();
    // Who holds the list keeps its rows: the others stay new.
    if (isAsked || !this.#isHeld) this.#new.clear();
    await this.#read(undefined, isAsked);
    this.#tookMs = performance.now() - this.#readAtMs;
  }

  async #read(cursor: string | undefined, isAsked = false): Promise<void> {
    this.#isReading = true;
    try {
      const { signal } = this.#gone;
      const from =
        cursor === undefined ? `&limit=${PAGE_ROWS}` : `&limit=${NEXT_ROWS}&cursor=${encodeURIComponent(cursor)}`;
      const page = await ask<AskCalls>(this.#path + from, signal);
      // Somebody took hold of the list while it was read: no row moves, and who is not among them is new.
      if (cursor === undefined && this.#isHeld && !isAsked && this.#state.rows.length > 0)
        for (const call of page.calls) this.#change(call);
      else this.#take(page, cursor);
    } catch (error) {
      if (!this.#gone.signal.aborted) this.#set({ error: whyOf(error), isLoading: false });
    } finally {
      this.#isReading = false;
    }
    if (!this.#wantsMore || this.#gone.signal.aborted) return;
    this.#wantsMore = false;
    this.more();
  }

  #take(page: AskCalls, cursor: string | undefined): void {
    const rows = cursor === undefined ? page.calls : [...this.#state.rows, ...page.calls];
    this.#cursor = page.next_cursor;
    this.#rowOf = new Map(rows.map((row, i) => [rowKey(row), i]));
    this.#changed = null;
    // Some were told of while they were read.
    for (const row of page.calls) this.#new.delete(rowKey(row));
    const isNew = this.#new.size;
    const { ring, total } = page;
    const isTotalLeast = page.total_is_least === true;
    this.#set({ rows, total, isTotalLeast, ring, hiddenBy: page.hidden_by ?? [], isNew, error: '', isLoading: false });
  }
}
