/** Who registers, from where, and who fails and why. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskRegistrations } from '../../contract/index.ts';
import { useAsked } from './asking.ts';
import { FilterBar } from './filter-bar.ts';
import { CallLink, State, Table, Waiting } from './parts.ts';
import { clock, counted, day, shown } from './words.ts';

const EVERY_MS = 10_000;
const HEAD = ['User', 'From', 'State', 'Code', '#Attempts', '#Failed', 'Last', 'User-Agent', 'Newest dialog'];

export function Registrations(): ComponentChild {
  const [q, setQ] = useState('');
  const list = useAsked<AskRegistrations>(`ask/registrations?${new URLSearchParams(q === '' ? {} : { q })}`, EVERY_MS);
  const rows = (list.value?.registrations ?? []).map((row) => [
    shown(row.user),
    shown(row.name === undefined ? row.src : `${row.name} (${row.src})`),
    h(State, { state: row.state }),
    row.code === undefined ? '' : shown(`${row.code} ${row.reason ?? ''}`),
    row.attempts,
    row.failed === 0 ? 0 : h('b', { class: 'bad' }, `\u26a0 ${row.failed}`),
    `${day(row.last_at)} ${clock(row.last_at, 0)}`,
    shown(row.user_agent ?? ''),
    h(CallLink, { callId: row.call_id }),
  ]);
  return h(
    'main',
    null,
    h('h1', null, 'Registrations'),
    h(FilterBar, { q, mistake: list.error ?? '', onApply: setQ }),
    list.value === undefined
      ? h(Waiting, { asked: list, what: 'Registrations' })
      : [
          h(
            'p',
            { role: 'status' },
            counted(list.value.total, 'registration'),
            rows.length < list.value.total ? `; the newest ${rows.length} are shown, a filter finds others` : '',
          ),
          rows.length === 0
            ? h('p', { class: 'note' }, q === '' ? 'No REGISTER was seen yet.' : 'No REGISTER matches this filter.')
            : h(Table, { name: 'Registrations', head: HEAD, rows }),
        ],
  );
}
