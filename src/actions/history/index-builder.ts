/**
 * Builds the indexes of capture files that are there already, while a session reads them: for a folder that was copied, or whose
 * indexes are missing or damaged. The files are given in the order of their time.
 *
 * The row of a call goes to the file in which it ended. An index gets its name when it is whole; what stood there is replaced.
 */
import { renameSync, unlinkSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { errnoOf } from '../../core/errors.ts';
import { Turns } from '../../core/turns.ts';
import { indexPathOf } from '../../history/index-file.ts';
import { IndexWriter } from '../../history/index-writer.ts';
import type { NewCall } from '../../history/rows.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { Figures } from '../../view/figures.ts';
import type { TakeCall } from '../ship/call-shipper.ts';
import { CallShipper } from '../ship/call-shipper.ts';
import type { Shipper } from '../ship/key.ts';
import { shipperOf } from '../ship/key.ts';
import type { CaptureParts } from './capture-chunks.ts';
import { captureParts } from './capture-chunks.ts';
import { HISTORY_COLUMNS, historyRow } from './history-row.ts';
import { BLOCK_CALLS } from './index-files.ts';

/** Files whose indexes are built in one reading: each is open meanwhile. @cap */
export const HISTORY_BUILT_FILES = 512;

/** What came of a file: its index is there, or why not. */
export type Built = { readonly path: string; readonly rows: number; readonly trouble: string | null };

/** The configuration without what acts on others, shows or writes anything: files are read for their indexes alone. */
export function forBuilding(config: Config): Config {
  return {
    ...config,
    ...{ output: null, split: null, keep: null, ship: null, hepSend: [], hepSpool: null },
    ...{ api: null, metrics: null, filter: null, calls: false, interactive: false, retainAudio: false, ask: false },
    ...{ onDialogExec: null, onQualityExec: null, onTrunkExec: null, stirShaken: false },
    ...{ killScanner: false, killUa: null, fail2ban: false, alert: null, fraud: false },
  };
}

type Building = {
  readonly path: string;
  readonly parts: CaptureParts;
  readonly fromUs: number;
  calls: NewCall[];
  writer: IndexWriter | null;
  trouble: string | null;
};

export class IndexBuilder {
  readonly #shipper: Shipper;
  readonly #calls: CallShipper;
  readonly #files: readonly Building[];
  #figures: Figures | null = null;
  #built: readonly Built[] | null = null;

  /** Reads the files once to see which time lies where; `host` as in rows, null for the name of this one. */
  constructor(paths: readonly string[], host: string | null) {
    const shipper = shipperOf(host, Date.now());
    this.#shipper = shipper;
    this.#files = paths.slice(0, HISTORY_BUILT_FILES).map((path) => {
      const parts = captureParts(path);
      const fromUs = parts.chunks.reduce((least, { firstUs }) => Math.min(least, firstUs), Number.POSITIVE_INFINITY);
      return { path, parts, fromUs, calls: [], writer: null, trouble: null };
    });
    let version = 0;
    this.#calls = new CallShipper({
      evidence: () => this.#known.evidence,
      shipper,
      nextVersion: () => ++version,
      turns: new Turns(() => performance.now()),
      room: () => Promise.resolve(),
      store: null,
      history: this.#take,
    });
  }

  /** What is to be read; further files are left for another builder. */
  get paths(): string[] {
    return this.#files.map(({ path }) => path);
  }

  /** What came of each file once all were read. Where the reading fails or is stopped, nothing is left of it. */
  async built(reading: Promise<{ readonly isStopped: boolean } | null>): Promise<readonly Built[]> {
    try {
      const end = await reading;
      return await this.finish(end?.isStopped !== true);
    } finally {
      await this.finish(false);
    }
  }

  get observers(): readonly Observer[] {
    return [this.#calls];
  }

  get #known(): Figures {
    if (this.#figures === null) throw new Error('no capture has begun');
    return this.#figures;
  }

  /** Before the first packet. */
  begin(figures: Figures): void {
    this.#figures = figures;
  }

  readonly #take: TakeCall = (key, call, document) => {
    const row = historyRow(this.#shipper, key, call, document);
    const file = this.#files.findLast(({ fromUs }) => fromUs <= row.endUs) ?? this.#files[0];
    if (file === undefined) return;
    file.calls.push(row);
    if (file.calls.length >= BLOCK_CALLS) this.#write(file);
  };

  /** Makes the rows that are missing, and ends all indexes; what came of each. Without `isWhole` nothing gets its name. Idempotent. */
  async finish(isWhole = true): Promise<readonly Built[]> {
    if (this.#built !== null) return this.#built;
    if (isWhole) await this.#calls.finish();
    this.#built = this.#files.map((file) => this.#end(file, isWhole));
    return this.#built;
  }

  #write(file: Building): void {
    const { calls } = file;
    file.calls = [];
    this.#try(file, () => {
      file.writer ??= this.#begin(file);
      file.writer.addCalls(calls, file.parts.bytes);
    });
  }

  #end(file: Building, isWhole: boolean): Built {
    if (isWhole) this.#write(file);
    const { writer, path } = file;
    const rows = writer?.written.rows ?? 0;
    if (writer === null) return { path, rows, trouble: file.trouble };
    const temporary = temporaryPath(path);
    let isEnded = false;
    if (isWhole && file.trouble === null)
      this.#try(file, () => {
        writer.addChunks(file.parts.chunks);
        isEnded = true;
        writer.close(file.parts.bytes);
        renameSync(temporary, indexPathOf(path));
      });
    if (!isEnded) writer.abandon();
    if (!isWhole || file.trouble !== null) this.#try(file, () => unlinkSync(temporary));
    return { path, rows, trouble: file.trouble };
  }

  /** What an earlier attempt left is in the way. */
  #begin({ path }: Building): IndexWriter {
    const temporary = temporaryPath(path);
    try {
      unlinkSync(temporary);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    return IndexWriter.create(path, this.#shipper, HISTORY_COLUMNS, temporary);
  }

  /** What the disk refuses is no reason to stop: the other files have indexes. */
  #try(file: Building, work: () => void): void {
    if (file.trouble !== null && file.writer === null) return;
    try {
      work();
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      file.trouble ??= errno;
    }
  }
}

function temporaryPath(path: string): string {
  return `${indexPathOf(path)}.new`;
}
