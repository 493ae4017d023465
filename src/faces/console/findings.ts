/** What is wrong across calls, by kind and by final code, with the usual ratios of a carrier (ASR, NER), for a span of time. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskFindings, CallRatios, TrunkDown, TrunkTroubled } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { CallLink, SpanBar, Waiting } from './parts.ts';
import { hashOf } from './route.ts';
import { Table } from './table.ts';
import { counted, delay, moment, shown } from './words.ts';

const SPANS = [
  ['', 'All'],
  ['since:1h', 'Last hour'],
  ['since:5m', 'Last 5 minutes'],
] as const;
const EVERY_MS = 10_000;
const EXAMPLES = 3;

export function Findings(): ComponentChild {
  const [span, setSpan] = useState<string>('');
  const path = `ask/findings?${new URLSearchParams(span === '' ? {} : { q: span })}`;
  const found = useFetched<AskFindings>(path, EVERY_MS);
  const within = (q: string): string => `${q}${span === '' ? '' : ` ${span}`}`;
  const examples = (ids: readonly string[]): ComponentChild =>
    ids.slice(0, EXAMPLES).map((callId) => h('span', { key: callId, class: 'example' }, h(CallLink, { callId }), ' '));
  return h(
    'main',
    null,
    h('h1', null, 'Findings'),
    h(SpanBar, { spans: SPANS, chosen: span, onChoose: setSpan, note: 'In files, times are counted from their end.' }),
    found.value === undefined
      ? h(Waiting, { fetched: found, what: 'Findings' })
      : [
          h(TrunksDown, { trunks: found.value.trunks_down }),
          h(TrunksTroubled, { trunks: found.value.trunks_troubled }),
          h(Ratios, { ratios: found.value.ratios }),
          h('h2', null, `What is wrong with ${counted(found.value.calls, 'call')}`),
          found.value.findings.length === 0
            ? h('p', { class: 'note' }, 'Nothing was found in this span.')
            : h(Table, {
                name: 'Findings by kind',
                head: ['Finding', '#Calls', 'Newest', '~Examples'],
                spare: ['Examples', 'Newest'],
                rows: found.value.findings.map(({ finding, calls, newest_at, call_ids }) => [
                  h('a', { href: hashOf('calls', '', { q: within(`finding:${finding}`) }) }, finding),
                  calls,
                  moment(newest_at),
                  examples(call_ids),
                ]),
              }),
          h('h2', null, 'Final failures by code'),
          found.value.codes.length === 0
            ? h('p', { class: 'note' }, 'No request failed in this span.')
            : h(Table, {
                name: 'Final failures by code',
                head: ['Code', '~Reason', '#Calls', '~Examples'],
                spare: ['Examples'],
                rows: found.value.codes.map(({ code, reason, calls, call_ids }) => [
                  h('a', { href: hashOf('calls', '', { q: within(`code:${code}`) }) }, code),
                  shown(reason),
                  calls,
                  examples(call_ids),
                ]),
              }),
        ],
  );
}

const percent = (value: number | undefined): string => (value === undefined ? 'no call' : `${value.toFixed(1)} %`);

function Ratios({ ratios }: { readonly ratios: CallRatios }): ComponentChild {
  const figure = (name: string, value: string, help: string): ComponentChild =>
    h('div', { class: 'figure' }, h('dt', null, name), h('dd', null, value), h('dd', { class: 'dim' }, help));
  return h(
    'dl',
    { class: 'figures' },
    figure('ASR', percent(ratios.asr_pct), `answered of ${ratios.tried} tried`),
    figure('NER', percent(ratios.ner_pct), 'answered, busy, not answered or given up'),
    figure('PDD p95', delay(ratios.pdd_p95_ms ?? null) || 'none', 'of the calls that were tried'),
  );
}

function TrunksDown({ trunks }: { readonly trunks: readonly TrunkDown[] }): ComponentChild {
  return trunks.map(({ trunk, direction, since }) =>
    h(
      'p',
      { key: `${direction} ${trunk}`, class: 'note bad', role: 'status' },
      '\u26a0 ',
      h('a', { href: hashOf('trunks') }, shown(`trunk ${trunk} (${direction})`)),
      ` is down since ${moment(since)}`,
    ),
  );
}

function TrunksTroubled({ trunks }: { readonly trunks: readonly TrunkTroubled[] }): ComponentChild {
  return trunks.map(({ trunk, direction, trouble, text, since }) =>
    h(
      'p',
      {
        key: `${direction} ${trouble} ${trunk}`,
        class: `note ${trouble === 'refusing' ? 'bad' : 'warn'}`,
        role: 'status',
      },
      '\u26a0 ',
      h('a', { href: hashOf('trunks') }, shown(`trunk ${trunk} (${direction})`)),
      shown(` ${text}`),
      since === undefined ? '' : `, since ${moment(since)}`,
    ),
  );
}
