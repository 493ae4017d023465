/**
 * What waits on the disk for the store: segments, the oldest first, of this run and of earlier ones. A segment is there until
 * the store has said that it has its rows. Where there is no room, the oldest segments of the table that matters least go.
 */
import { lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../core/errors.ts';
import { SHIP_SEGMENTS, SHIP_UNCONFIRMED } from '../../core/item-limits.ts';
import { openSpoolFolder } from '../spool-folder.ts';
import type { OnceTold } from '../trouble.ts';
import type { ShipCounters, ShipTable } from './counters.ts';
import { SHIP_TABLES } from './counters.ts';
import type { Lines } from './lines.ts';
import { RefusedSegments } from './refused.ts';
import type { SegmentName } from './segment.ts';
import { Compressor, fileName, openSegment, publish, readName, salvage, writeTemporary } from './segment.ts';

/** `turn`: it is sent before those with a larger one. `madeMs`: by performance.now(), also of an earlier run. */
export type Segment = SegmentName & { readonly bytes: number; readonly madeMs: number; turn: number };

export type SpoolOptions = {
  readonly folder: string;
  /** Of the disk, in whole blocks. */
  readonly mostBytes: number;
  /** Of this run: 16 to 32 hex digits. */
  readonly boot: string;
  /** The persistence gate. */
  readonly mayWrite: () => boolean;
};

const OPTION = '--ship-spool';
const DISK = 'disk';
/** A file takes whole blocks of the disk, and most segments are small. */
const BLOCK_BYTES = 4_096;

export class Spool {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #boot: string;
  readonly #counters: ShipCounters;
  readonly #mayWrite: () => boolean;
  readonly #troubles: OnceTold;
  /** Each in the order of its turns. */
  readonly #queues = new Map<ShipTable, Segment[]>(SHIP_TABLES.map((table) => [table, []]));
  readonly #refused: RefusedSegments;
  readonly #compressor = new Compressor();
  /** Was taken. */
  #underWay: Segment | null = null;
  #nextN = 1;
  #nextTurn = 0;
  #segments = 0;
  #bytes = 0;
  #rows = 0;
  /** Written, and not confirmed by the disk; one after another. */
  #unconfirmed = 0;
  #confirming: Promise<void> = Promise.resolve();
  #onReady: () => void = () => undefined;

  constructor({ folder, mostBytes, boot, mayWrite }: SpoolOptions, counters: ShipCounters, troubles: OnceTold) {
    this.#folder = folder;
    this.#refused = new RefusedSegments(folder);
    this.#mostBytes = mostBytes;
    this.#boot = boot;
    this.#mayWrite = mayWrite;
    this.#counters = counters;
    this.#troubles = troubles;
  }

  /** `onReady` is called when there is one more to take. */
  onReady(onReady: () => void): void {
    this.#onReady = onReady;
  }

  /** Makes the folder, or finds what earlier runs left in it. Throws ServiceError when it cannot be used. */
  open(): void {
    const found: Segment[] = [];
    const boots = new Map<string, string>();
    const nowMs = performance.now() - Date.now();
    openSpoolFolder(OPTION, this.#folder, (names) => {
      for (const name of names) {
        const read = readName(name);
        const path = join(this.#folder, name);
        const stats = read === null ? null : lstatSync(path);
        if (read === null || stats?.isFile() !== true) continue;
        this.#nextN = Math.max(this.#nextN, read.n + 1);
        const bytes = onDisk(stats.size);
        if (read.kind === 'refused') this.#refused.found(name, read.n, bytes);
        else if (read.kind === 'seg' || salvage(this.#folder, read)) {
          // One text for all its segments: a part of a name would keep the whole name.
          if (!boots.has(read.boot)) boots.set(read.boot, read.boot);
          const name = { ...read, boot: boots.get(read.boot) ?? read.boot };
          found.push(segmentOf(name, stats.size, nowMs + Math.min(stats.mtimeMs, Date.now())));
        }
      }
    });
    for (const segment of found.sort((a, b) => a.n - b.n)) {
      this.#counters.add('found', segment.rows);
      this.#count(segment);
      this.#enqueue(segment);
    }
  }

  /** Of the disk, in whole blocks; what is being written or sent included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Of all segments; what is being written or sent included. */
  get rows(): number {
    return this.#rows;
  }

  /** When the oldest segment was made, by performance.now(); null without one. */
  get oldestMs(): number | null {
    const heads = [this.#underWay, ...[...this.#queues.values()].map(([head]) => head)];
    const times = heads.flatMap((one) => (one === null || one === undefined ? [] : [one.madeMs]));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Writes the lines as a segment, or counts why not. The segment may be taken when the disk has confirmed it. */
  async write(table: ShipTable, lines: Lines): Promise<void> {
    const { rows } = lines;
    try {
      const isOpen = this.#mayWrite();
      const bytes = isOpen ? await this.#compressor.gzip(lines) : null;
      if (bytes === null || !this.#mayWrite()) {
        this.#counters.add('gate_closed', rows);
        return;
      }
      if (!this.#makeRoom(table, onDisk(bytes.length))) {
        this.#counters.add('spool_full', rows);
        return;
      }
      const name = { boot: this.#boot, n: this.#nextN++, table, rows };
      const file = await writeTemporary(this.#folder, name, bytes);
      const segment = segmentOf(name, bytes.length, performance.now());
      this.#count(segment);
      this.#unconfirmed++;
      this.#confirming = this.#confirming.then(() => this.#publish(segment, file));
      if (this.#unconfirmed >= SHIP_UNCONFIRMED) await this.#confirming;
    } catch (error) {
      this.#refusedByDisk(rows, error);
    }
  }

  /** Resolves when the disk has confirmed, or refused, what was written so far. */
  async settled(): Promise<void> {
    await this.#confirming;
  }

  /** The one whose turn it is; it stays on the disk until putBack(), remove() or refuse() is called for it, or read() fails. */
  take(): Segment | null {
    let first: Segment[] | null = null;
    for (const queue of this.#queues.values())
      if (queue[0] !== undefined && queue[0].turn < (first?.[0]?.turn ?? Number.POSITIVE_INFINITY)) first = queue;
    this.#underWay = first?.shift() ?? null;
    return this.#underWay;
  }

  /** The store did not take it: it is the next one again, or the last where others may fare better. */
  putBack(segment: Segment, isLast: boolean): void {
    const queue = this.#queue(segment.table);
    this.#underWay = null;
    if (!isLast) queue.unshift(segment);
    else {
      segment.turn = this.#nextTurn++;
      queue.push(segment);
    }
  }

  /** The store has it: it goes, and is counted. */
  async remove(segment: Segment): Promise<void> {
    // One that stays is sent again by the next run, which does no harm.
    await unlink(this.#path(segment)).catch(() => undefined);
    this.#forget(segment);
    this.#counters.add(`stored_${segment.table}`, segment.rows);
    this.#counters.add('segments_sent');
  }

  /** The store will never take it: it is kept aside, and counted. Resolves to its new name. */
  async refuse(segment: Segment): Promise<string> {
    const name = fileName(segment, 'refused');
    await this.#refused.keep(fileName(segment, 'seg'), name, segment.n, onDisk(segment.bytes));
    this.#forget(segment);
    this.#counters.add('refused', segment.rows);
    await this.#refused.trim();
    return name;
  }

  /** For reading; null, and it is counted, where the disk has lost it. */
  async read(segment: Segment): Promise<FileHandle | null> {
    let file: FileHandle | null = null;
    try {
      file = await openSegment(this.#folder, segment);
      const stats = await file.stat();
      if (stats.isFile() && stats.size === segment.bytes && stats.size > 0) return file;
    } catch {
      // Counted below.
    }
    await file?.close().catch(() => undefined);
    this.#forget(segment);
    this.#counters.add('spool_errors', segment.rows);
    return null;
  }

  /** Lets the oldest segments of lesser tables go; false where `table` itself is the least that there is. */
  #makeRoom(table: ShipTable, bytes: number): boolean {
    while (this.#bytes + bytes > this.#mostBytes || this.#segments >= SHIP_SEGMENTS) {
      const least = SHIP_TABLES.find((one) => one === table || this.#queue(one).length > 0);
      const segment = this.#queue(least ?? table).shift();
      if (segment === undefined) return false;
      this.#forget(segment);
      this.#counters.add('spool_full', segment.rows);
      unlink(this.#path(segment)).catch(() => undefined);
    }
    return true;
  }

  /** A disk that is busy confirms after seconds; memory does not wait for that. */
  async #publish(segment: Segment, file: FileHandle): Promise<void> {
    try {
      await publish(this.#folder, segment, file);
      this.#enqueue(segment);
      this.#counters.add('segments_written');
      this.#troubles.tell(null, DISK);
      this.#onReady();
    } catch (error) {
      this.#forget(segment);
      this.#refusedByDisk(segment.rows, error);
    } finally {
      this.#unconfirmed--;
    }
  }

  #refusedByDisk(rows: number, error: unknown): void {
    this.#counters.add('spool_errors', rows);
    this.#troubles.tell(`${this.#folder}: cannot write rows (${errnoOf(error) ?? 'error'})`, DISK);
  }

  #enqueue(segment: Segment): void {
    segment.turn = this.#nextTurn++;
    this.#queue(segment.table).push(segment);
  }

  #count(segment: Segment): void {
    this.#segments++;
    this.#bytes += onDisk(segment.bytes);
    this.#rows += segment.rows;
  }

  #forget(segment: Segment): void {
    if (segment === this.#underWay) this.#underWay = null;
    this.#segments--;
    this.#bytes -= onDisk(segment.bytes);
    this.#rows -= segment.rows;
  }

  #queue(table: ShipTable): Segment[] {
    const queue = this.#queues.get(table);
    if (queue === undefined) throw new RangeError(`no table ${table}`);
    return queue;
  }

  #path(segment: Segment): string {
    return join(this.#folder, fileName(segment, 'seg'));
  }
}

/** Written out, as there may be very many: an object that is spread takes four times as much. */
function segmentOf({ boot, n, table, rows }: SegmentName, bytes: number, madeMs: number): Segment {
  return { boot, n, table, rows, bytes, madeMs, turn: 0 };
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
