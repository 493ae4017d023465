/** Offers and answers of a call in their order: where media was asked for, in which direction, with which codecs. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { CallDocument, MediaLine, SdpExchange } from '../../contract/index.ts';
import { Table } from './table.ts';
import { clock, counted, shown } from './words.ts';

const HEAD = ['Time', 'What', 'Media', 'Media address', 'Direction', '~Codecs', '~Change'];
const SPARE = ['Codecs', 'Media'];

export function Offers({ call }: { readonly call: CallDocument }): ComponentChild {
  const { sdp_timeline: offers, media_lines: lines, media_notes: notes = [] } = call;
  if (offers.length === 0) return null;
  const rows = lines === undefined ? offers.map(offerRow) : lines.map((line, i) => lineRow(line, lines[i - 1], offers));
  const beyond = call.media_lines_not_shown ?? 0;
  if (beyond > 0) rows.push(['', counted(beyond, 'more line', 'more lines'), '', '', '', '', 'not shown']);
  return h(
    'details',
    { class: 'offers', open: rows.length > 2 },
    h('summary', null, `SDP: ${counted(offers.length, 'offer or answer', 'offers and answers')}`),
    h(Table, { name: 'Offers and answers', head: HEAD, rows, spare: SPARE }),
    notes.map((note) => h('p', { key: note }, shown(note))),
  );
}

/** A description with one audio line. */
function offerRow({ timestamp, direction, media_addr, media_port, mode, codecs, event }: SdpExchange): string[] {
  const where = media_addr === undefined ? '' : shown(`${media_addr} port ${media_port ?? '?'}`);
  return [clock(timestamp, 3), direction, 'audio', where, mode, shown(codecs.join(' ')), event ?? ''];
}

/** An m= line; the first one of a description says when it came. */
function lineRow(line: MediaLine, before: MediaLine | undefined, offers: readonly SdpExchange[]): string[] {
  const { type, transport, media_addr, media_port, mode, codecs, change } = line;
  const offer = line.exchange === before?.exchange ? undefined : offers[line.exchange];
  const isOff = media_port === 0;
  const where = media_addr === undefined ? '' : `${media_addr} port ${media_port}`;
  return [
    offer === undefined ? '' : clock(offer.timestamp, 3),
    offer?.direction ?? '',
    shown(transport.includes('RTP/') ? type : `${type} ${transport}`),
    isOff ? 'off (port 0)' : shown(where),
    isOff ? '' : mode,
    shown(codecs.join(' ')),
    [offer?.event, change].filter((word) => word !== undefined).join(', '),
  ];
}
