/** Why a call went wrong, on top of its screen: sentences of the diagnosis, each finding with the messages that show it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskCalls, Call, CallDocument, RtpStream } from '../../contract/index.ts';
import { useFetched, useStreams } from './asking.ts';
import { Finding, State } from './parts.ts';
import { fixed, shown } from './words.ts';

/** Findings of the signaling that name messages, in the order of the document. */
const NAMED = {
  final_failure: 'refused',
  registration_failure: 'registration failure',
  auth_loop: 'auth loop',
  retransmissions: 'no response',
  ack_missing: 'ACK missing',
  abandoned: 'abandoned',
  post_dial_delay: 'post-dial delay',
  icmp_unreachable: 'unreachable',
  source_disagreement: 'sources differ',
} as const;

const QUALITY = ['packet-loss', 'jitter', 'late-packets', 'poor-audio'];

type Proof = { readonly what: string; readonly messages: readonly number[] };

export function proofsOf({ signaling_diagnosis: found }: CallDocument): Proof[] {
  if (found === undefined) return [];
  return Object.entries(NAMED).flatMap(([key, what]) => {
    const evidence = found[key as keyof typeof NAMED]?.evidence;
    return evidence === undefined ? [] : [{ what, messages: evidence }];
  });
}

/** The row of the list of this call: it has the findings and the worst scores. */
export function useRow(callId: string): Call | undefined {
  // Stars and quotes of a Call-ID are meant as they are.
  const q = `callid:"${callId.replace(/["\\*]/g, '\\$&')}"`;
  return useFetched<AskCalls>(`ask/calls?${new URLSearchParams({ q, limit: '1' })}`).value?.calls[0];
}

type Props = { readonly call: CallDocument; readonly onMessage: (index: number) => void };

export function Cause({ call, onMessage }: Props): ComponentChild {
  const row = useRow(call.call_id);
  const streams = useStreams(call);
  const hints = [...(call.signaling_diagnosis?.hints ?? []), ...call.diagnosis.hints];
  const isBad = call.state === 'Failed' || hints.length > 0 || (row?.findings.length ?? 0) > 0;
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
    hints.map((hint) => h('p', { key: hint }, shown(hint))),
    worstStream(streams, row),
    isBad ? null : h('p', { class: 'dim' }, 'Nothing that calltap looks for is wrong with this call.'),
    termination?.cause_text === undefined ? null : h('p', null, `Cause: ${shown(termination.cause_text)}`),
    proofsOf(call).map(({ what, messages }) =>
      h(
        'p',
        { key: what, class: 'proof' },
        `${what}: `,
        messages
          .slice(0, 12)
          .map((index) =>
            h('button', { key: index, type: 'button', onClick: () => onMessage(index) }, `message ${index}`),
          ),
        messages.length > 12 ? ` and ${messages.length - 12} more` : null,
      ),
    ),
  );
}

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
