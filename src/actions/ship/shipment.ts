/**
 * Ships rows to the store (--ship): from memory to segments on the disk, and from there to the store.
 *
 * Nobody waits for the disk or the store. Each row that is made gets stored, waits, or is counted with the reason why not; at
 * any moment made + found = stored + lost + waiting. A row is on the disk within two seconds, so that a crash loses no more.
 */
import { faults } from '../../core/faults.ts';
import { OnceTold } from '../trouble.ts';
import type { ShipCounters, ShipTable } from './counters.ts';
import { SHIP_TABLES, shipCounters } from './counters.ts';
import { lineBytes, mostBytes, Slabs, WaitingLines } from './lines.ts';
import { SHIP_SEGMENT_BYTES } from './segment.ts';
import type { SendTimes } from './sender.ts';
import { Sender } from './sender.ts';
import type { SpoolOptions } from './spool.ts';
import { SegmentSpool } from './spool.ts';
import type { Store } from './store-client.ts';

/**
 * Bytes of lines that wait for the disk, those that are being written included.
 *
 * @cap option 44 MiB, ship_memory_full: with `--ship`: rows that wait for the disk, twice where all are just too long for
 * two in a slab; a segment being compressed
 */
export const SHIP_WAITING_BYTES = 16 * 1024 * 1024;

export type ShipTimes = SendTimes & {
  /** How long a row waits for others of its segment. */
  readonly segmentMs: number;
};

export type ShipOptions = Store &
  SpoolOptions & {
    /** Told why rows do not get to the store, once for each trouble as it begins, and null when none is left. */
    readonly onTrouble: (reason: string | null) => void;
    readonly times?: Partial<ShipTimes>;
  };

/** A segment takes up to a second more to get to the disk. */
const TIMES: ShipTimes = { segmentMs: 1_000, firstRetryMs: 2_000, lastRetryMs: 60_000, answerMs: 60_000 };
/** How often drain() looks. */
const DRAIN_STEP_MS = 5;

type Table = {
  readonly name: ShipTable;
  readonly made: `made_${ShipTable}`;
  readonly lines: WaitingLines;
  dueRows: number;
};

