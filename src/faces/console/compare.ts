/** Two calls side by side: a good one beside a bad one shows what differs. Without a second call it offers some. */
import type { ComponentChild } from 'preact';
import { Fragment, h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskCalls, AskCompare, Call, CompareRow } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { useHead } from './call-cause.ts';
import { FilterBar } from './filter-bar.ts';
import { CallLink, State, Waiting } from './parts.ts';
import { hashOf } from './route.ts';
import { ofCall } from './service.ts';
import { Table } from './table.ts';
import { clock, fixed, shown } from './words.ts';

const OFFERED = 30;
const TITLES = {
  call: 'Call',
  timing: 'Timing',
  quality: 'Quality',
  headers: 'Headers',
  sdp: 'SDP',
  messages: 'Messages',
} as const;

type Props = { readonly a: string; readonly b: string };

export function Compare({ a, b }: Props): ComponentChild {
  return h(
    'main',
    null,
    h('h1', null, 'Compare two calls'),
    a === ''
      ? h('p', { class: 'note' }, 'Open a call in the list, then choose \u201cCompare with\u2026\u201d there.')
      : b === ''
        ? h(Choose, { key: a, a })
        : h(Compared, { a, b }),
  );
}

/** Calls without findings that went the way of this one, the newest first. */
function Choose({ a }: { readonly a: string }): ComponentChild {
  const row = useHead(a)?.call;
  const [typed, setTyped] = useState<string | null>(null);
  const well = row === undefined ? null : `method:${row.method} state:Completed,Registered`;
  const sameWay = row?.dst === undefined ? null : `${well} dst:${hostOf(row.dst)}`;
  const near = useFetched<AskCalls>(typed === null ? pathOf(sameWay) : null);
  const isClean = (call: Call): boolean => call.findings.length === 0 && call.call_id !== a;
  // Where no call that went the same way went well, any will do.
  const q =
    typed ??
    (near.value?.calls.some(isClean) === true || near.error !== undefined
      ? sameWay
      : near.value === undefined
        ? null
        : well);
  const calls = useFetched<AskCalls>(pathOf(q));
  const good = (calls.value?.calls ?? [])
    .filter(({ call_id }) => call_id !== a)
    .sort((x, y) => Number(isClean(y)) - Number(isClean(x)));
  return [
    h('p', null, 'Compare ', h(CallLink, { callId: a }), ' with a call that went well:'),
    h(FilterBar, { q: q ?? '', mistake: calls.error ?? '', onApply: setTyped }),
    calls.value === undefined
      ? h(Waiting, { fetched: calls, what: 'Calls' })
      : good.length === 0
        ? h('p', { class: 'note' }, 'No such call: change the filter.')
        : h(Table, {
            name: 'Calls to compare with',
            head: ['', 'Time', 'State', 'From', 'To', '#MOS', '~Findings'],
            spare: ['Findings', 'MOS'],
            rows: good.map((call) => offer(a, call)),
          }),
  ];
}

function pathOf(q: string | null): string | null {
  return q === null ? null : `ask/calls?${new URLSearchParams({ q, limit: String(OFFERED) })}`;
}

function offer(a: string, call: Call): ComponentChild[] {
  return [
    h('a', { class: 'button', href: hashOf('compare', '', { a, b: call.call_id }) }, 'Compare'),
    clock(call.created_at, 3),
    h(State, { state: call.state }),
    shown(call.from_user ?? call.from_host ?? ''),
    shown(call.to_user ?? call.to_host ?? ''),
    fixed(call.mos_worst, 2),
    call.findings.join(', '),
  ];
}

function hostOf(socket: string): string {
  return socket.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

function Compared({ a, b }: Props): ComponentChild {
  const compared = useFetched<AskCompare>(ofCall(a, `/compare?${new URLSearchParams({ with: `id:${b}` })}`));
  const [isAll, setAll] = useState(false);
  if (compared.value === undefined) return h(Waiting, { fetched: compared, what: 'The comparison' });
  const rows = compared.value.rows.filter(({ differs }) => isAll || differs);
  const groups = Object.entries(TITLES).map(
    ([group, title]) => [title, rows.filter((row) => row.group === group)] as const,
  );
  return [
    h(
      'div',
      { class: 'bar' },
      h('button', { type: 'button', 'aria-pressed': !isAll, onClick: () => setAll(!isAll) }, 'Only what differs'),
      h('a', { class: 'button', href: hashOf('compare', '', { a }) }, 'Another call'),
      h('span', null, h('b', null, 'A '), h(CallLink, { callId: a })),
      h('span', null, h('b', null, 'B '), h(CallLink, { callId: b })),
    ),
    h(
      'div',
      { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Comparison' },
      h(
        'table',
        { class: 'compare', role: 'table' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col' }, 'What'),
            h('th', { scope: 'col' }, 'A'),
            h('th', { scope: 'col' }, 'B'),
          ),
        ),
        h(
          'tbody',
          null,
          groups.map(([title, of]) =>
            of.length === 0
              ? null
              : h(
                  Fragment,
                  { key: title },
                  h(
                    'tr',
                    { class: 'group', role: 'row' },
                    h('th', { colSpan: 3, scope: 'colgroup', role: 'rowheader' }, title),
                  ),
                  of.map(line),
                ),
          ),
        ),
      ),
    ),
  ];
}

function line({ what, a, b, differs }: CompareRow, i: number): ComponentChild {
  return h(
    'tr',
    { key: i, role: 'row', class: differs ? 'differs' : '' },
    h(
      'th',
      { scope: 'row', role: 'rowheader' },
      differs ? h('span', { title: 'differs' }, '\u2260 ') : null,
      shown(what),
    ),
    h('td', { class: 'mono', role: 'cell', 'data-title': 'A' }, shown(a)),
    h('td', { class: 'mono', role: 'cell', 'data-title': 'B' }, shown(b)),
  );
}
