/** The directions of a call's media that never came: ladder and lanes draw them. */
import type { CallDocument, SdpExchange } from '../../contract/index.ts';

type Way = { readonly src: string; readonly dst: string };
type Sent = Way & { readonly first_seen: string; readonly last_seen: string };

/** Nothing came from `src` to `dst` while it had to. */
export type MissingMedia = Way & { readonly from: string; readonly to: string };

/** What the diagnosis says is missing; `streams` are those of the call. */
export function missingMedia(call: CallDocument, streams: readonly Sent[]): MissingMedia[] {
  const { diagnosis, sdp_timeline: offers, updated_at: end } = call;
  if (diagnosis?.one_way_audio === true) {
    const only = streams.find((stream) => !streams.some((other) => isReverse(stream, other)));
    if (only !== undefined) return [{ src: only.dst, dst: only.src, from: only.first_seen, to: only.last_seen }];
  }
  if (diagnosis?.no_media !== true) return [];
  const answer = offers.findLast(({ direction }) => direction === 'answer');
  const [a, b] = [socketOf(offers.findLast(({ direction }) => direction === 'offer')), socketOf(answer)];
  if (answer === undefined || a === null || b === null) return [];
  const span = { from: answer.timestamp, to: end };
  return [
    { src: a, dst: b, ...span },
    { src: b, dst: a, ...span },
  ];
}

/** Where a description wants its media; null where it does not say. */
function socketOf(offer: SdpExchange | undefined): string | null {
  const { media_addr: address, media_port: port = 0 } = offer ?? {};
  if (address === undefined || port === 0) return null;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function isReverse(a: Way, b: Way): boolean {
  return hostOf(a.src) === hostOf(b.dst) && hostOf(a.dst) === hostOf(b.src);
}

/** The address of a socket, without the brackets of IPv6. */
export function hostOf(socket: string): string {
  return socket.slice(0, socket.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}
