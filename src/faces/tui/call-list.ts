/**
 * The calls that the list shows: pages of an answer, read as far as somebody looked, from the beginning or from the end.
 *
 * While somebody has gone down into the list its rows stay where they are: changed calls change in place, and new ones are
 * counted until the list is read again.
 */
import type { Call, HiddenBy } from '../../contract/index.ts';
import { rowKey } from '../../core/maps.ts';
import { ticked } from '../../core/running-calls.ts';
import type { TerminalPort } from '../../explore/port.ts';
import type { CallsQuestion, Sort } from '../../explore/question.ts';
import { ifAnswered, whyRefused } from '../../explore/refusal.ts';

const PAGE = 200;
/** Rows before the end of what was read at which the next page is asked for. */
const AHEAD = 100;
/** A list that takes long to make is read again so many times less often. */
const SHARE = 50;
const REFRESH_MS = 1_000;

type Pages = Pick<TerminalPort, 'page' | 'changes' | 'pulse'>;

export class CallList {
  readonly #port: Pages;
  readonly #onChanged: () => void;
  question: CallsQuestion;
  rows: Call[] = [];
  total = 0;
  /** There may be more than so many: not all files of the ring were looked at. */
  isTotalLeast = false;
  hiddenBy: readonly HiddenBy[] = [];
  /** Why the newest answer did not come; '' while there is none. */
  trouble = '';
  isLoading = false;
  /** More changed than can be told call by call, while somebody stands in the list. */
  isOld = false;
  /** The first row's place in the whole list. */
  first = 0;
  #cursor: string | null = null;
  #isFromEnd = false;
  #asked = 0;
  #reading = new AbortController();
  #changes: number | null = null;
  /** Calls that came since the list was read, whatever its filter is, while it stands still. */
  readonly #news = new Set<string>();
  #readAt = '';
  #takesMs = 0;
  #readMs = Number.NEGATIVE_INFINITY;
  /** Capture time up to which the clocks of the rows have run. */
  #clockUs = Number.NaN;
  /** All files had been read when the list was. */
  #wasDone = false;

  constructor(port: Pages, question: CallsQuestion, onChanged: () => void) {
    this.#port = port;
    this.question = question;
    this.#onChanged = onChanged;
  }

  get news(): number {
    return this.#news.size;
  }

  /** Reads the list anew from its beginning, or the last page of it. */
  async read(question: CallsQuestion = this.question, isFromEnd = false): Promise<void> {
    const asked = ++this.#asked;
    // Nobody waits for the list before any more, as where a filter is typed.
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.question = question;
    this.isLoading = true;
    const startMs = performance.now();
    this.#readAt = new Date().toISOString();
    let trouble = '';
    const page = await this.#loaded(asked, async () => {
      this.#changes = (await ifAnswered(() => this.#port.changes(null)))?.upTo ?? this.#changes;
      this.#wasDone = this.#isDone;
      try {
        return await this.#port.page(this.#asks(isFromEnd), PAGE, '', signal);
      } catch (error) {
        if (signal.aborted) return null;
        trouble = whyRefused(error);
        return null;
      }
    });
    // Another question came meanwhile.
    if (asked !== this.#asked) return;
    this.#readMs = performance.now();
    this.#takesMs = this.#readMs - startMs;
    this.trouble = trouble;
    if (page !== null) {
      this.#isFromEnd = isFromEnd;
      this.#clockUs = this.#port.pulse().nowUs;
      this.rows = isFromEnd ? page.calls.toReversed() : page.calls;
      this.total = page.total;
      this.isTotalLeast = page.total_is_least === true;
      this.first = isFromEnd ? page.total - page.calls.length : 0;
      this.hiddenBy = page.hidden_by ?? [];
      this.#cursor = page.next_cursor ?? null;
      this.#news.clear();
      this.isOld = false;
    }
    this.#onChanged();
  }

  /** Reads the next page where `row` is near the end of what was read; how many rows came before the first one. */
  async more(row: number): Promise<number> {
    const isNear = this.#isFromEnd ? row < AHEAD : row >= this.rows.length - AHEAD;
    if (!isNear || this.#cursor === null || this.isLoading) return 0;
    const asked = this.#asked;
    this.isLoading = true;
    const cursor = this.#cursor;
    const page = await this.#loaded(asked, () =>
      ifAnswered(() => this.#port.page(this.#asks(this.#isFromEnd), PAGE, cursor)),
    );
    if (asked !== this.#asked || page === null) return 0;
    const known = new Set(this.rows.map(rowKey));
    const calls = page.calls.filter((row) => !known.has(rowKey(row)));
    this.#cursor = page.next_cursor ?? null;
    this.rows = this.#isFromEnd ? [...calls.toReversed(), ...this.rows] : [...this.rows, ...calls];
    if (this.#isFromEnd) this.first = Math.max(0, this.first - calls.length);
    this.#onChanged();
    return this.#isFromEnd ? calls.length : 0;
  }

  /** What fails does not leave the list loading for ever. */
  async #loaded<T>(asked: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      if (asked === this.#asked) this.isLoading = false;
    }
  }

  /** Once a second: reads the list again while nobody stands in it, else what changed in it. */
  async refresh(isStill: boolean): Promise<void> {
    this.#runClocks();
    const isDue = performance.now() - this.#readMs >= Math.max(REFRESH_MS, this.#takesMs * SHARE);
    const isDone = !this.#wasDone && this.#isDone;
    if (this.isLoading || !(isDue || isDone)) return;
    if (isDone && !isStill) return this.read();
    if (this.trouble !== '' && !isStill) return this.read();
    const asked = this.#asked;
    const found = await ifAnswered(() => this.#port.changes(this.#changes));
    if (found === null || asked !== this.#asked) return;
    this.trouble = '';
    if (found.upTo === this.#changes) return;
    if (!isStill || found.rows === null) {
      this.isOld = isStill;
      if (isStill) this.#onChanged();
      else await this.read(this.question, false);
      return;
    }
    this.#changes = found.upTo;
    const at = new Map(this.rows.map((row, i) => [rowKey(row), i]));
    for (const row of found.rows) {
      const i = at.get(rowKey(row));
      const before = i === undefined ? undefined : this.rows[i];
      if (i !== undefined && before !== undefined) this.rows[i] = { ...before, ...row };
      else if (row.created_at > this.#readAt) this.#news.add(rowKey(row));
    }
    this.#onChanged();
  }

  /** Calls that talk. */
  #runClocks(): void {
    const { nowUs } = this.#port.pulse();
    const rows = ticked(this.rows, (nowUs - this.#clockUs) / 1e6);
    this.#clockUs = nowUs;
    if (rows === null) return;
    this.rows = rows;
    this.#onChanged();
  }

  /** All files are read. */
  get #isDone(): boolean {
    return this.#port.pulse().progress === 1;
  }

  #asks(isFromEnd: boolean): CallsQuestion {
    const { filter, sort } = this.question;
    const turned: Sort = { by: sort.by, isDescending: sort.isDescending !== isFromEnd };
    return { filter, sort: turned };
  }
}
