/** RTP streams: those that no call explains first, and the one of an SSRC. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { RtpStream, StreamList, StreamRow } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { CallLink, Waiting } from './parts.ts';
import { Table } from './table.ts';
import { counted, fixed, shown } from './words.ts';

const EVERY_MS = 10_000;
const PAGE_ROWS = 100;
const HEAD = ['SSRC', 'From', 'To', 'Codec', '#Packets', '#MOS', '#Loss %', '#Jitter ms', 'Call'];
const SPARE = ['Packets', 'Jitter ms', 'Codec', 'Loss %'];

export function Streams(): ComponentChild {
  const [ssrc, setSsrc] = useState('');
  const input = useRef<HTMLInputElement>(null);
  return h(
    'main',
    null,
    h('h1', null, 'Streams'),
    h(
      'form',
      {
        class: 'bar',
        role: 'search',
        onSubmit: (event: Event) => {
          event.preventDefault();
          setSsrc(input.current?.value.trim() ?? '');
        },
      },
      h('label', { for: 'ssrc' }, 'SSRC'),
      h('input', {
        id: 'ssrc',
        ref: input,
        type: 'text',
        placeholder: '0x1a2b3c4d',
        maxLength: 10,
        autocomplete: 'off',
      }),
      h('button', { type: 'submit' }, 'Find'),
    ),
    ssrc === '' ? null : h(StreamOfSsrc, { key: ssrc, ssrc }),
    h(Page, { title: 'Without a call', isOrphaned: true, empty: 'Each stream belongs to a call that was seen.' }),
    h(Page, { title: 'Of calls', isOrphaned: false, empty: 'No stream of a call was seen yet.' }),
  );
}

function StreamOfSsrc({ ssrc }: { readonly ssrc: string }): ComponentChild {
  const found = useFetched<RtpStream>(`v1/streams/${encodeURIComponent(ssrc)}`);
  if (found.value === undefined) return h(Waiting, { fetched: found, what: `Stream ${ssrc}` });
  return h(Table, { name: `Stream ${ssrc}`, head: HEAD, rows: [rowOf(found.value)], spare: SPARE });
}

type PageProps = { readonly title: string; readonly isOrphaned: boolean; readonly empty: string };

function Page({ title, isOrphaned, empty }: PageProps): ComponentChild {
  const [offset, setOffset] = useState(0);
  const path = `ask/streams?orphaned=${isOrphaned}&limit=${PAGE_ROWS}&offset=${offset}`;
  const list = useFetched<StreamList>(path, EVERY_MS);
  const total = list.value?.total ?? 0;
  return h(
    'section',
    { 'aria-label': title },
    h('h2', null, `${title}${list.value === undefined ? '' : `: ${counted(total, 'stream')}`}`),
    list.value === undefined
      ? h(Waiting, { fetched: list, what: 'Streams' })
      : total === 0
        ? h('p', { class: 'note' }, empty)
        : h(Table, { name: title, head: HEAD, rows: list.value.streams.map(rowOf), spare: SPARE }),
    total <= PAGE_ROWS
      ? null
      : h(
          'div',
          { class: 'bar' },
          h(
            'button',
            { type: 'button', disabled: offset === 0, onClick: () => setOffset(offset - PAGE_ROWS) },
            'Newer',
          ),
          h(
            'button',
            { type: 'button', disabled: offset + PAGE_ROWS >= total, onClick: () => setOffset(offset + PAGE_ROWS) },
            'Older',
          ),
          `${offset + 1} to ${Math.min(total, offset + PAGE_ROWS)}`,
        ),
  );
}

function rowOf(stream: StreamRow): ComponentChild[] {
  const { ssrc, src, dst, codec, packets, mos, loss_pct, jitter_ms, associated_dialog } = stream;
  return [
    h('span', { class: 'mono' }, ssrc),
    shown(src),
    shown(dst),
    shown(codec ?? ''),
    packets,
    fixed(mos, 2),
    loss_pct.toFixed(1),
    jitter_ms.toFixed(1),
    associated_dialog === undefined ? '\u26a0 none' : h(CallLink, { callId: associated_dialog }),
  ];
}
