/**
 * What descriptions and streams say of a call's media beyond the timeline of the contract, which has one line a description:
 * every m= line with what became of it, and video that ran one way.
 */
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { isOneAudio, mediaLines } from '../analysis/media/media-lines.ts';
import { oneWayVideoNotes } from '../analysis/media/one-way-video.ts';
import type { CallDocument, MediaLine } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import { endpointText } from '../core/ip.ts';
import { grouped } from '../core/maps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { SdpEntry } from '../store/media/sdp-timeline.ts';

/** Lines of descriptions in the document of a call, and names of codecs of one. @cap */
export const MEDIA_LINES = 256;
const MEDIA_LINE_CODECS = 16;

export type MediaFacts = Pick<CallDocument, 'media_lines' | 'media_lines_not_shown' | 'media_notes'>;

/** Of nearly all calls, which share it. */
export const NO_MEDIA_FACTS: MediaFacts = Object.freeze({});

export function toMediaFacts(d: Dialog, { streams }: Pick<DialogFacts, 'streams'>): MediaFacts {
  const entries = d.sdp ?? [];
  if (entries.every(isOneAudio)) return NO_MEDIA_FACTS;
  const facts: MediaFacts = {};
  const lines = toMediaLines(entries);
  if (lines.length > 0) facts.media_lines = lines;
  const beyond = linesBeyond(entries);
  if (beyond > 0) facts.media_lines_not_shown = beyond;
  const played = streams.map(({ stream, quality: { codec, snapshot } }) => ({
    stream,
    codec,
    packets: snapshot.packets,
  }));
  const notes = oneWayVideoNotes(d, played);
  if (notes.length > 0) facts.media_notes = notes;
  return facts;
}

/** As many as a document shows. */
export function toMediaLines(entries: readonly SdpEntry[]): MediaLine[] {
  const lines: MediaLine[] = [];
  for (const { exchange, index, line, change } of mediaLines(entries)) {
    if (lines.length === MEDIA_LINES) break;
    const { type, proto, mode, codecs, address, port } = line;
    const out: MediaLine = {
      exchange,
      line: index,
      type,
      transport: proto,
      mode,
      codecs: codecs.names.slice(0, MEDIA_LINE_CODECS),
      media_port: port,
    };
    if (address !== null) out.media_addr = address;
    if (change !== null) out.change = change;
    lines.push(out);
  }
  return lines;
}

/** How many lines it does not show. */
export function linesBeyond(entries: readonly SdpEntry[]): number {
  return Math.max(0, entries.reduce((sum, { media }) => sum + media.length, 0) - MEDIA_LINES);
}

/** An offer or answer as the report names it. */
export type Exchange = { readonly atSec: number; readonly what: string; readonly event: string | null };

/** A row of the report for each line; who said it when stands at the first one of a description. */
export function offerRows(exchanges: readonly Exchange[], lines: readonly MediaLine[], beyond: number): string[][] {
  const byExchange = grouped(lines, ({ exchange }) => exchange);
  const rows = exchanges.flatMap(({ atSec, what, event }, i) => {
    const said = byExchange.get(i) ?? [];
    const main = said.find((l) => l.type === 'audio' && l.media_port !== 0) ?? said.find((l) => l.media_port !== 0);
    return said.map((line) => [
      line === said[0] ? `${atSec.toFixed(3)} s` : '',
      line === said[0] ? what : '',
      ...lineCells(line),
      changeText(line.change ?? null, line === (main ?? said[0]) ? event : undefined),
    ]);
  });
  return beyond === 0 ? rows : [...rows, ['', `${counted(beyond, 'more line')} not shown`]];
}

function lineCells({ type, transport, mode, codecs, media_addr: address, media_port: port }: MediaLine): string[] {
  const isRtp = /(^|\/)RTP\//.test(transport);
  const where = address === undefined ? '-' : endpointText(address, port);
  return [
    isRtp ? type : `${type} ${transport}`,
    port === 0 ? 'off (port 0)' : where,
    port === 0 ? '-' : mode,
    codecs.join(' '),
  ];
}

/** `event`: what the description changed as a whole, of the line that stands for it. */
function changeText(change: MediaLine['change'] | null, event: string | null | undefined): string {
  if (event === undefined) return change ?? '-';
  const isOfLine = change === 'added' || change === 'refused' || change === 'removed';
  return [event, isOfLine ? change : null].filter((word) => word !== null).join(', ') || '-';
}
