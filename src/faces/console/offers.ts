/** Offers and answers of a call in their order: where media was asked for, in which direction, with which codecs. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { CallDocument } from '../../contract/index.ts';
import { Table } from './parts.ts';
import { clock, counted, shown } from './words.ts';

const HEAD = ['Time', 'What', 'Media address', 'Direction', 'Codecs', 'Change'];

export function Offers({ call }: { readonly call: CallDocument }): ComponentChild {
  const { sdp_timeline: offers } = call;
  if (offers.length === 0) return null;
  const rows = offers.map(({ timestamp, direction, media_addr, media_port, mode, codecs, event }) => [
    clock(timestamp, 3),
    direction,
    media_addr === undefined ? '' : shown(`${media_addr} port ${media_port ?? '?'}`),
    mode,
    shown(codecs.join(' ')),
    event ?? '',
  ]);
  return h(
    'details',
    { class: 'offers', open: offers.length > 2 },
    h('summary', null, `SDP: ${counted(offers.length, 'offer or answer', 'offers and answers')}`),
    h(Table, { name: 'Offers and answers', head: HEAD, rows }),
  );
}
