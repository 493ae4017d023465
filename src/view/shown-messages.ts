/**
 * Chooses which messages of several calls an answer shows if it has no room for all: first those of the call that was asked
 * for, then the oldest ones of its legs.
 */
import type { AskMessage, AskMessages } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';

/** Characters of the messages of one answer, as JSON writes them. @cap */
const MESSAGES_CHARS = 16 * 1024 * 1024;

export type Room = {
  readonly rows: number;
  readonly chars: number;
};

/** What is made of each message, or null of one that is not shown. A step a message. */
export function* shownOf<T, R>(
  all: readonly T[],
  isOfFirst: (message: T) => boolean,
  room: Room,
  make: (message: T) => { readonly made: R; readonly chars: number },
): Steps<(R | null)[]> {
  const shown = new Array<R | null>(all.length).fill(null);
  let rows = 0;
  let chars = 0;
  for (const isFirst of [true, false])
    for (const [i, message] of all.entries()) {
      if (isOfFirst(message) !== isFirst) continue;
      yield;
      if (rows >= room.rows) return shown;
      const one = make(message);
      chars += one.chars;
      // What comes later is not shown either: no gap stays within a call.
      if (chars > room.chars) return shown;
      shown[i] = one.made;
      rows++;
    }
  return shown;
}

/** With their texts, of which JSON makes up to six times as many characters. */
export function messagesShown<T>(
  all: readonly T[],
  isOfFirst: (message: T) => boolean,
  textOf: (message: T) => AskMessage,
): Steps<(AskMessage | null)[]> {
  return shownOf(all, isOfFirst, { rows: Number.POSITIVE_INFINITY, chars: MESSAGES_CHARS }, (message) => {
    const made = textOf(message);
    return { made, chars: made.call_id.length + JSON.stringify(made.text).length };
  });
}

/** `shown`: a place of each message, empty where there was no room for it. */
export function messagesDocument(
  callIds: readonly string[],
  shown: readonly (AskMessage | null)[],
  missing: { readonly calls: number; readonly notKept: number },
): AskMessages {
  const messages = shown.filter((m) => m !== null);
  const notShown = { calls: missing.calls, messages: shown.length - messages.length };
  return {
    schema_version: 1,
    call_ids: [...callIds],
    messages,
    not_kept: missing.notKept,
    ...(notShown.calls + notShown.messages === 0 ? {} : { not_shown: notShown }),
  };
}
