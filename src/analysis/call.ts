/**
 * One call as the judges see it, and what a judge is.
 */

import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import type { QualityContext } from '../store/stores.ts';
import type { CallMessage } from './call-messages.ts';
import { messagesOf } from './call-messages.ts';
import type { Evidence } from './evidence.ts';
import type { CallFindings } from './findings.ts';
import type { StreamQuality } from './stream-quality.ts';
import { streamQuality } from './stream-quality.ts';

export type CallStream = { readonly stream: Stream; readonly quality: StreamQuality };

/** Those of a call; without the ones whose counters are another's by now. */
export function callStreams(d: Dialog, context: QualityContext): CallStream[] {
  return context.streams.ownedBy(d).flatMap((stream) => {
    const quality = streamQuality(stream, context);
    return quality === null ? [] : [{ stream, quality }];
  });
}

export class JudgedCall {
  readonly e: Evidence;
  readonly d: Dialog;
  readonly streams: readonly CallStream[];
  /** The clock that the call is judged by, in microseconds. */
  readonly nowUs: number;
  #messages: readonly CallMessage[] | undefined;

  constructor(e: Evidence, d: Dialog, streams: readonly CallStream[]) {
    this.e = e;
    this.d = d;
    this.streams = streams;
    this.nowUs = e.capture.nowOf(d);
  }

  /** Listed once for all judges. */
  get messages(): readonly CallMessage[] {
    this.#messages ??= messagesOf(this.d, this.e.stores.log);
    return this.#messages;
  }
}

/** Adds what it finds; takes steps where it reads messages. A later judge may use what an earlier one found. */
export type Judge = (call: JudgedCall, found: CallFindings) => Steps<void> | undefined;
