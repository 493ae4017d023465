/**
 * The ladder of a call: who sent what to whom, over all legs, and the media between them. Hosts are lifelines; a host that
 * talks to itself has one a socket.
 */

import type { Socket } from '../analysis/call-messages.ts';
import { capturedText } from '../analysis/captured-at.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { PlayedStream } from '../analysis/media/one-way-video.ts';
import { oneWayVideo } from '../analysis/media/one-way-video.ts';
import { probableLegs } from '../analysis/probable-legs.ts';
import { streamQuality } from '../analysis/stream-quality.ts';
import type { AskLadder, AskMessage, LadderMedia, LadderStep } from '../contract/index.ts';
import { endpointKeyText, endpointText, socketOf } from '../core/ip.ts';
import { spanSec } from '../core/rounded.ts';
import { timestampText } from '../core/timestamp.ts';
import type { Steps } from '../core/turns.ts';
import { asCaptured } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { messageFacts, notKept, traceOf } from './call-trace.ts';
import { notKnown } from './own-drops.ts';
import { shownOf } from './shown-messages.ts';
import { mosValue, percent, ssrcText } from './stream-document.ts';

/**
 * Lifelines of a ladder: one for an end of each of `MAX_LEGS_SHOWN` legs, and a few between them; all other hosts share the last one.
 *
 * @cap
 */
export const LADDER_LIFELINES = 40;

/** Messages of a ladder: those of eight calls with `MAX_DIALOG_MESSAGES` each. @cap */
export const LADDER_STEPS = 4_000;

/** Characters of the Call-IDs and first lines of a ladder. @cap */
export const LADDER_CHARS = 4 * 1024 * 1024;

/** Streams of a ladder: those of four calls with `MAX_DIALOG_STREAMS` each. @cap */
export const LADDER_STREAMS = 512;

/** What a ladder is drawn of: messages in the order of their time, and bars of media between two sockets. */
export type LadderParts = {
  /** The first one is what was asked for. */
  readonly callIds: readonly string[];
  /** Further calls, of which nothing else is here. */
  readonly moreCalls: number;
  readonly startedUs: number;
  readonly messages: readonly LadderMessage[];
  readonly media: readonly MediaRow[];
  /** Messages that are not kept any more. */
  readonly notKept: number;
};

type MediaRow = Omit<LadderMedia, 'from' | 'to'>;

export type LadderMessage = {
  readonly callId: string;
  readonly src: Socket;
  readonly dst: Socket;
  readonly tsUs: number;
  /** It went to whoever asked. */
  readonly isResponse?: boolean;
  /** Reads the message. */
  facts(): Facts;
};

type Facts = Omit<AskMessage, 'text'>;

export function* ladderSteps(e: Evidence, dialogs: readonly Dialog[], moreCalls = 0): Steps<AskLadder> {
  const trace = yield* traceOf(e, dialogs);
  const messages: LadderMessage[] = [];
  for (const traced of trace) {
    const { src, dst, tsUs, isRequest } = traced.m;
    const facts = (): Facts => messageFacts(e, traced);
    messages.push({ callId: traced.d.callId, src, dst, tsUs, isResponse: !isRequest, facts });
    yield;
  }
  const media = yield* mediaOf(e, dialogs);
  const [first, ...others] = dialogs;
  // Of a call alone nobody asked for legs.
  const guesses = first === undefined || others.length === 0 ? [] : probableLegs(first, e);
  const ladder = yield* drawnLadder(
    {
      callIds: dialogs.map((d) => d.callId),
      moreCalls,
      startedUs: asCaptured(
        e.capture.clockSteps,
        dialogs.reduce((least, d) => Math.min(least, d.createdUs), Number.POSITIVE_INFINITY),
      ),
      messages,
      media,
      notKept: notKept(dialogs, trace),
    },
    (address) => e.rules.names.of(address),
  );
  const probable = guesses.filter(({ dialog }) => others.includes(dialog));
  if (probable.length > 0)
    ladder.probable_legs = probable.map(({ dialog, score, reason }) => ({ call_id: dialog.callId, score, reason }));
  return ladder;
}

/**
 * The one place that decides how much of calls a ladder shows, since senders choose how many messages, hosts and streams they
 * have. `nameOf`: what the operator calls an address.
 */
export function* drawnLadder(parts: LadderParts, nameOf: (address: string) => string | null): Steps<AskLadder> {
  const { callIds, moreCalls, messages } = parts;
  const isOfFirst = ({ callId }: LadderMessage): boolean => callId === callIds[0];
  const shown = yield* shownOf(messages, isOfFirst, { rows: LADDER_STEPS, chars: LADDER_CHARS }, (m) => {
    const facts = m.facts();
    return { made: facts, chars: facts.call_id.length + facts.summary.length };
  });
  const media = parts.media.slice(0, LADDER_STREAMS);
  const lines = yield* lifelinesOf({ ...parts, media }, shown, messages.find(isOfFirst));
  const steps: LadderStep[] = [];
  let before = messages[0]?.tsUs ?? 0;
  for (const [i, { src, dst, tsUs }] of messages.entries()) {
    const facts = shown[i] ?? null;
    yield;
    if (facts === null) continue;
    steps.push({ ...facts, from: lines.at(src), to: lines.at(dst), delta_sec: spanSec(before, tsUs) });
    before = tsUs;
  }
  const bars = media.map(({ call_id, ...rest }) => ({
    call_id,
    from: lines.at(socketOf(rest.src)),
    to: lines.at(socketOf(rest.dst)),
    ...rest,
  }));
  const ladder: AskLadder = {
    schema_version: 1,
    call_ids: [...callIds],
    started_at: timestampText(parts.startedUs),
    lifelines: lines.shown(nameOf),
    steps,
    media: bars.sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1)),
    not_kept: parts.notKept,
  };
  const notShown = {
    calls: moreCalls,
    messages: messages.length - steps.length,
    lifelines: lines.others,
    streams: parts.media.length - media.length,
  };
  if (Object.values(notShown).some((count) => count > 0)) ladder.not_shown = notShown;
  return ladder;
}

