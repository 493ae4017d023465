/**
 * Finds when the descriptions in force said that nothing is sent along a stream (RFC 3264 section 8.4, and c=0.0.0.0 of
 * old). Its receiver is `sendonly` or `inactive`, has no address or no port, or has another one because media goes elsewhere
 * for a while. Or its sender is `recvonly` or `inactive`.
 */

import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyFromText } from '../../core/ip.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry, SdpMediaLine } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Agreement, Described } from './agreements.ts';
import { agreements } from './agreements.ts';

/** Capture time in microseconds. */
export type Span = { readonly fromUs: number; readonly toUs: number };

/** Signaling and media take different ways: media stops and returns up to a round trip beside the descriptions, at most so much. */
const MOST_ROUND_TRIP_US = 500_000;

/** In order, none touches the next; the last is endless where the call never came back. */
export function heldSpans(d: Dialog, stream: Stream): readonly Span[] {
  const entries = d.sdp;
  // Most calls: both sides send all the time, to one place.
  if (entries?.some(mayHold) !== true) return [];
  const lines = linesOf(entries);
  const way = wayOf(d, stream, lines);
  const key = Object.values(way).join(' ');
  const known = lines.spans.get(key);
  if (known !== undefined) return known;
  const spans = spansOf(saidOf(way, lines), way.senders);
  lines.spans.set(key, spans);
  return spans;
}

function spansOf(said: readonly Said[], senders: readonly number[]): Span[] {
  const spans: Span[] = [];
  let fromUs = Number.NaN;
  for (const a of agreements(said)) {
    const isHeld = senders.every((side) => isSilent(a, side));
    if (isHeld !== Number.isNaN(fromUs)) continue;
    const roundTripUs = Math.min(MOST_ROUND_TRIP_US, Math.max(0, a.answeredUs - a.offeredUs));
    if (!isHeld) {
      spans.push({ fromUs, toUs: a.answeredUs + roundTripUs });
      fromUs = Number.NaN;
    } else {
      fromUs = a.offeredUs - roundTripUs;
      // Held again at once.
      const before = spans.at(-1);
      if (before !== undefined && before.toUs >= fromUs) fromUs = spans.pop()?.fromUs ?? fromUs;
    }
  }
  if (!Number.isNaN(fromUs)) spans.push({ fromUs, toUs: Number.POSITIVE_INFINITY });
  return spans;
}

/** The description holds something, or moves it. */
function mayHold({ event, media }: SdpEntry): boolean {
  return event !== null || media.some((m) => m.mode !== 'sendrecv' || m.port === 0 || isNowhere(m.address));
}

/** What a description says of a stream. */
type Said = Described & {
  /** Nothing is sent from here: the line is missing, refused by port 0, or not to send. */
  readonly sendsNothing: boolean;
  /** Nothing is to be sent here: likewise. */
  readonly takesNothing: boolean;
  /** Whether it speaks of the socket that sends the stream, or gets it; always where nobody can tell. */
  readonly isOfSource: boolean;
  readonly isOfTarget: boolean;
};

/** What the descriptions can tell of a stream: many streams of a dialog have it alike. */
type Way = {
  /** Null where no description tells of the socket. */
  readonly srcKey: EndpointKey | null;
  readonly dstKey: EndpointKey | null;
  readonly type: string;
  readonly nth: number;
  /** The sides that may send it. */
  readonly senders: readonly number[];
};

function wayOf({ marks }: Dialog, { srcKey, dstKey, claim }: Stream, { naming }: Lines): Way {
  const src = naming.get(srcKey) ?? null;
  const dst = naming.get(dstKey) ?? null;
  const { type, nth } = dst ?? src ?? { type: claim?.mediaType ?? 'audio', nth: 0 };
  // Where ICE chose the sockets, those of the descriptions may be others and move without the media.
  const isIce = (marks & MARK.ICE) !== 0;
  return {
    srcKey: src === null || isIce ? null : srcKey,
    dstKey: dst === null || isIce ? null : dstKey,
    ...{ type, nth },
    senders: dst?.side !== undefined ? [1 - dst.side] : src?.side !== undefined ? [src.side] : [0, 1],
  };
}

/** What the dialog said of such a stream. */
function saidOf({ srcKey, dstKey, type, nth }: Way, { rows }: Lines): readonly Said[] {
  return rows.map(({ entry: { tsUs, isOffer, side, isRefused }, byType }): Said => {
    const { line, key } = byType.get(type)?.[nth] ?? NO_LINE;
    const isOpen = line !== null && line.port !== 0;
    const { mode, address } = line ?? { mode: 'inactive', address: null };
    return {
      ...{ tsUs, isOffer, side, isRefused },
      sendsNothing: !isOpen || mode === 'recvonly' || mode === 'inactive',
      takesNothing: !isOpen || mode === 'sendonly' || mode === 'inactive' || isNowhere(address),
      // Who names no address may still send: music.
      isOfSource: srcKey === null || (isOpen && (isNowhere(address) || key === srcKey)),
      isOfTarget: dstKey === null || (isOpen && key === dstKey),
    };
  });
}

/** The line that names a socket: the `nth` of its type. `side` is missing where both sides named it. */
type Naming = { readonly side?: number; readonly type: string; readonly nth: number };

type Line = { readonly line: SdpMediaLine | null; readonly key: EndpointKey | null };
type Lines = {
  readonly rows: readonly { readonly entry: SdpEntry; readonly byType: ReadonlyMap<string, readonly Line[]> }[];
  readonly naming: ReadonlyMap<EndpointKey, Naming>;
  /** By what the descriptions can tell of a stream. */
  readonly spans: Map<string, readonly Span[]>;
};

const NO_LINE: Line = { line: null, key: null };

/** What was made of a timeline: its dialog may have many streams, and each would read each address again. */
const made = new WeakMap<readonly SdpEntry[], Lines>();

function linesOf(entries: readonly SdpEntry[]): Lines {
  const known = made.get(entries);
  if (known !== undefined) return known;
  const naming = new Map<EndpointKey, Naming>();
  const rows = entries
    .filter((e) => !e.isRefused)
    .map((entry) => {
      const byType = new Map<string, Line[]>();
      for (const line of entry.media) {
        const { type, address, port } = line;
        const ofType = byType.get(type) ?? [];
        byType.set(type, ofType);
        const key = address === null || port === 0 ? null : endpointKeyFromText(address, port);
        const before = key === null ? undefined : naming.get(key);
        if (key !== null && before === undefined) naming.set(key, { side: entry.side, type, nth: ofType.length });
        else if (key !== null && before !== undefined && before.side !== entry.side)
          naming.set(key, { type: before.type, nth: before.nth });
        ofType.push({ line, key });
      }
      return { entry, byType };
    });
  const lines = { rows, naming, spans: new Map() };
  made.set(entries, lines);
  return lines;
}

/** Whether the agreement lets nothing come from `side`. */
function isSilent({ bySide }: Agreement<Said>, side: number): boolean {
  const [own, others] = side === 0 ? bySide : [bySide[1], bySide[0]];
  return saysNo(own, 'isOfSource', 'sendsNothing') || saysNo(others, 'isOfTarget', 'takesNothing');
}

type Of = 'isOfSource' | 'isOfTarget';
type No = 'sendsNothing' | 'takesNothing';

/** By the newest description of the socket in question; where none speaks of it, the media is elsewhere. */
function saysNo(said: readonly Said[], isOf: Of, isNo: No): boolean {
  if (said.length === 0) return false;
  return said.findLast((s) => s[isOf])?.[isNo] ?? true;
}
