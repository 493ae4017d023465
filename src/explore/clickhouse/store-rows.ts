/**
 * Rows of an answer of the store, read line by line as they come: each is held to its shape before anything uses it. Whoever sends
 * more than the caps allow, or something else, is not read any further.
 */
import type { IncomingMessage } from 'node:http';
import type { Static, TSchema } from 'typebox';
import { parseJson } from '../../core/json-text.ts';
import { Pieces } from '../../core/pieces.ts';
import type { Steps, Turns } from '../../core/turns.ts';
import { readPieces } from '../../net/answer.ts';
import { RemoteFailure } from '../../net/failures.ts';
import { holds } from '../remote/shapes.ts';
import { refusalIn, STORE_SAID_BYTES } from './store.ts';

/** Bytes of one row of the store, and arrays, objects and keys in one. @cap */
const HUB_ROW_BYTES = 8 * 1024 * 1024;
export const HUB_ROW_VALUES = 32_768;

const NEWLINE = 0x0a;

export type RowBounds = {
  /** Rows that were asked for at most. */
  readonly rows: number;
  readonly ms: number;
  /** Told of the bytes of each piece. Throws where they are too many. */
  readonly count: (bytes: number) => void;
};

/** Rejects with what storeFailure() knows, and with what `count` throws. */
export async function readRows<T extends TSchema>(
  answer: IncomingMessage,
  shape: T,
  { rows: most, ms, count }: RowBounds,
  turns: Turns,
): Promise<Static<T>[]> {
  const lines = new RowLines(shape, most);
  await readPieces(answer, ms, async (piece) => {
    count(piece.length);
    const slice = await turns.begin('answer');
    await slice.finish(lines.take(piece));
    return lines.isReading;
  });
  return lines.end();
}

class RowLines<T extends TSchema> {
  readonly #shape: T;
  readonly #most: number;
  readonly #rows: Static<T>[] = [];
  /** Of the line that has not ended. */
  readonly #rest = new Pieces();
  /** From the first line on that is no row: what the store says there. */
  #said: string | null = null;

  constructor(shape: T, most: number) {
    this.#shape = shape;
    this.#most = most;
  }

  get isReading(): boolean {
    return this.#said === null || this.#said.length < STORE_SAID_BYTES;
  }

  /** A step a row. Throws RemoteFailure. */
  *take(piece: Buffer): Steps<void> {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0 && this.#said === null; end = piece.indexOf(NEWLINE, from)) {
      this.#row(this.#whole(piece.subarray(from, end)));
      from = end + 1;
      yield;
    }
    if (this.#said !== null) this.#said += `\n${piece.toString('utf8', from)}`;
    else this.#keep(piece.subarray(from));
  }

  /** All rows. Throws RemoteFailure or StoreRefusal where the answer had something else. */
  end(): Static<T>[] {
    if (this.#said === null && this.#rest.bytes > 0) this.#row(this.#rest.take());
    if (this.#said === null) return this.#rows;
    // An error that comes after the head of an answer stands where rows would.
    throw refusalIn(this.#said) ?? notAsked('a row of another form');
  }

  #keep(part: Buffer): void {
    if (this.#rest.bytes + part.length > HUB_ROW_BYTES) throw notAsked(`a row of more than ${HUB_ROW_BYTES} bytes`);
    this.#rest.add(part);
  }

  /** The line that ends with this part. */
  #whole(part: Buffer): Buffer {
    if (this.#rest.bytes === 0) return part;
    this.#keep(part);
    return this.#rest.take();
  }

  #row(bytes: Buffer): void {
    const line = bytes.toString('utf8');
    const row = rowOf(this.#shape, line);
    if (row === undefined) this.#said = line;
    else if (this.#rows.push(row) > this.#most) throw notAsked(`more than the ${this.#most} rows that were asked for`);
  }
}

/** Undefined for what is no such row. */
function rowOf<T extends TSchema>(shape: T, line: string): Static<T> | undefined {
  try {
    const row = parseJson(line, HUB_ROW_VALUES);
    return holds(shape, row) ? row : undefined;
  } catch {
    return undefined;
  }
}

/** Of a store that answers with this. */
export function notAsked(what: string): RemoteFailure {
  return new RemoteFailure('no', `it answers with ${what}`, 'check that a ClickHouse answers there, of this schema');
}