function* mediaOf(e: Evidence, dialogs: readonly Dialog[]): Steps<MediaRow[]> {
  const media: MediaRow[] = [];
  yield* visitEach(e.stores.dialogs, dialogs, (d) => addMedia(e, d, media));
  return media;
}

function* addMedia(e: Evidence, d: Dialog, media: MediaRow[]): Steps<void> {
  const played: (PlayedStream & { readonly row: MediaRow })[] = [];
  for (const stream of e.stores.streams.ownedBy(d)) {
    const q = streamQuality(stream, e.capture.quality);
    yield;
    if (q === null) continue;
    const { packets } = q.snapshot;
    const row: MediaRow = {
      call_id: d.callId,
      src: endpointKeyText(stream.srcKey),
      dst: endpointKeyText(stream.dstKey),
      ssrc: ssrcText(stream.ssrc),
      packets,
      loss_pct: percent(q.lossPct),
      first_seen: capturedText(q.snapshot.firstUs, e.capture.clockSteps),
      last_seen: capturedText(q.snapshot.lastUs, e.capture.clockSteps),
    };
    const why = notKnown(q);
    if (why !== null) row.not_known = why;
    if (q.codec !== null) row.codec = q.codec;
    if (q.mos !== null) row.mos = mosValue(q.mos);
    const type = stream.claim?.mediaType ?? '';
    if (type !== '' && type !== 'audio') row.type = type;
    played.push({ stream, packets, codec: q.codec, row });
  }
  const oneWay = new Set(oneWayVideo(d, played));
  for (const stream of played) {
    if (oneWay.has(stream)) stream.row.one_way = true;
    media.push(stream.row);
  }
}

/** Hosts in order of appearance, who asked before who answered; those with most of what is shown have a line of their own, and so have the ends of the first call. */
function* lifelinesOf(
  { messages, media }: Pick<LadderParts, 'messages' | 'media'>,
  shown: readonly (Facts | null)[],
  opening: LadderMessage | undefined,
): Steps<Lifelines> {
  const split = new Set<string>();
  const ports = new Map<string, Set<number>>();
  for (const { src, dst } of messages) {
    yield;
    if (src.host === dst.host) split.add(src.host);
    for (const { host, port } of [src, dst]) {
      const known = ports.get(host) ?? new Set();
      ports.set(host, known.add(port));
    }
  }
  const keyOf = ({ host, port }: Socket): string => (split.has(host) ? endpointText(host, port) : host);
  const weights = new Map<string, number>();
  const weigh = (socket: Socket, weight: number): void => {
    const key = keyOf(socket);
    weights.set(key, (weights.get(key) ?? 0) + weight);
  };
  for (const [i, { src, dst, isResponse = false }] of messages.entries()) {
    yield;
    for (const socket of isResponse ? [dst, src] : [src, dst]) weigh(socket, (shown[i] ?? null) === null ? 0 : 1);
  }
  for (const { src, dst } of media) for (const text of [src, dst]) weigh(socketOf(text), 1);
  if (opening !== undefined) for (const socket of [opening.src, opening.dst]) weigh(socket, Number.POSITIVE_INFINITY);
  return new Lifelines(weights, keyOf, ports);
}

class Lifelines {
  /** Hosts, or sockets of those that talk to themselves, without a line of their own. */
  readonly others: number;
  readonly #places: ReadonlyMap<string, number>;
  readonly #keyOf: (socket: Socket) => string;
  readonly #ports: ReadonlyMap<string, ReadonlySet<number>>;

  constructor(
    weights: ReadonlyMap<string, number>,
    keyOf: (socket: Socket) => string,
    ports: ReadonlyMap<string, ReadonlySet<number>>,
  ) {
    const all = [...weights.keys()];
    const own = all.length <= LADDER_LIFELINES ? new Set(all) : heaviest(weights, LADDER_LIFELINES - 1);
    this.#places = new Map(all.filter((key) => own.has(key)).map((key, place) => [key, place]));
    this.others = all.length - own.size;
    this.#keyOf = keyOf;
    this.#ports = ports;
  }

  /** The last line is that of all others. */
  at(socket: Socket): number {
    return this.#places.get(this.#keyOf(socket)) ?? this.#places.size;
  }

  shown(nameOf: (address: string) => string | null): AskLadder['lifelines'] {
    const lines: AskLadder['lifelines'] = [...this.#places.keys()].map((key) => {
      const ports = this.#ports.get(key);
      const [port] = ports ?? [];
      const address = ports === undefined ? socketOf(key).host : key;
      const name = nameOf(address);
      const socket = ports?.size === 1 && port !== undefined ? endpointText(key, port) : key;
      return name === null ? { label: socket, address } : { label: `${name} ${socket}`, address, name };
    });
    const { others } = this;
    return others === 0 ? lines : [...lines, { label: `${others} others`, address: '', others }];
  }
}

function heaviest(weights: ReadonlyMap<string, number>, most: number): Set<string> {
  const sorted = [...weights].sort(([, a], [, b]) => (a === b ? 0 : b - a));
  return new Set(sorted.slice(0, most).map(([key]) => key));
}
