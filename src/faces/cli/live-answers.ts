/**
 * Prints what happens in a live capture: each message of the chosen calls, or each dialog when it has ended, and knows when
 * --limit is reached. Lines that the reader of standard output does not take in time are counted, and hold nothing up.
 */
import type { Config } from '../../config/config.ts';
import type { CallDocument } from '../../contract/index.ts';
import { take } from '../../core/take.ts';
import type { Telling } from '../../view/live-documents.ts';
import type { Asked } from './asked.ts';
import { messageStyle, oneMessage } from './messages.ts';
import { standardOutput } from './standard-streams.ts';

export type LiveAnswer = {
  readonly telling: Telling;
  /** As many calls have ended as --limit allows. */
  readonly enough: Promise<void>;
  /** What the end still has to print of these; null where the answer is printed at the end alone. */
  restOf(documents: Iterable<CallDocument>): Iterable<CallDocument> | null;
};

/** Null where nobody waits for what happens. */
export function liveAnswer(config: Config, asked: Asked): LiveAnswer | null {
  const { question, limit } = asked;
  const { messages, show, quality, compare } = config;
  const isEach = messages === 'all';
  // The other answers are of the whole capture.
  const isStream = asked.form === 'json' && [messages, show, quality, compare[0] ?? null].every((of) => of === null);
  if (!isStream && !isEach && config.limit === null) return null;
  const shown = messageStyle(asked, config);
  let ended = 0;
  let resolve: () => void = () => undefined;
  const enough = new Promise<void>((done) => {
    resolve = done;
  });
  const onEnd = (document: CallDocument): void => {
    if (ended >= limit) return;
    ended++;
    if (isStream) standardOutput.write(`${JSON.stringify(document)}\n`);
    if (ended >= limit) resolve();
  };
  return {
    telling: {
      filter: question.filter,
      showsSecrets: config.showSecrets,
      onMessage: isEach ? (m, call) => standardOutput.write(`${[...oneMessage(m, shown, call)].join('\n')}\n`) : null,
      onEnd: isStream || config.limit !== null ? onEnd : null,
    },
    enough,
    restOf: (documents) => (isStream ? take(documents, limit - ended) : isEach ? [] : null),
  };
}
