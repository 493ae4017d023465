/**
 * The ladder of a call: who sent what to whom, over all legs, and the media between them. Hosts are lifelines; a host that
 * talks to itself has one a socket.
 */

import type { Socket } from '../analysis/call-messages.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { streamQuality } from '../analysis/stream-quality.ts';
import type { AskLadder, AskMessage, LadderMedia, LadderStep } from '../contract/index.ts';
import { endpointKeyText, endpointText, socketOf } from '../core/ip.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { messageFacts, notKept, traceOf } from './call-trace.ts';
import { spanSec, timestampText } from './captured-at.ts';
import { mosValue, percent, ssrcText } from './stream-document.ts';

/** What a ladder is drawn of: messages in the order of their time, and bars of media between two sockets. */
export type LadderParts = {
  readonly callIds: readonly string[];
  readonly startedUs: number;
  readonly messages: readonly LadderMessage[];
  readonly media: readonly Omit<LadderMedia, 'from' | 'to'>[];
  /** Messages that are not kept any more. */
  readonly notKept: number;
};

export type LadderMessage = {
  readonly facts: Omit<AskMessage, 'text'>;
  readonly src: Socket;
  readonly dst: Socket;
  readonly tsUs: number;
};

export function* ladderSteps(e: Evidence, dialogs: readonly Dialog[]): Steps<AskLadder> {
  const trace = yield* traceOf(e, dialogs);
  const messages: LadderMessage[] = [];
  for (const traced of trace) {
    const { src, dst, tsUs } = traced.m;
    messages.push({ facts: messageFacts(traced), src, dst, tsUs });
    yield;
  }
  const media = yield* mediaOf(e, dialogs);
  return drawnLadder(
    {
      callIds: dialogs.map((d) => d.callId),
      startedUs: Math.min(...dialogs.map((d) => d.createdUs)),
      messages,
      media,
      notKept: notKept(dialogs, trace),
    },
    (address) => e.rules.names.of(address),
  );
}

/** `nameOf`: what the operator calls an address. */
export function drawnLadder(
  { callIds, startedUs, messages, media, notKept: missing }: LadderParts,
  nameOf: (address: string) => string | null,
): AskLadder {
  const lines = new Lifelines(messages);
  const steps: LadderStep[] = [];
  let before = messages[0]?.tsUs ?? 0;
  for (const { facts, src, dst, tsUs } of messages) {
    steps.push({ ...facts, from: lines.at(src), to: lines.at(dst), delta_sec: spanSec(before, tsUs) });
    before = tsUs;
  }
  const bars = media.map(({ call_id, ...rest }) => ({
    call_id,
    from: lines.at(socketOf(rest.src)),
    to: lines.at(socketOf(rest.dst)),
    ...rest,
  }));
  return {
    schema_version: 1,
    call_ids: [...callIds],
    started_at: timestampText(startedUs),
    lifelines: lines.shown(nameOf),
    steps,
    media: bars.sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1)),
    not_kept: missing,
  };
}

function* mediaOf(e: Evidence, dialogs: readonly Dialog[]): Steps<LadderParts['media']> {
  const media: Omit<LadderMedia, 'from' | 'to'>[] = [];
  for (const d of dialogs) {
    if (e.stores.dialogs.bySlot(d.slot) !== d) continue;
    for (const stream of e.stores.streams.ownedBy(d)) {
      const q = streamQuality(stream, e.capture.quality);
      yield;
      if (q === null) continue;
      const row: Omit<LadderMedia, 'from' | 'to'> = {
        call_id: d.callId,
        src: endpointKeyText(stream.srcKey),
        dst: endpointKeyText(stream.dstKey),
        ssrc: ssrcText(stream.ssrc),
        packets: q.snapshot.packets,
        loss_pct: percent(q.lossPct),
        first_seen: timestampText(q.snapshot.firstUs),
        last_seen: timestampText(q.snapshot.lastUs),
      };
      if (q.codec !== null) row.codec = q.codec;
      if (q.mos !== null) row.mos = mosValue(q.mos);
      media.push(row);
    }
  }
  return media;
}

/** The columns, in order of appearance. */
class Lifelines {
  /** Hosts that talk to themselves. */
  readonly #split = new Set<string>();
  readonly #places = new Map<string, number>();
  readonly #ports = new Map<string, Set<number>>();

  constructor(messages: readonly LadderMessage[]) {
    for (const { src, dst } of messages) {
      if (src.host === dst.host) this.#split.add(src.host);
      for (const { host, port } of [src, dst]) {
        const ports = this.#ports.get(host) ?? new Set();
        this.#ports.set(host, ports.add(port));
      }
    }
  }

  at({ host, port }: Socket): number {
    const key = this.#split.has(host) ? endpointText(host, port) : host;
    const place = this.#places.get(key) ?? this.#places.size;
    this.#places.set(key, place);
    return place;
  }

  shown(nameOf: (address: string) => string | null): AskLadder['lifelines'] {
    return [...this.#places.keys()].map((key) => {
      const ports = this.#ports.get(key);
      const [port] = ports ?? [];
      const address = this.#split.size > 0 && ports === undefined ? socketOf(key).host : key;
      const name = nameOf(address);
      const socket = ports?.size === 1 && port !== undefined ? endpointText(key, port) : key;
      return name === null ? { label: socket, address } : { label: `${name} ${socket}`, address, name };
    });
  }
}