export class Shipment {
  readonly counters: ShipCounters = shipCounters();
  readonly #tables: readonly Table[];
  readonly #byName: Readonly<Record<ShipTable, Table>>;
  readonly #spool: SegmentSpool;
  readonly #sender: Sender;
  readonly #segmentMs: number;
  /** Of lines that wait, and of those that are being written. */
  #waitingBytes = 0;
  #rowsUnderWay = 0;
  #writing: Promise<void> | null = null;
  #clock: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: ShipOptions) {
    const times = { ...TIMES, ...options.times };
    const slabs = new Slabs();
    const table = (name: ShipTable): Table => ({
      name,
      made: `made_${name}`,
      lines: new WaitingLines(slabs),
      dueRows: 0,
    });
    this.#byName = {
      ...{ messages: table('messages'), ids: table('ids'), streams: table('streams') },
      ...{ minute: table('minute'), calls: table('calls'), agents: table('agents') },
    };
    this.#tables = SHIP_TABLES.map((name) => this.#byName[name]);
    this.#segmentMs = times.segmentMs;
    const troubles = new OnceTold(options.onTrouble);
    this.#spool = new SegmentSpool(options, this.counters, troubles);
    this.#sender = new Sender(options, this.#spool, this.counters, troubles, times);
    this.#spool.onReady(() => this.#sender.wake());
  }

  /** Makes the folder of the spool, or finds what earlier runs left. Throws ServiceError when it cannot be used. */
  open(): void {
    this.#spool.open();
    this.#clock ??= faults.every(this.#segmentMs, 'tick', () => this.#writeAll());
    this.#clock.unref();
  }

  /** Begins to send. */
  start(): void {
    this.#sender.start();
  }

  /** A row of `table`: JSON without line end. Never throws, never waits. */
  add(table: ShipTable, line: string): void {
    const { made, lines } = this.#byName[table];
    this.counters.add(made);
    if (this.#isClosed) this.counters.add('unsent_at_end');
    else this.#take(lines, line);
  }

  #take(to: WaitingLines, line: string): void {
    if (mostBytes(line) > SHIP_SEGMENT_BYTES && lineBytes(line) > SHIP_SEGMENT_BYTES) this.counters.add('too_long');
    else this.#added(to, to.add(line));
  }

  #added(to: WaitingLines, bytes: number): void {
    this.#waitingBytes += bytes;
    while (this.#waitingBytes > SHIP_WAITING_BYTES && this.#shed());
    if (to.bytes >= SHIP_SEGMENT_BYTES) this.#write();
  }

  /** Bytes in memory, of lines that wait or are being written. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Resolves when a segment or less waits in memory: for who has many rows to add. */
  async room(): Promise<void> {
    while (this.#waitingBytes > SHIP_SEGMENT_BYTES) {
      this.#writeAll();
      await this.#writing;
    }
  }

  /** Rows in memory and on the disk. */
  get waitingRows(): number {
    const elsewhere = this.#rowsUnderWay + this.#spool.rows;
    return this.#tables.reduce((sum, { lines }) => sum + lines.rows, elsewhere);
  }

  /** Bytes of the disk that segments take. */
  get spoolBytes(): number {
    return this.#spool.bytes;
  }

  /** For how long the oldest segment has waited; null without one. */
  get oldestMs(): number | null {
    const madeMs = this.#spool.oldestMs;
    return madeMs === null ? null : Math.max(0, performance.now() - madeMs);
  }

  /**
   * What is in memory gets to the disk; resolves when the store has all, or after `ms`. With `givesUp` also when the store does
   * not take it now.
   */
  async drain(ms: number, givesUp = false): Promise<void> {
    const end = performance.now() + ms;
    await this.#writtenAll();
    while (this.waitingRows > 0 && !(givesUp && this.#sender.isWaiting) && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
  }

  /** What is in memory gets to the disk or is counted; what is on the disk waits for the next run. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#clock !== null) clearInterval(this.#clock);
    await this.#writtenAll();
    await this.#sender.close();
  }

  async #writtenAll(): Promise<void> {
    this.#writeAll();
    await this.#writing;
    await this.#spool.settled();
  }

  /** Drops the oldest lines of the table that matters least; false when there are none. */
  #shed(): boolean {
    const table = this.#tables.find(({ lines }) => lines.rows > 0);
    if (table === undefined) return false;
    const { bytes, rows, release } = table.lines.take(0);
    // What is being written of the same slab has been copied.
    release();
    table.dueRows = Math.max(0, table.dueRows - rows);
    this.#waitingBytes -= bytes;
    this.counters.add('memory_full', rows);
    return true;
  }

  /** All lines that wait now are to be on the disk. */
  #writeAll(): void {
    for (const table of this.#tables) table.dueRows = table.lines.rows;
    this.#write();
  }

  #write(): void {
    const first = this.#writing === null ? this.#tables.findLast(isDue) : undefined;
    if (first !== undefined) this.#writing = this.#writeDue(first);
  }

  /** What matters most goes first: the process may be killed. */
  async #writeDue(first: Table): Promise<void> {
    for (let table: Table | undefined = first; table !== undefined; table = this.#tables.findLast(isDue)) {
      const lines = table.lines.take(SHIP_SEGMENT_BYTES);
      table.dueRows = Math.max(0, table.dueRows - lines.rows);
      this.#rowsUnderWay = lines.rows;
      await this.#spool.write(table.name, lines);
      lines.release();
      this.#rowsUnderWay = 0;
      this.#waitingBytes -= lines.bytes;
    }
    this.#writing = null;
  }
}

function isDue({ dueRows, lines }: Table): boolean {
  return dueRows > 0 || lines.bytes >= SHIP_SEGMENT_BYTES;
}
