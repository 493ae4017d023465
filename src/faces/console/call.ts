/** The screen of one call: its cause, the ladder with the messages, the sound, and what can be taken away. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AskLadder, AskMessages, CallDocument, LadderStep } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { CallActions } from './call-actions.ts';
import { Cause, firstProof } from './call-cause.ts';
import { stepKey } from './ladder.ts';
import { LadderView } from './ladder-view.ts';
import { MessageView } from './message-view.ts';
import { Offers } from './offers.ts';
import { Waiting } from './parts.ts';
import { Quality } from './quality.ts';
import { ofCall } from './service.ts';
import { go } from './window.ts';
import { clock, day, shown, span } from './words.ts';

type Props = { readonly callId: string; readonly hasLegs: boolean };

export function Call({ callId, hasLegs }: Props): ComponentChild {
  const call = useFetched<CallDocument>(ofCall(callId));
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
      if (event.key === 'Escape') history.back();
      else if (event.key === 'x') go('call', callId, { legs: hasLegs ? '' : '1' });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [callId, hasLegs]);
  const { value } = call;
  return h(
    'main',
    { class: 'call' },
    h('h1', null, value === undefined ? shown(callId) : titleOf(value)),
    value === undefined ? h(Waiting, { fetched: call, what: 'The call' }) : h(Loaded, { call: value, hasLegs }),
  );
}

function titleOf({ method, from_display, to_display, ...of }: CallDocument): string {
  const [from, to] = [of.from ?? of.from_host, of.to ?? of.to_host];
  const party = (user = '', display = ''): string =>
    display === '' ? shown(user) : `${shown(display)} <${shown(user)}>`;
  return `${shown(method)} ${party(from, from_display)} \u2192 ${party(to, to_display)}`;
}

function noMessage({ not_shown }: AskMessages): string {
  const more = not_shown?.messages ?? 0;
  return more === 0 ? 'Choose a message.' : `It is one of ${more} messages for which the answer had no room.`;
}

type LoadedProps = { readonly call: CallDocument; readonly hasLegs: boolean };

function Loaded({ call, hasLegs }: LoadedProps): ComponentChild {
  const { call_id: callId } = call;
  const legs = hasLegs ? '?legs=true' : '';
  const ladder = useFetched<AskLadder>(ofCall(callId, `/ladder${legs}`));
  const messages = useFetched<AskMessages>(ofCall(callId, `/messages${legs}`));
  // What proves the cause is what one opened the call for.
  const [current, setCurrent] = useState(stepKey({ call_id: callId, index: firstProof(call) }));
  const [marked, setMarked] = useState('');
  const messageOf = (key: string) => messages.value?.messages.find((message) => stepKey(message) === key) ?? null;
  const message = messageOf(current);
  const mark = (): void => setMarked(marked === current ? '' : current);
  return [
    h(Cause, { call, onMessage: (index) => setCurrent(stepKey({ call_id: callId, index })) }),
    h(
      'p',
      { class: 'dim' },
      `${day(call.created_at)} ${clock(call.created_at, 3)}, ${span(call.duration_sec)}, ${call.msg_count} messages, Call-ID `,
      h('span', { class: 'mono' }, shown(callId)),
    ),
    h(CallActions, { callId, hasLegs }),
    h(
      'div',
      { class: 'panes' },
      h(
        'div',
        null,
        h(
          'label',
          { class: 'legs' },
          h('input', {
            type: 'checkbox',
            checked: hasLegs,
            onChange: () => go('call', callId, { legs: hasLegs ? '' : '1' }),
          }),
          ` All legs${(ladder.value?.call_ids.length ?? 1) > 1 ? ` (${ladder.value?.call_ids.length})` : ''}`,
        ),
        ladder.value === undefined
          ? h(Waiting, { fetched: ladder, what: 'The ladder' })
          : h(LadderView, {
              ladder: ladder.value,
              current,
              marked,
              onCurrent: (step: LadderStep) => setCurrent(stepKey(step)),
              onMark: mark,
            }),
      ),
      message === null
        ? messages.value === undefined
          ? h(Waiting, { fetched: messages, what: 'The messages' })
          : h('p', { class: 'note' }, noMessage(messages.value))
        : h(MessageView, {
            message,
            other: marked === current ? null : messageOf(marked),
            isMarked: marked === current,
            onMark: mark,
          }),
    ),
    h(Offers, { call }),
    h(Quality, { call }),
  ];
}
