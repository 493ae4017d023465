/**
 * Puts the pieces of one flow in the order in which an agent saw them, by the times that it tells: HEP over UDP may bring
 * them in another order. Only pieces of one message change places. A piece that is late for a message that was handed out is
 * lost.
 */
import type { Packet } from '../../sources/packet.ts';

/** Pieces of one message by HEP whose places are known, so that a late one finds its own. @cap */
const MAX_HEP_ORDERED_PIECES = 64;

/** Pieces of a flow by HEP that wait for the one in front of them. @cap */
const MAX_HEP_EARLY_PIECES = 8;

/** A piece that came before the one in front of it. */
export type EarlyPiece = { readonly bytes: Uint8Array; readonly packet: Packet };

type PieceStart = { at: number; readonly toldUs: number };

export class PieceOrder {
  /** Where the pieces begin in the bytes held. */
  #starts: PieceStart[] = [];
  /** In the order in which they were seen. */
  readonly early: EarlyPiece[] = [];

  /** A piece that was seen then is the first of the message that is held. */
  begin(toldUs: number): void {
    this.#starts = [{ at: 0, toldUs }];
  }

  /** A further piece begins at `at`; `bytes` are those that moved back for it. */
  add(at: number, toldUs: number, bytes = 0): void {
    for (const start of this.#starts) if (start.at >= at) start.at += bytes;
    if (this.#starts.length < MAX_HEP_ORDERED_PIECES) this.#starts.push({ at, toldUs });
    this.#starts.sort((a, b) => a.at - b.at);
  }

  /** Where in the bytes held a piece that was seen then belongs: -1 behind them, 0 in front of the message. */
  placeOf(toldUs: number): number {
    if (this.#starts.length >= MAX_HEP_ORDERED_PIECES) return -1;
    return this.#starts.find((start) => start.toldUs > toldUs)?.at ?? -1;
  }

  /** Where a piece that was seen at this very time begins; -1 without one. */
  sameAs(toldUs: number): number {
    return this.#starts.find((start) => start.toldUs === toldUs)?.at ?? -1;
  }

  get earlyBytes(): number {
    return this.early.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Keeps a piece for the one in front of it. False: there is no room, or no time to go by. */
  keep(piece: EarlyPiece): boolean {
    if (Number.isNaN(piece.packet.toldUs) || this.early.length >= MAX_HEP_EARLY_PIECES) return false;
    this.early.push(piece);
    this.early.sort((a, b) => a.packet.toldUs - b.packet.toldUs);
    return true;
  }
}
