/** Why a call went wrong, above its tabs: what an expert says first, what follows from it, and the messages that show it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskExplained, AskHead, Call, CallDocument, RtpStream } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import type { CallPlace } from './call-tabs.ts';
import { callHash } from './call-tabs.ts';
import { Finding, State } from './parts.ts';
import { sentence } from './sentence.ts';
import { fixed, shown } from './words.ts';

/** Messages of a finding that have a button. */
const BUTTONS = 12;
/** What stands above the tabs; the tab of the findings has all. */
const EXPLAINED = 3;

/** The first message that a finding of the signaling names; 0 without one. */
export function firstProof({ signaling_diagnosis: found }: CallDocument): number {
  for (const one of Object.values(found ?? {}))
    if (typeof one === 'object' && one !== null && 'evidence' in one) return one.evidence[0] ?? 0;
  return 0;
}

/** Its list row, and what is wrong with it. */
export function useHead(callId: string): AskHead | undefined {
  return useFetched<AskHead>(`ask/calls/${encodeURIComponent(callId)}/head`).value;
}

type Shows = { readonly onMessage: (index: number) => void };

type Props = Shows & {
  readonly call: CallDocument;
  readonly head: AskHead | undefined;
  readonly streams: readonly RtpStream[];
  readonly place: CallPlace;
};

export function Cause({ call, head, streams, place, onMessage }: Props): ComponentChild {
  const row = head?.call;
  const wrong = head?.explanation ?? [];
  const isBad = call.state === 'Failed' || wrong.some(({ finding }) => finding !== 'note');
  const status =
    call.final_status_code === undefined ? '' : `${call.final_status_code} ${shown(call.final_status_reason ?? '')}`;
  const termination = call.termination;
  const beyond = wrong.length - EXPLAINED;
  return h(
    'section',
    { class: `note cause ${call.state === 'Failed' ? 'bad' : isBad ? 'warn' : ''}`, 'aria-label': 'Cause' },
    h(
      'p',
      null,
      h(State, { state: call.state }),
      status === '' ? null : h('b', null, ` ${status}`),
      row?.ended_by === undefined ? ' ' : `, ended by the ${row.ended_by} `,
      row?.findings.map((name) => h(Finding, { key: name, name })),
    ),
    wrong.slice(0, EXPLAINED).map((one, i) => h(Explained, { key: i, one, onMessage })),
    beyond > 0
      ? h('p', null, h('a', { href: callHash({ ...place, tab: 'findings' }) }, `${beyond} more in Findings`))
      : null,
    wrong[0]?.look === undefined ? null : h('p', { class: 'dim' }, sentence(wrong[0].look)),
    worstStream(streams, row),
    head === undefined || isBad
      ? null
      : h('p', { class: 'dim' }, 'Nothing that calltap looks for is wrong with this call.'),
    termination?.cause_text === undefined ? null : h('p', null, `Cause: ${shown(termination.cause_text)}`),
  );
}

type MessageProps = Shows & { readonly index: number };

/** Leads to a message in the ladder. */
export function MessageButton({ index, onMessage }: MessageProps): ComponentChild {
  return h('button', { type: 'button', onClick: () => onMessage(index) }, `message ${index}`);
}

/** On what a finding rests that these packets do not show. */
const GROUNDS: Readonly<Record<string, string>> = {
  seen: '',
  reported: 'An endpoint or a network device reported it. ',
  inferred: 'Inferred from what is missing. ',
};

/** What follows from a cause is indented under it. */
export function Explained({ one, onMessage }: Shows & { readonly one: AskExplained }): ComponentChild {
  const { depth, texts, ground, look, messages = [] } = one;
  return h(
    'div',
    { class: 'explained', title: look, style: { marginLeft: `${depth * 1.2}rem` } },
    texts.map((text) => h('p', { key: text }, sentence(text))),
    ground === 'seen' && messages.length === 0
      ? null
      : h(
          'p',
          { class: 'proof' },
          GROUNDS[ground],
          messages.slice(0, BUTTONS).map((index) => h(MessageButton, { key: index, index, onMessage })),
          messages.length > BUTTONS ? ` and ${messages.length - BUTTONS} more` : null,
        ),
  );
}

const QUALITY = ['packet-loss', 'jitter', 'late-packets', 'poor-audio'];

/** Its quality is what one looks at first. */
export function soundsBad({ findings }: Pick<Call, 'findings'>): boolean {
  return findings.some((name) => QUALITY.includes(name));
}

/** What the findings of quality are about: the direction that sounds worst. */
function worstStream(streams: readonly RtpStream[], row: Call | undefined): ComponentChild {
  const [worst] = streams.filter(({ mos }) => mos !== undefined).sort((a, b) => (a.mos ?? 5) - (b.mos ?? 5));
  if (worst === undefined || row === undefined || !soundsBad(row)) return null;
  const { src, dst, mos, loss_pct, jitter_ms, codec, host } = worst;
  const figures = `MOS ${fixed(mos, 2)}, loss ${loss_pct.toFixed(1)} %, jitter ${jitter_ms.toFixed(1)} ms, ${codec ?? ''}`;
  return h(
    'p',
    null,
    sentence(`The worst direction is ${src} \u2192 ${dst}${host === undefined ? '' : ` at ${host}`}: ${figures}.`),
  );
}
