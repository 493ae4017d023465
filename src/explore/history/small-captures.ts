/**
 * Captures of a few calls each: the frames that the files of a ring have of them, read by the ordinary reader of files into stores of
 * their own. So an old call is answered by what answers a new one. The last few are kept for the next question.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faults } from '../../core/faults.ts';
import type { ReadsFiles } from '../memory-explorer.ts';
import { createExplorer } from '../memory-explorer.ts';
import { withSeenMedia } from '../missed-media.ts';
import type { Explorer } from '../port.ts';
import { Busy, NotHere } from '../refusal.ts';
import { copyFrames } from './span-frames.ts';
import type { SpanPlan } from './spans.ts';
import type { Wanted } from './wanted.ts';

/** Captures of calls of the ring that are kept, and seconds after the last question that they are. @cap */
const HISTORY_CAPTURES = 2;
const HISTORY_CAPTURE_SEC = 60;

export type SmallCapture = {
  readonly explorer: Explorer;
  readonly bytesRead: number;
  readonly frames: number;
  /** What of the calls is not in it, in sentences. */
  readonly lacks: readonly string[];
};

type Opened = SmallCapture & { close(): void };
/** `users`: questions that are being answered from it. */
type Kept = { readonly key: string; readonly made: Promise<Opened>; usedMs: number; users: number; isOver: boolean };

export class SmallCaptures {
  readonly #read: ReadsFiles;
  #kept: Kept[] = [];
  #clock: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** Bytes of the files of the ring that were read for calls. */
  bytesRead = 0;

  constructor(read: ReadsFiles) {
    this.#read = read;
  }

  /**
   * Asks the capture of some calls: `plan` says what is read for it. `key`: of the same calls in the same files. Rejects with a refusal.
   */
  async ask<T>(
    { key, plan, wanted }: { key: string; plan: () => SpanPlan; wanted: readonly Wanted[] },
    isGone: () => boolean,
    question: (small: SmallCapture) => Promise<T> | T,
  ): Promise<T> {
    if (this.#isClosed) throw new Busy();
    const kept = this.#kept.find((one) => one.key === key) ?? this.#keep(key, this.#open(plan(), wanted, isGone));
    kept.users++;
    try {
      return await question(await kept.made);
    } finally {
      kept.usedMs = performance.now();
      kept.users--;
      if (kept.isOver) this.#end(kept);
    }
  }

  #keep(key: string, made: Promise<Opened>): Kept {
    const kept: Kept = { key, made, usedMs: performance.now(), users: 0, isOver: false };
    made.catch(() => this.#forget(kept));
    this.#kept.push(kept);
    while (this.#kept.length > HISTORY_CAPTURES) this.#end(this.#kept.shift());
    this.#clock ??= faults.every(1_000, 'tick', () => this.#endOld()).unref();
    return kept;
  }

  async #open({ files, lacks }: SpanPlan, wanted: readonly Wanted[], isGone: () => boolean): Promise<Opened> {
    const folder = mkdtempSync(join(tmpdir(), 'calltap-history-'));
    try {
      const copied = await copyFrames(files, wanted, folder, isGone);
      this.bytesRead += copied.bytesRead;
      if (isGone()) throw new Busy();
      const why = [...lacks, ...copied.lacks];
      if (copied.paths.length === 0)
        throw new NotHere(['No frame of this call is in the files of the ring any more.', ...why].join(' '));
      const read = await this.#read(copied.paths);
      const close = (): void => {
        read.close();
        rmSync(folder, { recursive: true, force: true });
      };
      const { figures, saver } = read;
      const evidence = withSeenMedia(
        figures.evidence,
        wanted.some((one) => one.missedMedia),
      );
      return {
        explorer: createExplorer({ ...figures, evidence }, saver, this.#read),
        bytesRead: copied.bytesRead,
        frames: copied.frames,
        lacks: why,
        close,
      };
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  #endOld(): void {
    const oldMs = performance.now() - HISTORY_CAPTURE_SEC * 1_000;
    for (const one of this.#kept.filter(({ users, usedMs }) => users === 0 && usedMs < oldMs)) {
      this.#forget(one);
      this.#end(one);
    }
  }

  #forget(kept: Kept): void {
    this.#kept = this.#kept.filter((one) => one !== kept);
  }

  /** It is closed once nobody is being answered from it. */
  #end(kept: Kept | undefined): void {
    if (kept === undefined) return;
    kept.isOver = true;
    if (kept.users > 0) return;
    faults.run('tick', () =>
      kept.made.then(
        (opened) => opened.close(),
        () => undefined,
      ),
    );
  }

  close(): void {
    this.#isClosed = true;
    if (this.#clock !== null) clearInterval(this.#clock);
    this.#clock = null;
    for (const one of this.#kept) this.#end(one);
    this.#kept = [];
  }
}
