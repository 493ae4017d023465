/**
 * Makes the call that lists, tables and answers show (core/call-fields.ts) of a dialog, and what stands on top of one call.
 */
import { CALL_READERS, FIELD_READERS, SUMMARY_READERS } from '../analysis/call-field-readers.ts';
import { CallSource } from '../analysis/call-source.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { documentFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskHead, Call, DialogSummary } from '../contract/index.ts';
import type { FieldName } from '../core/call-fields.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn } from '../store/stores.ts';
import { explained, sentencesOf, withLook } from './explained.ts';

type Reader<S> = readonly [name: string, read: (source: S) => unknown];

const readersOf = <S>(readers: Readonly<Record<string, readonly [level: number, read: (source: S) => unknown]>>) =>
  Object.entries(readers).map(([name, [, read]]): Reader<S> => [name, read]);

const OF_CALL = readersOf<CallSource>(CALL_READERS);
const OF_SUMMARY = readersOf<{ readonly d: Dialog; readonly capture: CapturedIn }>(SUMMARY_READERS);

/** What is not known has no key. */
function made<S, T>(readers: readonly Reader<S>[], source: S): T {
  const fields: Record<string, unknown> = {};
  for (const [name, read] of readers) {
    const value = read(source);
    if (value !== undefined) fields[name] = value;
  }
  // Its readers are those of T.
  return fields as T;
}

/** Every field of the call. */
export function toCall(e: Evidence, d: Dialog): Call {
  return made(OF_CALL, new CallSource(e, d));
}

/** A list row of `/v1`. */
export function toDialogSummary(d: Dialog, capture: CapturedIn): DialogSummary {
  return made(OF_SUMMARY, { d, capture });
}

/** A getter for each field. */
const LAZY_FIELDS: object = Object.defineProperties(
  {},
  Object.fromEntries(
    OF_CALL.map(([name, read]) => [
      name,
      {
        get(this: { readonly source: CallSource }) {
          return read(this.source);
        },
      },
    ]),
  ),
);

/**
 * The call for whoever asks for a few fields alone: a field is read when somebody asks for it. That is to be at once, since the
 * dialog changes. `facts`: for who has them.
 */
export function callOf(e: Evidence, d: Dialog, facts?: DialogFacts): Call {
  const call = Object.create(LAZY_FIELDS) as Call & { source: CallSource };
  call.source = new CallSource(e, d, facts);
  return call;
}

/** Reads single fields of the call by their names, at once. `facts`: for who has them. */
export function fieldsOf(e: Evidence, d: Dialog, facts?: DialogFacts): (name: FieldName) => unknown {
  const source = new CallSource(e, d, facts);
  return (name) => FIELD_READERS[name][1](source);
}

export function* askHeadSteps(e: Evidence, d: Dialog): Steps<AskHead> {
  const explanation = withLook(explained(yield* documentFactsSteps(e, d)));
  const head: AskHead = { schema_version: 1, call: toCall(e, d), hints: sentencesOf(explanation), explanation };
  if (d.fromDisplay !== null) head.from_display = d.fromDisplay;
  if (d.toDisplay !== null) head.to_display = d.toDisplay;
  return head;
}
