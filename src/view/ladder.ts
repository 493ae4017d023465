/**
 * The ladder of a call: who sent what to whom, over all legs, and the media between them. Hosts are lifelines; a host that
 * talks to itself has one a socket.
 */
import type { Evidence } from '../analysis/evidence.ts';
import { streamQuality } from '../analysis/stream-quality.ts';
import type { AskLadder, LadderMedia, LadderStep } from '../contract/index.ts';
import { endpointKeyAddress, endpointKeyPort, endpointKeyText, endpointText } from '../core/ip.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Traced } from './call-trace.ts';
import { messageFacts, notKept, traceOf } from './call-trace.ts';
import { spanSec, timestampText } from './captured-at.ts';
import { mosValue, percent, ssrcText } from './stream-document.ts';

type Socket = { readonly host: string; readonly port: number };

export function* ladderSteps(e: Evidence, dialogs: readonly Dialog[]): Steps<AskLadder> {
  const trace = yield* traceOf(e, dialogs);
  const lines = new Lifelines(trace);
  const steps: LadderStep[] = [];
  let before = trace[0]?.m.tsUs ?? 0;
  for (const traced of trace) {
    const { src, dst, tsUs } = traced.m;
    steps.push({
      ...messageFacts(traced),
      from: lines.at(src),
      to: lines.at(dst),
      delta_sec: spanSec(before, tsUs),
    });
    before = tsUs;
    yield;
  }
  const media = yield* mediaOf(e, dialogs, lines);
  return {
    schema_version: 1,
    call_ids: dialogs.map((d) => d.callId),
    started_at: timestampText(Math.min(...dialogs.map((d) => d.createdUs))),
    lifelines: lines.shown((address) => e.rules.names.of(address)),
    steps,
    media,
    not_kept: notKept(dialogs, trace),
  };
}

function* mediaOf(e: Evidence, dialogs: readonly Dialog[], lines: Lifelines): Steps<LadderMedia[]> {
  const media: LadderMedia[] = [];
  for (const d of dialogs) {
    if (e.stores.dialogs.bySlot(d.slot) !== d) continue;
    for (const stream of e.stores.streams.ownedBy(d)) {
      const q = streamQuality(stream, e.capture.quality);
      yield;
      if (q === null) continue;
      const row: LadderMedia = {
        call_id: d.callId,
        from: lines.at({ host: endpointKeyAddress(stream.srcKey), port: endpointKeyPort(stream.srcKey) }),
        to: lines.at({ host: endpointKeyAddress(stream.dstKey), port: endpointKeyPort(stream.dstKey) }),
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
  return media.sort((a, b) => (a.first_seen < b.first_seen ? -1 : 1));
}

/** The columns, in order of appearance. */
class Lifelines {
  /** Hosts that talk to themselves. */
  readonly #split = new Set<string>();
  readonly #places = new Map<string, number>();
  readonly #ports = new Map<string, Set<number>>();

  constructor(trace: readonly Traced[]) {
    for (const { m } of trace) {
      if (m.src.host === m.dst.host) this.#split.add(m.src.host);
      for (const { host, port } of [m.src, m.dst]) {
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
      const address = this.#split.size > 0 && ports === undefined ? hostOf(key) : key;
      const name = nameOf(address);
      const socket = ports?.size === 1 && port !== undefined ? endpointText(key, port) : key;
      return name === null ? { label: socket, address } : { label: `${name} ${socket}`, address, name };
    });
  }
}

/** The host of `<address>:<port>`; a host alone is itself. */
function hostOf(key: string): string {
  const found = /^(?:\[(.*)\]|([\d.]+)):\d+$/.exec(key);
  return found?.[1] ?? found?.[2] ?? key;
}
