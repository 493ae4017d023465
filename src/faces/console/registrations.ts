/** Who registers, from where, with what contact and for how long, and who fails and why. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskRegistration, AskRegistrations } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { FilterBar } from './filter-bar.ts';
import { CallLink, State, Waiting } from './parts.ts';
import { sentence } from './sentence.ts';
import { Table } from './table.ts';
import { counted, moment, shown } from './words.ts';

const EVERY_MS = 10_000;
const HEAD = [
  'Address of record',
  'Contact',
  'From',
  'State',
  'Answer',
  'Granted',
  'Until',
  '#Failed',
  'Newest dialog',
  '~User-Agent',
];
const SPARE = ['User-Agent', 'Contact', 'Until', 'Newest dialog', 'Granted', 'Answer'];

export function Registrations(): ComponentChild {
  const [q, setQ] = useState('');
  const list = useFetched<AskRegistrations>(
    `ask/registrations?${new URLSearchParams(q === '' ? {} : { q })}`,
    EVERY_MS,
  );
  const rows = (list.value?.registrations ?? []).map(rowOf);
  return h(
    'main',
    null,
    h('h1', null, 'Registrations'),
    h(FilterBar, { q, mistake: list.error ?? '', onApply: setQ }),
    list.value === undefined
      ? h(Waiting, { fetched: list, what: 'Registrations' })
      : [
          h(
            'p',
            { role: 'status' },
            counted(list.value.total, 'registration'),
            rows.length < list.value.total ? `; the newest ${rows.length} are shown, a filter finds others` : '',
          ),
          rows.length === 0
            ? h('p', { class: 'note' }, q === '' ? 'No REGISTER was seen yet.' : 'No REGISTER matches this filter.')
            : h(Table, { name: 'Registrations', head: HEAD, rows, spare: SPARE }),
        ],
  );
}

function rowOf(row: AskRegistration): ComponentChild[] {
  const { expires_at: until, attempts, failed } = row;
  return [
    shown(row.aor ?? row.user),
    shown(row.contacts.join(', ')),
    shown(row.name === undefined ? row.src : `${row.name} (${row.src})`),
    h(State, { state: row.state }),
    row.code === undefined ? '' : shown(`${row.code} ${row.reason ?? ''}`),
    granted(row),
    until === undefined ? '' : moment(until),
    failed === 0 ? `0 of ${attempts}` : h('b', { class: 'bad' }, `\u26a0 ${failed} of ${attempts}`),
    h(CallLink, { callId: row.call_id, children: moment(row.last_at) }),
    sentence(row.user_agent ?? ''),
  ];
}

/** Seconds granted of those that were asked; fewer stand out. */
function granted({ expires_asked_sec: asked, expires_granted_sec: sec }: AskRegistration): ComponentChild {
  if (asked === undefined) return sec === undefined ? '' : `${sec} s`;
  const text = `${sec ?? 'none'} of ${asked} s`;
  return sec !== undefined && sec < asked ? h('b', { class: 'state warn' }, `\u26a0 ${text}`) : text;
}
