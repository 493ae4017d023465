/** What is wrong across calls, by kind and by final code, with the usual ratios of a carrier (ITU-T E.425), for a span of time. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskCalls, AskFindings, Stats } from '../../contract/index.ts';
import { useAsked } from './asking.ts';
import { CallLink, Table, Waiting } from './parts.ts';
import { hashOf } from './place.ts';
import { clock, counted, day, delay, shown } from './words.ts';

const SPANS = [
  ['', 'All'],
  ['since:1h', 'Last hour'],
  ['since:5m', 'Last 5 minutes'],
] as const;
const EVERY_MS = 10_000;
const EXAMPLES = 3;

/** Calls that were tried and are over. */
const TRIED = 'method:INVITE -state:Trying,Ringing';
/** Ended by the people, not by the network: answered, busy, no answer, given up, refused by the called one. */
const EFFECTIVE = 'code:2xx,480,486,487,600,603';

function useTotal(q: string): number | undefined {
  return useAsked<AskCalls>(`ask/calls?${new URLSearchParams({ q, limit: '1' })}`, EVERY_MS).value?.total;
}

export function Findings(): ComponentChild {
  const [span, setSpan] = useState<string>('');
  const path = `ask/findings?${new URLSearchParams(span === '' ? {} : { q: span })}`;
  const found = useAsked<AskFindings>(path, EVERY_MS);
  const within = (q: string): string => `${q}${span === '' ? '' : ` ${span}`}`;
  const examples = (ids: readonly string[]): ComponentChild =>
    ids.slice(0, EXAMPLES).map((callId) => h('span', { key: callId, class: 'example' }, h(CallLink, { callId }), ' '));
  return h(
    'main',
    null,
    h('h1', null, 'Findings'),
    h(
      'div',
      { class: 'bar', role: 'group', 'aria-label': 'Span' },
      SPANS.map(([q, title]) =>
        h('button', { key: q, type: 'button', 'aria-pressed': span === q, onClick: () => setSpan(q) }, title),
      ),
      h('span', { class: 'dim' }, 'In files, times are counted from their end.'),
    ),
    h(Ratios, { key: span, within }),
    found.value === undefined
      ? h(Waiting, { asked: found, what: 'Findings' })
      : [
          h('h2', null, `What is wrong with ${counted(found.value.calls, 'call')}`),
          found.value.findings.length === 0
            ? h('p', { class: 'note' }, 'Nothing was found in this span.')
            : h(Table, {
                name: 'Findings by kind',
                head: ['Finding', '#Calls', 'Newest', 'Examples'],
                rows: found.value.findings.map(({ finding, calls, newest_at, call_ids }) => [
                  h('a', { href: hashOf('calls', '', { q: within(`finding:${finding}`) }) }, finding),
                  calls,
                  `${day(newest_at)} ${clock(newest_at, 0)}`,
                  examples(call_ids),
                ]),
              }),
          h('h2', null, 'Final failures by code'),
          found.value.codes.length === 0
            ? h('p', { class: 'note' }, 'No request failed in this span.')
            : h(Table, {
                name: 'Final failures by code',
                head: ['Code', 'Reason', '#Calls', 'Examples'],
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

function Ratios({ within }: { readonly within: (q: string) => string }): ComponentChild {
  const tried = useTotal(within(TRIED));
  const answered = useTotal(within(`${TRIED} code:2xx`));
  const effective = useTotal(within(`${TRIED} ${EFFECTIVE}`));
  const pdd = useAsked<Stats>('ask/health', EVERY_MS).value?.timing;
  const ratio = (part: number | undefined): string =>
    tried === undefined || part === undefined
      ? '\u2026'
      : tried === 0
        ? 'no call'
        : `${((100 * part) / tried).toFixed(1)} %`;
  const figure = (name: string, value: string, help: string): ComponentChild =>
    h('div', { class: 'figure' }, h('dt', null, name), h('dd', null, value), h('dd', { class: 'dim' }, help));
  return h(
    'dl',
    { class: 'figures' },
    figure('ASR', ratio(answered), `answered of ${tried ?? '\u2026'} tried`),
    figure('NER', ratio(effective), 'answered, busy, not answered or given up'),
    figure('PDD p95', pdd === undefined ? '\u2026' : delay(pdd.pdd_p95_ms) || 'none', 'of all calls that are kept'),
  );
}
