/**
 * Which streams run the same way and which the other: by the hosts they run between, or by the ports on one host.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyHost } from '../../core/ip.ts';
import type { Stream } from '../../store/media/stream.ts';

/** The streams of a call, which has at most MAX_DIALOG_STREAMS: looking at each beats a key made for each. */
export class Ways<T extends { readonly stream: Stream }> {
  readonly #ways: readonly Way<T>[];

  constructor(list: readonly T[]) {
    this.#ways = list.map((one) => {
      const { src, dst } = wayOf(one.stream.srcKey, one.stream.dstKey);
      return { one, src, dst };
    });
  }

  /** Those that run the other way than `stream`, between the same two hosts, in their order. */
  reverseOf({ srcKey, dstKey }: Stream): readonly T[] {
    return this.#along(dstKey, srcKey);
  }

  /** One of them runs the other way than `stream`. */
  isAnswered({ srcKey, dstKey }: Stream): boolean {
    const { src, dst } = wayOf(dstKey, srcKey);
    return this.#ways.some((way) => way.src === src && way.dst === dst);
  }

  /** Those that run between the same two hosts in the same direction. */
  sameAs({ srcKey, dstKey }: Stream): readonly T[] {
    return this.#along(srcKey, dstKey);
  }

  #along(srcKey: EndpointKey, dstKey: EndpointKey): T[] {
    const { src, dst } = wayOf(srcKey, dstKey);
    const found: T[] = [];
    for (const way of this.#ways) if (way.src === src && way.dst === dst) found.push(way.one);
    return found;
  }
}

type Way<T> = { readonly one: T } & Ends;
type Ends = { readonly src: EndpointKey; readonly dst: EndpointKey };

/** Between two hosts their addresses; on one host its ports tell the ways apart. */
function wayOf(srcKey: EndpointKey, dstKey: EndpointKey): Ends {
  const from = endpointKeyHost(srcKey);
  const to = endpointKeyHost(dstKey);
  return from === to ? { src: srcKey, dst: dstKey } : { src: from, dst: to };
}
