/**
 * Which frames carried the messages of each dialog: kept only by a run that writes these frames in a second pass.
 *
 * A frame is a row of 16 bytes, linked to the row before it of the same dialog. A full ledger keeps what it has: the frames
 * of later messages are counted, and cannot be written.
 */
import type { FrameAt } from '../../sources/packet.ts';
import { type Accessors, defineAccessors, row } from '../row.ts';
import { BLOCK, NONE, RowBlocks } from '../row-blocks.ts';

/** Bytes for the frames of messages, 16 a frame, where they are written in a second pass (`--filter` with `-O`). @cap */
const FRAME_LEDGER_BYTES = 128 * 1024 * 1024;

const FRAME = row(16, { ordinal: 'f64', source: 'i32', older: 'i32' });

class InBlocks extends RowBlocks {}
defineAccessors(InBlocks.prototype, FRAME, BLOCK);
const Rows = InBlocks as new (words: number) => RowBlocks & Accessors<typeof FRAME.kinds>;

/** A frame, or a message: the frame it began in, and the others. */
type Carried = FrameAt & { readonly parts: readonly FrameAt[] | null };

/** What is told which frames carried the messages of dialogs: a ledger, or who writes them as they come. */
export type MessageFrames = Pick<FrameLedger, 'add' | 'forget'>;

export class FrameLedger {
  readonly #rows = new Rows(FRAME.words);
  readonly #most: number;
  /** The newest row of each dialog, by its slot. */
  #newest = new Int32Array(0);
  /** Frames that found no room. */
  unkept = 0;

  constructor(bytes: number = FRAME_LEDGER_BYTES) {
    this.#most = Math.floor(bytes / FRAME.bytes);
  }

  /** Frames held. */
  get size(): number {
    return this.#rows.size;
  }

  /** The dialog in this slot got a message; one that came without a frame leaves none. */
  add(slot: number, message: Carried): void {
    this.#add(slot, message.source, message.frame);
    if (message.parts !== null) for (const part of message.parts) this.#add(slot, part.source, part.frame);
  }

  /** Shows the frames of the dialog, the newest first; one that carried two of its messages comes twice. */
  visit(slot: number, show: (source: number, ordinal: number) => void): void {
    const rows = this.#rows;
    for (let at = this.#newestOf(slot); at !== NONE; at = rows.older(at)) show(rows.source(at), rows.ordinal(at));
  }

  /** The slot will be another dialog's. */
  forget(slot: number): void {
    const rows = this.#rows;
    let at = this.#newestOf(slot);
    if (at === NONE) return;
    this.#newest[slot] = NONE;
    while (at !== NONE) {
      const older = rows.older(at);
      rows.give(at);
      at = older;
    }
  }

  #newestOf(slot: number): number {
    return this.#newest[slot] ?? NONE;
  }

  #add(slot: number, source: number, ordinal: number): void {
    if (ordinal < 0) return;
    const rows = this.#rows;
    if (rows.size >= this.#most) {
      this.unkept++;
      return;
    }
    if (slot >= this.#newest.length) this.#reach(slot);
    const at = rows.take();
    rows.setOrdinal(at, ordinal);
    rows.setSource(at, source);
    rows.setOlder(at, this.#newestOf(slot));
    this.#newest[slot] = at;
  }

  /** Makes the list of dialogs long enough for this one. */
  #reach(slot: number): void {
    const longer = new Int32Array(Math.max(1024, 2 * slot)).fill(NONE);
    longer.set(this.#newest);
    this.#newest = longer;
  }
}
