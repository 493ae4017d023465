/** The messages of a call and of its legs, the one that is shown, and the one that is marked; they stay while tabs change. */
import { useState } from 'preact/hooks';
import type { AskMessage, AskMessages, CallDocument, LadderStep } from '../../contract/index.ts';
import type { Fetched } from './asking.ts';
import { useFetched } from './asking.ts';
import { firstProof } from './call-cause.ts';
import { stepKey } from './ladder.ts';
import { ofCall } from './service.ts';

type Named = Pick<LadderStep, 'call_id' | 'index'>;

export type Trace = {
  readonly messages: Fetched<AskMessages>;
  /** Keys of messages; '' is none. */
  readonly current: string;
  readonly marked: string;
  readonly show: (message: Named) => void;
  /** Marks the current one, or unmarks it. */
  readonly mark: () => void;
  readonly messageOf: (key: string) => AskMessage | null;
};

export function useShownMessage(call: CallDocument, hasLegs: boolean): Trace {
  const { call_id: callId } = call;
  const messages = useFetched<AskMessages>(ofCall(callId, `/messages${hasLegs ? '?legs=true' : ''}`));
  // What proves the cause is what one opened the call for.
  const [current, setCurrent] = useState(stepKey({ call_id: callId, index: firstProof(call) }));
  const [marked, setMarked] = useState('');
  return {
    messages,
    current,
    marked,
    show: (message) => setCurrent(stepKey(message)),
    mark: () => setMarked(marked === current ? '' : current),
    messageOf: (key) => messages.value?.messages.find((message) => stepKey(message) === key) ?? null,
  };
}
