/** The tab of the messages: the text of all of them in their order, to read and to copy, and what they offered of media. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskMessage, AskMessages, CallDocument } from '../../contract/index.ts';
import { whyOf } from './asking.ts';
import { legOf } from './call-legs.ts';
import type { Trace } from './call-trace.ts';
import { copied } from './copy.ts';
import { stepKey } from './ladder.ts';
import { rawText } from './message-lines.ts';
import { Offers } from './offers.ts';
import { Waiting } from './parts.ts';
import { clock, counted, shown } from './words.ts';

const SHOWN_AT_FIRST = 50;

type Props = { readonly call: CallDocument; readonly trace: Trace };

export function CallMessages({ call, trace: { messages } }: Props): ComponentChild {
  const [most, setMost] = useState(SHOWN_AT_FIRST);
  const [said, setSaid] = useState('');
  const { value } = messages;
  if (value === undefined) return h(Waiting, { fetched: messages, what: 'The messages' });
  const copy = (of: readonly AskMessage[]): void => {
    const text = of.map((one) => `${of.length === 1 ? '' : `${headOf(one)}\n`}${rawText(one.text)}\n`).join('\n');
    const done = `${counted(of.length, 'message is', 'messages are')} copied.`;
    copied(text, done).then(setSaid, (error: unknown) => setSaid(whyOf(error)));
  };
  const more = value.messages.length - most;
  return [
    h(Offers, { call }),
    h(
      'div',
      { class: 'bar' },
      h('button', { type: 'button', onClick: () => copy(value.messages) }, 'Copy all'),
      h('span', { role: 'status', class: 'said' }, shown(said)),
    ),
    missingWords(value).map((words) => h('p', { key: words, class: 'note' }, words)),
    value.messages
      .slice(0, most)
      .map((message) =>
        h(
          'section',
          { key: stepKey(message), class: 'raw', 'aria-label': `Message ${message.index}` },
          h(
            'div',
            { class: 'bar' },
            h(LegOf, { ids: value.call_ids, callId: message.call_id }),
            h('b', null, String(message.index)),
            h('span', { class: 'dim' }, headOf(message)),
            h(
              'button',
              { type: 'button', 'aria-label': `Copy message ${message.index}`, onClick: () => copy([message]) },
              'Copy',
            ),
          ),
          h('pre', null, rawText(message.text)),
        ),
      ),
    more > 0
      ? h('button', { type: 'button', onClick: () => setMost(most * 4) }, `${counted(more, 'more message')}: show`)
      : null,
  ];
}

function headOf({ at, src, dst, transport }: AskMessage): string {
  return `${clock(at, 6)} ${shown(src)} \u2192 ${shown(dst)} ${transport}`;
}

type LegProps = { readonly ids: readonly string[]; readonly callId: string };

/** Which of the legs are only probable is told with the ladder. */
function LegOf({ ids, callId }: LegProps): ComponentChild {
  const leg = legOf({ call_ids: ids }, callId);
  return leg === null ? null : h('b', { class: `leg ${leg.colour}` }, leg.letter);
}

function missingWords({ not_kept: notKept, not_shown: notShown }: AskMessages): string[] {
  const words: string[] = [];
  if (notKept > 0) words.push(`${counted(notKept, 'message is', 'messages are')} not kept any more.`);
  const beyond = notShown?.messages ?? 0;
  if (beyond > 0) words.push(`For ${counted(beyond, 'message')} the answer had no room.`);
  return words;
}
