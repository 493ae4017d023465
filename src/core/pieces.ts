/**
 * Bytes that came in pieces: small ones are copied together, so that whoever sends single bytes does not make calltap keep an
 * object for each.
 */

/** A piece of this size is kept as it is; smaller ones go into a slab of that size. */
const LARGE_BYTES = 4 * 1024;
const SLAB_BYTES = 64 * 1024;

export class Pieces {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #slab: Buffer | null = null;
  #from = 0;
  #upTo = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes may be another's afterwards where the piece is small. */
  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (piece.length >= LARGE_BYTES) {
      this.#closeSmall();
      this.#pieces.push(piece);
      return;
    }
    if (this.#slab === null || this.#upTo + piece.length > SLAB_BYTES) {
      this.#closeSmall();
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#from = 0;
      this.#upTo = 0;
    }
    this.#upTo += piece.copy(this.#slab, this.#upTo);
  }

  /** All bytes so far; then none are left. */
  take(): Buffer {
    this.#closeSmall();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    this.#slab = null;
    return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
  }

  #closeSmall(): void {
    if (this.#slab === null || this.#upTo === this.#from) return;
    this.#pieces.push(this.#slab.subarray(this.#from, this.#upTo));
    this.#from = this.#upTo;
  }
}
