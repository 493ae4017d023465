/**
 * The lines of one table that wait in memory for the disk.
 *
 * A line becomes bytes as it comes, in slabs that are handed on and used again: the work is spread over the lines, and the
 * garbage collector, which marks the whole heap when much memory beside it comes and goes, has nothing to do.
 */

/** Lines are written into pieces of memory of this size. @cap with SHIP_WAITING_BYTES */
export const SHIP_SLAB_BYTES = 256 * 1024;

/** Pieces kept for the next lines when none wait. @cap with SHIP_WAITING_BYTES */
const SHIP_SLABS_KEPT = 32;

/** Lines one after another, each with its line end. release() is called when nobody reads them any more: others take their place. */
export type Lines = {
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
  readonly rows: number;
  readonly release: () => void;
};

/** `slab`: what it is the last piece of; null for another piece. Pieces go in order, so then nobody needs the slab. */
type Piece = { readonly bytes: Buffer; readonly rows: number; readonly slab: Buffer | null };

export const LINE_END = 0x0a;
const NONE = Buffer.alloc(0);

/** The most bytes that a line takes, with its line end: three for each unit of UTF-16. */
export function mostBytes(line: string): number {
  return 3 * line.length + 1;
}

/** How many bytes it has, with its line end. */
export function lineBytes(line: string): number {
  return Buffer.byteLength(line) + 1;
}

/** Slabs that were used and are free. */
export class Slabs {
  readonly #free: Buffer[] = [];

  /** A slab with room for so many bytes. */
  take(bytes: number): Buffer {
    if (bytes > SHIP_SLAB_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SHIP_SLAB_BYTES);
  }

  giveBack(slab: Buffer): void {
    if (slab.length === SHIP_SLAB_BYTES && this.#free.length < SHIP_SLABS_KEPT) this.#free.push(slab);
  }
}

export class WaitingLines {
  readonly #slabs: Slabs;
  /** Oldest first. */
  #pieces: Piece[] = [];
  #slab: Buffer = NONE;
  /** What was written of the slab from here to there is no piece yet, and has so many rows. */
  #from = 0;
  #at = 0;
  #newRows = 0;
  #bytes = 0;
  #rows = 0;

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
  }

  /** All of it, line ends included. */
  get bytes(): number {
    return this.#bytes;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds a line. Returns how many bytes it has, with its line end. */
  add(line: string): number {
    // Bytes are counted only where they may not fit: that takes longer than to write them.
    if (mostBytes(line) > this.#slab.length - this.#at) this.#makeRoom(lineBytes(line));
    const from = this.#at;
    this.#at += this.#slab.write(line, from);
    this.#slab[this.#at++] = LINE_END;
    const bytes = this.#at - from;
    this.#newRows++;
    this.#bytes += bytes;
    this.#rows++;
    return bytes;
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#slab.length - this.#at) return;
    if (this.#slab !== NONE) this.#endPiece(this.#slab);
    this.#slab = this.#slabs.take(bytes);
    this.#from = 0;
    this.#at = 0;
  }

  /** The oldest, which wait no longer: at most `mostBytes`, or one piece. */
  take(mostBytes: number): Lines {
    if (this.#newRows > 0) this.#endPiece(null);
    const taken: Piece[] = [];
    let bytes = 0;
    let rows = 0;
    for (const piece of this.#pieces) {
      if (taken.length > 0 && bytes + piece.bytes.length > mostBytes) break;
      taken.push(piece);
      bytes += piece.bytes.length;
      rows += piece.rows;
    }
    this.#pieces = this.#pieces.slice(taken.length);
    this.#bytes -= bytes;
    this.#rows -= rows;
    const release = (): void => {
      for (const { slab } of taken) if (slab !== null) this.#slabs.giveBack(slab);
    };
    return { pieces: taken.map((piece) => piece.bytes), bytes, rows, release };
  }

  #endPiece(slab: Buffer | null): void {
    this.#pieces.push({ bytes: this.#slab.subarray(this.#from, this.#at), rows: this.#newRows, slab });
    this.#from = this.#at;
    this.#newRows = 0;
  }
}

/** Half a pair of UTF-16, as a text that was cut may end with, is no Unicode: a store refuses all that is sent with it. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** The line of JSON with U+FFFD for such halves. */
export function wellFormed(line: string): string {
  return line.includes('\\ud') ? line.replace(HALF, '$1\ufffd') : line;
}
