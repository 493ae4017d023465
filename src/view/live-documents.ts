/** Makes what calltap tells of calls while they happen: the same documents that a later question gets. */
import type { Evidence } from '../analysis/evidence.ts';
import type { AskMessage, CallDocument } from '../contract/index.ts';
import { finish } from '../core/turns.ts';
import type { Filter } from '../query/filter.ts';
import type { Watching } from '../watch/live-calls.ts';
import { messageFacts, textOf } from './call-trace.ts';
import { callDocumentSteps } from './documents.ts';

export type Telling = {
  readonly filter: Filter;
  readonly showsSecrets: boolean;
  /** `call` is a number that all messages of a call share. */
  readonly onMessage: ((m: AskMessage, call: number) => void) | null;
  readonly onEnd: ((document: CallDocument) => void) | null;
};

/** `telling`, for who watches the calls. */
export function inDocuments(evidence: () => Evidence, telling: Telling): Watching<CallDocument> {
  const { filter, showsSecrets, onMessage, onEnd } = telling;
  return {
    evidence,
    filter,
    documentOf: (d) => finish(callDocumentSteps(evidence(), d)),
    onMessage:
      onMessage &&
      ((d, m) => onMessage({ ...messageFacts(evidence(), { d, m }), text: textOf(m, showsSecrets) }, d.serial)),
    onEnd,
  };
}
