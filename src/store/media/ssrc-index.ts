/** Places of streams by their SSRC, some of them where there are many. Made when it is first asked for. */
import type { StreamColumns } from './stream-columns.ts';

/** Streams looked up by one SSRC; a load generator gives all its streams the same. @cap */
const MAX_SSRC_STREAMS = 64;

export class SsrcIndex {
  readonly #columns: StreamColumns;
  /** Null until somebody asks. */
  #places: Map<number, number[]> | null = null;

  constructor(columns: StreamColumns) {
    this.#columns = columns;
  }

  find(ssrc: number): readonly number[] {
    if (this.#places === null) {
      this.#places = new Map();
      for (let place = 0; place < this.#columns.places; place++)
        if (this.#columns.generation(place) !== 0) this.add(place);
    }
    return this.#places.get(ssrc) ?? [];
  }

  /** A stream has begun at `place`. */
  add(place: number): void {
    if (this.#places === null) return;
    const ssrc = this.#columns.ssrc(place);
    const list = this.#places.get(ssrc);
    if (list === undefined) this.#places.set(ssrc, [place]);
    else if (list.length < MAX_SSRC_STREAMS) list.push(place);
  }

  /** The stream at `place` goes. */
  remove(place: number): void {
    if (this.#places === null) return;
    const ssrc = this.#columns.ssrc(place);
    const list = this.#places.get(ssrc);
    const at = list?.indexOf(place) ?? -1;
    if (list === undefined || at < 0) return;
    if (list.length === 1) this.#places.delete(ssrc);
    else list.splice(at, 1);
  }
}
