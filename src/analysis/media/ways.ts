/**
 * Which streams run the same way and which the other: by the hosts they run between, or by the ports on one host.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress } from '../../core/ip.ts';
import { grouped } from '../../core/maps.ts';
import type { Stream } from '../../store/media/stream.ts';

/** Streams by the ways they run, so that what runs the other way is found without comparing each with each. */
export class Ways<T extends { readonly stream: Stream }> {
  readonly #byWay: ReadonlyMap<string, readonly T[]>;

  constructor(list: readonly T[]) {
    this.#byWay = grouped(list, ({ stream }) => wayOf(stream.srcKey, stream.dstKey));
  }

  /** Those that run the other way than `stream`, between the same two hosts, in their order. */
  reverseOf({ srcKey, dstKey }: Stream): readonly T[] {
    return this.#byWay.get(wayOf(dstKey, srcKey)) ?? [];
  }

  /** Those that run between the same two hosts in the same direction. */
  sameAs({ srcKey, dstKey }: Stream): readonly T[] {
    return this.#byWay.get(wayOf(srcKey, dstKey)) ?? [];
  }
}

/** Between two hosts their addresses; on one host its ports tell the ways apart. */
function wayOf(src: EndpointKey, dst: EndpointKey): string {
  const from = hostOf(src);
  const to = hostOf(dst);
  return from === to ? `${src} ${dst}` : `${from} ${to}`;
}

/** The address in whatever form tells it from others: no text is made of an IPv4 address. */
function hostOf(key: EndpointKey): number | string {
  return typeof key === 'number' ? Math.floor(key / 65_536) : endpointKeyAddress(key);
}
