/** What `tcp A>B` changes: messages between the two run over TCP connections, which `fin` and `rst` end. */
import { labelHash } from '../../../fixtures/build/bytes.ts';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import type { Frame } from '../../../fixtures/build/pcap-file.ts';
import { TcpConnection } from '../../../fixtures/build/tcp.ts';
import type { Seen } from './refusal.ts';
import { playerOf } from './stage.ts';
import type { Line } from './table.ts';

/** A handshake takes two milliseconds. */
const OPENS_US = 5_000;

export const isTcpEnd = ({ what }: Line): boolean => what === 'fin' || what === 'rst';

/** Whether it is a message between the two. */
export function isBetween({ src, dst }: Seen, pair: readonly string[]): boolean {
  const isEnd = ({ address, port }: Endpoint): boolean =>
    pair.some((who) => playerOf(who).sip.address === address && playerOf(who).sip.port === port);
  return isEnd(src) && isEnd(dst);
}

/** The segments of the connections between the two; who speaks after one has ended opens the next. */
export function segmentsOf(messages: readonly Seen[], pair: readonly string[], ends: readonly Line[]): Frame[] {
  const own = ends.filter(({ from, to }) => pair.includes(from) && pair.includes(to));
  const events = [
    ...messages.map((m) => ({ tsUs: m.tsUs, from: m.src, to: m.dst, bytes: m.bytes, what: 'data' })),
    ...own.map(({ fromMs, from, to, what }) => {
      const [src, dst] = [playerOf(from).sip, playerOf(to).sip];
      return { tsUs: EPOCH_US + fromMs * 1000, from: src, to: dst, bytes: new Uint8Array(0), what };
    }),
  ].sort((a, b) => a.tsUs - b.tsUs);
  const frames: Frame[] = [];
  let open: { readonly connection: TcpConnection; readonly client: string } | null = null;
  let count = 0;
  for (const { tsUs, from, to, bytes, what } of events) {
    if (open === null) {
      const isn = labelHash(`${pair.join('>')}/${++count}`);
      const connection = new TcpConnection({ client: from, server: to, clientIsn: isn, serverIsn: isn ^ 0x5555 });
      open = { connection: connection.open(tsUs - OPENS_US), client: from.address };
    }
    const { connection, client } = open;
    const isClient = from.address === client;
    if (what === 'data') connection.send(isClient, tsUs, bytes);
    else if (what === 'rst') connection.reset(isClient, tsUs);
    else connection.finish(isClient, tsUs);
    if (what === 'data') continue;
    frames.push(...connection.frames());
    open = null;
  }
  if (open !== null) frames.push(...open.connection.frames());
  return frames;
}
