/** The rows of a call beside its own: of its messages since the last row, of its new identifiers, and of its streams. */
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { CallIdentifier } from '../../analysis/opening.ts';
import type { RtpStream } from '../../contract/index.ts';
import type { Steps } from '../../core/turns.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import { toAskStream } from '../../view/documents.ts';
import { wellFormed } from './lines.ts';
import type { MessageParts, MessageRange } from './message-lines.ts';
import { messageLinesSteps } from './message-lines.ts';
import { streamLine } from './stream-line.ts';

/** Of which a call has rows. */
type ShippedTable = 'messages' | 'ids' | 'streams' | 'calls';

/** What a store of many hosts takes of calls: all rows, also of those that go on. */
export type StoreRows = {
  readonly parts: MessageParts;
  readonly sendsUprobe: boolean;
  /** Takes a row, without line end. */
  readonly add: (table: ShippedTable, line: string) => void;
};

export type CallParts = {
  /** Begins the lines of the call, by a time in the hour of the row. */
  readonly headOf: (us: number) => string;
  /** That of the call itself. */
  readonly head: string;
  readonly range: MessageRange;
  readonly identifiers: readonly CallIdentifier[];
  readonly facts: DialogFacts;
  readonly streams: readonly RtpStream[];
};

/** Adds the rows; how many messages had left the memory. */
export function* partSteps(e: Evidence, { parts, add }: StoreRows, made: CallParts, nowUs: number): Steps<number> {
  const { head, facts } = made;
  const { clockSteps } = e.capture;
  let gone = 0;
  if (parts !== 'none') {
    const lines = { head, clockSteps, hasBodies: parts === 'full', add: (text: string) => add('messages', text) };
    gone = yield* messageLinesSteps(made.range, nowUs, lines);
  }
  for (const { kind, text } of made.identifiers)
    add('ids', wellFormed(`${head}"kind":"${kind}","text":${JSON.stringify(text)}}`));
  for (const [i, one] of facts.streams.entries()) {
    const { stream } = one;
    const document = made.streams[i];
    if (document === undefined) continue;
    const headOfStream = made.headOf(asCaptured(clockSteps, stream.openedUs));
    add('streams', wellFormed(streamLine(headOfStream, stream.serial + 1, toAskStream(e, one, document))));
  }
  return gone;
}
