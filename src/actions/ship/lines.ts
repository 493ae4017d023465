/**
 * The lines of one table that wait in memory for the disk.
 *
 * A line becomes bytes as it comes, in slabs that are handed on and never copied here: the work is spread over the lines, and
 * the garbage collector sees a slab instead of a hundred texts that live for a second.
 */
import { SHIP_SLAB_BYTES } from '../../core/item-limits.ts';

/** Lines one after another, each with its line end. */
export type Lines = { readonly pieces: readonly Buffer[]; readonly bytes: number; readonly rows: number };

type Piece = { readonly bytes: Buffer; readonly rows: number };

const LINE_END = 0x0a;

export class WaitingLines {
  /** Oldest first; full slabs, and parts of slabs. */
  #pieces: Piece[] = [];
  #slab = Buffer.alloc(0);
  /** What was written of the slab from here to there is no piece yet, and has so many rows. */
  #from = 0;
  #at = 0;
  #newRows = 0;
  #bytes = 0;
  #rows = 0;

  /** All of it, line ends included. */
  get bytes(): number {
    return this.#bytes;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds a line that has no line end; with one it has so many bytes. */
  add(line: string, bytes: number): void {
    if (bytes > this.#slab.length - this.#at) {
      this.#endPiece();
      this.#slab = Buffer.allocUnsafeSlow(Math.max(SHIP_SLAB_BYTES, bytes));
      this.#from = 0;
      this.#at = 0;
    }
    this.#slab.write(line, this.#at);
    this.#at += bytes;
    this.#slab[this.#at - 1] = LINE_END;
    this.#newRows++;
    this.#bytes += bytes;
    this.#rows++;
  }

  /** The oldest, which wait no longer: at most `mostBytes`, or one piece. */
  take(mostBytes: number): Lines {
    this.#endPiece();
    const pieces: Buffer[] = [];
    let bytes = 0;
    let rows = 0;
    for (const piece of this.#pieces) {
      if (pieces.length > 0 && bytes + piece.bytes.length > mostBytes) break;
      pieces.push(piece.bytes);
      bytes += piece.bytes.length;
      rows += piece.rows;
    }
    this.#pieces = this.#pieces.slice(pieces.length);
    this.#bytes -= bytes;
    this.#rows -= rows;
    return { pieces, bytes, rows };
  }

  #endPiece(): void {
    if (this.#newRows === 0) return;
    this.#pieces.push({ bytes: this.#slab.subarray(this.#from, this.#at), rows: this.#newRows });
    this.#from = this.#at;
    this.#newRows = 0;
  }
}
