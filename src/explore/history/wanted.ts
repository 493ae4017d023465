/**
 * By what the frames of a call that left the memory are found: its Call-ID, the sockets of its messages and its media, and when
 * these came. Its row and its document say it.
 */
import { socketOf } from '../../core/ip.ts';
import type { IndexedCall } from '../../history/rows.ts';
import { areNumbers, isObject } from '../../history/values.ts';
import { missedMedia } from '../missed-media.ts';
import { textOf, textsOf } from '../stored/call-of-row.ts';

/** From one time to another, both in it: microseconds, as the clock of the host showed them. */
export type TimeSpan = { readonly fromUs: number; readonly toUs: number };

export type Endpoint = { readonly host: string; readonly port: number };

export type Wanted = {
  readonly callId: string;
  /** When its messages came. */
  readonly messages: readonly TimeSpan[];
  /** Whether a connection carried some of them. */
  readonly hasConnection: boolean;
  /** Addresses of all its frames, and sockets of its messages. */
  readonly hosts: readonly string[];
  readonly sockets: readonly Endpoint[];
  /** Where its media ran, or was to run, and when it ran. */
  readonly media: readonly Endpoint[];
  readonly mediaTimes: readonly TimeSpan[];
  /** It was judged that media of it was missing: so the capture would have seen that media. */
  readonly missedMedia: boolean;
};

/** A datagram in fragments, and a message in segments of a connection, begin earlier than they end. */
const DATAGRAM_US = 20_000;
const SEGMENTS_US = 500_000;
const AFTER_US = 5_000;
/** What belongs to media and is not RTP comes a little before it, and after it. */
const BESIDE_US = 2_000_000;

const OF_CONNECTIONS: ReadonlySet<string> = new Set(['TCP', 'TLS', 'WS', 'WSS']);

type Fields = Readonly<Record<string, unknown>>;

/** `document`: what the index has of it; an empty object where it has none. */
export function wantedOf({ row, startUs, endUs }: IndexedCall, document: Fields): Wanted {
  const transports = [...textsOf(row['transports']), textOf(row['transport'])];
  const hasConnection = transports.some((one) => OF_CONNECTIONS.has(one));
  const before = hasConnection ? SEGMENTS_US : DATAGRAM_US;
  const streams = streamsOf(row);
  const media = withControl([...streams.flatMap(({ ends }) => ends), ...describedIn(document)]);
  const addresses = [...textsOf(row['addresses']), ...media.map(({ host }) => host)];
  return {
    callId: textOf(row['call_id']),
    messages: timesOf(row, startUs, endUs).map(([fromUs, toUs]) => ({
      fromUs: fromUs - before,
      toUs: toUs + AFTER_US,
    })),
    hasConnection,
    hosts: [...new Set(addresses)].filter((host) => host !== ''),
    sockets: textsOf(row['sockets']).map(socketOf),
    media,
    mediaTimes: streams.map(({ fromUs, toUs }) => ({ fromUs: fromUs - BESIDE_US, toUs: toUs + BESIDE_US })),
    missedMedia: missedMedia(textsOf(row['findings'])),
  };
}

/** Times of messages as a row has them; all of its time where it has none. */
function timesOf(
  { times }: Fields,
  startUs: number,
  endUs: number,
): readonly (readonly [fromUs: number, toUs: number])[] {
  if (!areNumbers(times) || times.length === 0) return [[startUs, endUs]];
  let us = 0;
  return times.map((later) => {
    us += later;
    return [us, us];
  });
}

type Ran = TimeSpan & { readonly ends: readonly Endpoint[] };

function streamsOf({ media }: Fields): readonly Ran[] {
  if (!Array.isArray(media)) return [];
  return media.flatMap((stream: unknown) => {
    if (!Array.isArray(stream)) return [];
    const [src, dst, fromUs, lastedUs] = stream as unknown[];
    if (!areNumbers([fromUs, lastedUs])) return [];
    const ends = [src, dst].map((end) => socketOf(textOf(end)));
    return [{ ends, fromUs: Number(fromUs), toUs: Number(fromUs) + Number(lastedUs) }];
  });
}

/** Sockets that descriptions named for media. */
function describedIn(document: Fields): Endpoint[] {
  return ['sdp_timeline', 'media_lines'].flatMap((name) =>
    listIn(document[name]).map(({ media_addr: host, media_port: port }) => ({
      host: textOf(host),
      port: typeof port === 'number' ? port : 0,
    })),
  );
}

/** Each once, with the port above it: RTCP may have that. */
function withControl(sockets: readonly Endpoint[]): Endpoint[] {
  const all = new Map<string, Endpoint>();
  for (const { host, port } of sockets) {
    if (host === '' || port === 0) continue;
    for (const one of [port, port + 1]) all.set(`${host} ${one}`, { host, port: one });
  }
  return [...all.values()];
}

function listIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
