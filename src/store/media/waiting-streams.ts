/** Places of the streams that wait for a dialog, by both their ends. */
import { EndpointMap } from '../../core/endpoint-map.ts';
import type { EndpointKey } from '../../core/ip.ts';
import type { StreamColumns } from './stream-columns.ts';
import { MAX_ENDPOINT_STREAMS } from './unseen-streams.ts';

const NO_PLACES: readonly number[] = [];

export class WaitingStreams {
  readonly #columns: StreamColumns;
  readonly #places = new EndpointMap<number | number[]>();

  constructor(columns: StreamColumns) {
    this.#columns = columns;
  }

  /** Those that run from or to `key`. */
  at(key: EndpointKey): readonly number[] {
    const held = this.#places.get(key);
    return held === undefined ? NO_PLACES : typeof held === 'number' ? [held] : held;
  }

  add(place: number): void {
    this.#put(this.#columns.dstKey(place), place);
    this.#put(this.#columns.srcKey(place), place);
  }

  remove(place: number): void {
    this.#take(this.#columns.dstKey(place), place);
    this.#take(this.#columns.srcKey(place), place);
  }

  #put(key: EndpointKey, place: number): void {
    const held = this.#places.get(key);
    if (held === undefined) this.#places.set(key, place);
    else if (Array.isArray(held)) {
      if (held.length >= MAX_ENDPOINT_STREAMS) held.shift();
      held.push(place);
    } else this.#places.set(key, [held, place]);
  }

  #take(key: EndpointKey, place: number): void {
    const held = this.#places.get(key);
    if (held === place) this.#places.delete(key);
    else if (Array.isArray(held)) {
      const at = held.indexOf(place);
      if (at >= 0) held.splice(at, 1);
      if (held.length === 0) this.#places.delete(key);
    }
  }
}
