/** The tab of the ladder: who sent what to whom, and beside it the message that one looks at. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskLadder, AskMessages, AskStream } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import type { CallPlace } from './call-tabs.ts';
import { callHash } from './call-tabs.ts';
import type { Trace } from './call-trace.ts';
import { LadderView } from './ladder-view.ts';
import { MessageView } from './message-view.ts';
import type { MissingMedia } from './missing-media.ts';
import { Waiting } from './parts.ts';
import { ofCall } from './service.ts';

type Props = {
  readonly place: CallPlace;
  readonly trace: Trace;
  readonly streams: readonly AskStream[];
  readonly missing: readonly MissingMedia[];
};

export function CallLadder({ place, trace, streams, missing }: Props): ComponentChild {
  const { callId, hasLegs } = place;
  const ladder = useFetched<AskLadder>(ofCall(callId, `/ladder${hasLegs ? '?legs=true' : ''}`));
  const { messages, current, marked } = trace;
  const message = trace.messageOf(current);
  const legs = ladder.value?.call_ids.length ?? 1;
  return h(
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
          onChange: () => {
            location.hash = callHash({ ...place, hasLegs: !hasLegs });
          },
        }),
        ` All legs${legs > 1 ? ` (${legs})` : ''}`,
      ),
      ladder.value === undefined
        ? h(Waiting, { fetched: ladder, what: 'The ladder' })
        : h(LadderView, {
            ladder: ladder.value,
            streams,
            missing,
            current,
            marked,
            onCurrent: trace.show,
            onMark: trace.mark,
          }),
    ),
    message === null
      ? messages.value === undefined
        ? h(Waiting, { fetched: messages, what: 'The messages' })
        : h('p', { class: 'note' }, noMessage(messages.value))
      : h(MessageView, {
          message,
          other: marked === current ? null : trace.messageOf(marked),
          isMarked: marked === current,
          onMark: trace.mark,
        }),
  );
}

function noMessage({ not_shown }: AskMessages): string {
  const more = not_shown?.messages ?? 0;
  return more === 0 ? 'Choose a message.' : `It is one of ${more} messages for which the answer had no room.`;
}
