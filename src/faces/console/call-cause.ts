/** Why a call went wrong, on top of its screen: what an expert says first, what follows from it, and the messages that show it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskExplained, AskHead, Call, CallDocument, RtpStream } from '../../contract/index.ts';
import { useFetched, useStreams } from './asking.ts';
import { Finding, State } from './parts.ts';
import { fixed, shown } from './words.ts';

/** Messages of a finding that have a button. */
const BUTTONS = 12;

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

type Props = { readonly call: CallDocument; readonly onMessage: (index: number) => void };

export function Cause({ call, onMessage }: Props): ComponentChild {
  const head = useHead(call.call_id);
  const row = head?.call;
  const streams = useStreams(call);
  const wrong = head?.explanation ?? [];
  const isBad = call.state === 'Failed' || wrong.some(({ finding }) => finding !== 'note');
  const status =
    call.final_status_code === undefined ? '' : `${call.final_status_code} ${shown(call.final_status_reason ?? '')}`;
  const termination = call.termination;
  return h(
    'section',
    { class: `note cause ${call.state === 'Failed' ? 'bad' : isBad ? 'warn' : ''}`, 'aria-label': 'Cause' },
    h(
      'p',
      null,
      h(State, { state: call.state }),
      status === '' ? null : h('b', null, ` ${status}`),
      ' ',
      row?.findings.map((name) => h(Finding, { key: name, name })),
    ),
    wrong.map((one, i) => h(Explained, { key: i, one, onMessage })),
    wrong[0]?.look === undefined ? null : h('p', { class: 'dim' }, wrong[0].look),
    worstStream(streams, row),
    head === undefined || isBad
      ? null
      : h('p', { class: 'dim' }, 'Nothing that calltap looks for is wrong with this call.'),
    termination?.cause_text === undefined ? null : h('p', null, `Cause: ${shown(termination.cause_text)}`),
  );
}

/** What follows from a cause is indented under it. */
function Explained({ one, onMessage }: { readonly one: AskExplained } & Pick<Props, 'onMessage'>): ComponentChild {
  const { depth, texts, ground, look, messages = [] } = one;
  return h(
    'div',
    { class: 'explained', title: look, style: { marginLeft: `${depth * 1.2}rem` } },
    texts.map((text) => h('p', { key: text }, shown(text))),
    ground === 'seen' && messages.length === 0
      ? null
      : h(
          'p',
          { class: 'proof' },
          ground === 'seen' ? '' : `${ground} `,
          messages
            .slice(0, BUTTONS)
            .map((index) =>
              h('button', { key: index, type: 'button', onClick: () => onMessage(index) }, `message ${index}`),
            ),
          messages.length > BUTTONS ? ` and ${messages.length - BUTTONS} more` : null,
        ),
  );
}

const QUALITY = ['packet-loss', 'jitter', 'late-packets', 'poor-audio'];

/** What the findings of quality are about: the direction that sounds worst. */
function worstStream(streams: readonly RtpStream[], row: Call | undefined): ComponentChild {
  const [worst] = streams.filter(({ mos }) => mos !== undefined).sort((a, b) => (a.mos ?? 5) - (b.mos ?? 5));
  if (worst === undefined || row?.findings.some((name) => QUALITY.includes(name)) !== true) return null;
  const { src, dst, mos, loss_pct, jitter_ms, codec, host } = worst;
  const figures = `MOS ${fixed(mos, 2)}, loss ${loss_pct.toFixed(1)} %, jitter ${jitter_ms.toFixed(1)} ms, ${codec ?? ''}`;
  return h(
    'p',
    null,
    shown(`The worst direction is ${src} \u2192 ${dst}${host === undefined ? '' : ` at ${host}`}: ${figures}.`),
  );
}
