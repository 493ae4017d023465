/**
 * What waits on the disk for the store: segments, the oldest first, of this run and of earlier ones. A segment is there until
 * the store has said that it has its rows. Where there is no room, the oldest segments of the table that matters least go.
 */
import type { FileHandle } from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import { errnoOf } from '../../core/errors.ts';
import { SpoolFiles } from '../spool-files.ts';
import type { OnceTold } from '../trouble.ts';
import type { ShipCounters, ShipTable } from './counters.ts';
import { SHIP_TABLES } from './counters.ts';
import type { Lines } from './lines.ts';
import { RefusedSegments } from './refused.ts';
import type { SegmentName } from './segment.ts';
import { Compressor, fileName, publish, readName, salvage, writeTemporary } from './segment.ts';

/** Segments of `--ship` that are written and that the disk has not confirmed: each is an open file. @cap */
const SHIP_UNCONFIRMED = 32;

/**
 * Segments on disk, whatever `--ship-spool-bytes` allows.
 *
 * @cap option 27 MiB, ship_spool_full: with `--ship`: segments on the disk, 108 bytes each
 */
const SHIP_SEGMENTS = 262_144;

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

const DISK = 'disk';
/** A file takes whole blocks of the disk, and most segments are small. */
const BLOCK_BYTES = 4_096;

export class SegmentSpool {
  readonly #folder: string;
  readonly #boot: string;
  readonly #counters: ShipCounters;
  readonly #mayWrite: () => boolean;
  readonly #troubles: OnceTold;
  readonly #files: SpoolFiles<ShipTable, Segment>;
  readonly #refused: RefusedSegments;
  readonly #compressor = new Compressor();
  /** Was taken. */
  #underWay: Segment | null = null;
  #nextN = 1;
  #nextTurn = 1;
  /** Written, and not confirmed by the disk; one after another. */
  #unconfirmed = 0;
  #confirming: Promise<void> = Promise.resolve();
  #onReady: () => void = () => undefined;

  constructor({ folder, mostBytes, boot, mayWrite }: SpoolOptions, counters: ShipCounters, troubles: OnceTold) {
    this.#folder = folder;
    this.#refused = new RefusedSegments(folder);
    this.#files = new SpoolFiles({
      option: '--ship-spool',
      folder,
      tables: SHIP_TABLES,
      mostBytes,
      mostFiles: SHIP_SEGMENTS,
      blockBytes: BLOCK_BYTES,
      nameOf: (segment) => fileName(segment, 'seg'),
    });
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
    const boots = new Map<string, string>();
    const nowMs = performance.now() - Date.now();
    this.#files.open((name, look) => {
      const read = readName(name);
      const stats = read === null ? null : look();
      if (read === null || stats === null) return null;
      this.#nextN = Math.max(this.#nextN, read.n + 1);
      if (read.kind === 'refused') this.#refused.found(name, read.n, this.#files.onDisk(stats.size));
      if (read.kind === 'refused' || (read.kind === 'tmp' && !salvage(this.#folder, read))) return null;
      // One text for all its segments: a part of a name would keep the whole name.
      if (!boots.has(read.boot)) boots.set(read.boot, read.boot);
      const own = { ...read, boot: boots.get(read.boot) ?? read.boot };
      return segmentOf(own, stats.size, nowMs + Math.min(stats.mtimeMs, Date.now()));
    });
    this.#nextTurn = this.#nextN;
    this.#counters.add('found', this.#files.rows);
  }

  /** Of the disk, in whole blocks; what is being written or sent included. */
  get bytes(): number {
    return this.#files.bytes;
  }

  /** Of all segments; what is being written or sent included. */
  get rows(): number {
    return this.#files.rows;
  }

  /** When the oldest segment was made, by performance.now(); null without one. */
  get oldestMs(): number | null {
    const waiting = this.#underWay === null ? this.#files.heads : [this.#underWay, ...this.#files.heads];
    const times = waiting.map(({ madeMs }) => madeMs);
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
      if (!this.#files.makeRoom(table, bytes.length, (segment) => this.#dropped(segment))) {
        this.#counters.add('spool_full', rows);
        return;
      }
      const name = { boot: this.#boot, n: this.#nextN++, table, rows };
      const file = await writeTemporary(this.#folder, name, bytes);
      const segment = segmentOf(name, bytes.length, performance.now());
      this.#files.count(segment);
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
    this.#underWay = this.#files.take();
    return this.#underWay;
  }

  /** The store did not take it: it is the next one again, or the last where others may fare better. */
  putBack(segment: Segment, isLast: boolean): void {
    this.#underWay = null;
    if (isLast) this.#enqueue(segment);
    else this.#files.add(segment);
  }

  /** The store has it: it goes, and is counted. */
  async remove(segment: Segment): Promise<void> {
    // One that stays is sent again by the next run, which does no harm.
    await unlink(this.#files.pathOf(segment)).catch(() => undefined);
    this.#forget(segment);
    this.#counters.add(`stored_${segment.table}`, segment.rows);
    this.#counters.add('segments_sent');
  }

  /** The store will never take it: it is kept aside, and counted. Resolves to its new name. */
  async refuse(segment: Segment): Promise<string> {
    const name = fileName(segment, 'refused');
    await this.#refused.keep(fileName(segment, 'seg'), name, segment.n, this.#files.onDisk(segment.bytes));
    this.#forget(segment);
    this.#counters.add('refused', segment.rows);
    await this.#refused.trim();
    return name;
  }

  /** For reading; null, and it is counted, where the disk has lost it. */
  async read(segment: Segment): Promise<FileHandle | null> {
    let file: FileHandle | null = null;
    try {
      file = await this.#files.read(segment);
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

  /** It gave room to another. */
  #dropped(segment: Segment): void {
    this.#counters.add('spool_full', segment.rows);
    unlink(this.#files.pathOf(segment)).catch(() => undefined);
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
    this.#files.add(segment);
  }

  #forget(segment: Segment): void {
    if (segment === this.#underWay) this.#underWay = null;
    this.#files.forget(segment);
  }
}

/** Written out, as there may be very many: an object that is spread takes four times as much. */
function segmentOf({ boot, n, table, rows }: SegmentName, bytes: number, madeMs: number): Segment {
  return { boot, n, table, rows, bytes, madeMs, turn: n };
}
