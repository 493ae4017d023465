/** The TCP connections of a capture, while their text is replaced. Their number and memory are bounded: the idle go first. */
import { DecodeCounters } from '../../decode/counters.ts';
import { WebSocketSession } from '../../decode/websocket/http-upgrade.ts';
import { SharedInflation } from '../../decode/websocket/permessage-deflate.ts';
import { TcpDirection } from './tcp-direction.ts';
import type { TcpShared } from './tcp-shared.ts';
import { Token } from './token.ts';
import type { Carrier, ContentRewriter, SegmentTaker } from './walk.ts';

/** Connections whose text is replaced, and bytes that they hold. @cap */
const MAX_CONNECTIONS = 4_096;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

const SYN = 0x02;

type Connection = { readonly key: string; readonly ways: readonly [TcpDirection, TcpDirection] };
/** A direction and the one that answers it. */
export type Way = { readonly own: TcpDirection; readonly other: TcpDirection };

export class TcpStreams implements SegmentTaker<Way> {
  readonly #shared: TcpShared;
  /** The one idle longest is the first. */
  readonly #connections = new Map<string, Connection>();

  constructor(contents: ContentRewriter) {
    this.#shared = { contents, inflation: new SharedInflation(new DecodeCounters()), heldBytes: 0 };
  }

  /** The direction of the segment at `at`, whose addresses are replaced already. A SYN begins a connection. */
  wayOf(b: Buffer, at: number, c: Carrier, flags: number, sequence: number): Way {
    const from = b.toString('latin1', c.src, c.src + c.size) + b.toString('latin1', at, at + 2);
    const to = b.toString('latin1', c.dst, c.dst + c.size) + b.toString('latin1', at + 2, at + 4);
    const isFirst = from < to;
    const key = isFirst ? from + to : to + from;
    let connection = this.#connections.get(key);
    const index = isFirst ? 0 : 1;
    const isNew = (flags & SYN) !== 0 && connection?.ways[index].isOther(sequence + 1) === true;
    if (connection !== undefined && isNew) this.#close(connection);
    if (connection === undefined || isNew) {
      const session = new WebSocketSession();
      const way = (): TcpDirection => new TcpDirection(this.#shared, session);
      connection = { key, ways: [way(), way()] };
    }
    // It is the newest now.
    this.#connections.delete(key);
    this.#connections.set(key, connection);
    this.#makeRoom(connection);
    const [a, z] = connection.ways;
    const way = isFirst ? { own: a, other: z } : { own: z, other: a };
    if ((flags & SYN) !== 0) way.own.begin((sequence + 1) >>> 0);
    return way;
  }

  take({ own }: Way, sequence: number, payload: Buffer, missing: number): Token {
    if (payload.length + missing > 0) return own.take(sequence, payload, missing);
    const token = new Token(() => undefined);
    token.answer = () => ({ bytes: payload, sequence: own.moved(sequence), isLast: false });
    return token;
  }

  /** An acknowledgment says how far the other direction was received. */
  acknowledged({ other }: Way, number: number): number {
    return other.moved(number);
  }

  #makeRoom(newest: Connection): void {
    for (const connection of this.#connections.values()) {
      const isFull = this.#connections.size > MAX_CONNECTIONS || this.#shared.heldBytes > MAX_HELD_BYTES;
      if (!isFull || connection === newest) return;
      this.#close(connection);
    }
  }

  #close(connection: Connection): void {
    for (const way of connection.ways) way.close();
    this.#connections.delete(connection.key);
  }
}
