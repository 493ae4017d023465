/**
 * Two calls side by side: what they were, how long things took, how they sounded, the headers and the description of the
 * message that opened each, and the order of their messages.
 */

import { callWayOf } from '../analysis/call-way.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskCompare, AskMessage, Call, CompareRow } from '../contract/index.ts';
import type { NamedField } from '../core/call-fields.ts';
import { FIELDS } from '../core/call-fields.ts';
import { fieldText } from '../core/call-text.ts';
import { grouped } from '../core/maps.ts';
import type { Steps } from '../core/turns.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import type { SipMessage } from '../protocols/sip/message.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { callOf } from './call.ts';
import { messageFacts, traceOf } from './call-trace.ts';

/** They differ between any two calls, and say nothing. */
const OWN_TO_EACH: ReadonlySet<number> = new Set([
  HEADER.CALL_ID,
  HEADER.VIA,
  HEADER.CSEQ,
  HEADER.CONTENT_LENGTH,
  HEADER.DATE,
  HEADER.TIMESTAMP,
  HEADER.MAX_FORWARDS,
]);
export const MESSAGES_COMPARED = 40;

/** What is compared of a call: its figures, the message that opened it, and the order of its messages. */
export type Side = {
  readonly call: Call;
  readonly opening: SipMessage | null;
  readonly messages: readonly Pick<AskMessage, 'summary' | 'has_sdp'>[];
};
export function* compareSteps(e: Evidence, [a, b]: readonly [Dialog, Dialog]): Steps<AskCompare> {
  return compared([yield* sideOf(e, a), yield* sideOf(e, b)]);
}

export function compared(sides: readonly [Side, Side]): AskCompare {
  const [a, b] = sides;
  return {
    schema_version: 1,
    call_ids: [a.call.call_id, b.call.call_id],
    rows: [
      ...fieldRows('call', sides),
      ...fieldRows('timing', sides),
      ...fieldRows('quality', sides),
      ...listRows('headers', sides, headersOf),
      ...listRows('sdp', sides, sdpOf),
      ...sequenceRows(sides),
    ],
  };
}

function* sideOf(e: Evidence, d: Dialog): Steps<Side> {
  const trace = yield* traceOf(e, [d]);
  const messages = trace.filter(({ m }) => m.isFirst).slice(0, MESSAGES_COMPARED);
  yield;
  const opening = callWayOf(d, e.stores.log)?.opening.parse() ?? null;
  return { call: callOf(e, d), opening, messages: messages.map((traced) => messageFacts(e, traced)) };
}

function row(group: CompareRow['group'], what: string, a: string, b: string): CompareRow {
  return { group, what, a, b, differs: a !== b };
}

/** The fields that the table puts into this group; what neither call has is left out. */
function fieldRows(group: CompareRow['group'], [a, b]: readonly [Side, Side]): CompareRow[] {
  return FIELDS.flatMap((field) => {
    if (field.compared?.[0] !== group) return [];
    const [left, right] = [textOf(a.call, field), textOf(b.call, field)];
    return left === '' && right === '' ? [] : [row(group, field.compared[1], left, right)];
  });
}

/** The final code with its reason. */
function textOf(call: Call, field: NamedField): string {
  const text = fieldText(call, field);
  return field.name === 'code' && text !== '' ? `${text} ${call.reason ?? ''}`.trim() : text;
}

type NamedValues = readonly (readonly [name: string, value: string])[];

/** Names of either side, in the order in which they stand there. */
function listRows(
  group: CompareRow['group'],
  sides: readonly [Side, Side],
  of: (m: SipMessage) => NamedValues,
): CompareRow[] {
  const [a, b] = sides.map(({ opening }) => {
    const named = opening === null ? [] : of(opening);
    return new Map(
      [...grouped(named, ([name]) => name)].map(([name, list]) => [name, list.map(([, v]) => v).join(' | ')]),
    );
  });
  const names = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
  return [...names].map((name) => row(group, name, a?.get(name) ?? '', b?.get(name) ?? ''));
}

/** Without tags, which are another in each call, and without secrets. */
function headersOf({ headers }: SipMessage): NamedValues {
  return headers
    .filter(({ id }) => !OWN_TO_EACH.has(id))
    .map(({ name, value }) => [
      name,
      withoutSecrets(`${name}: ${value}`)
        .slice(name.length + 2)
        .replace(/;tag=[^;]*/i, ''),
    ]);
}

function sdpOf(m: SipMessage): NamedValues {
  const part = m.bodyParts().find(({ mediaType }) => mediaType === 'application/sdp');
  if (part === undefined) return [];
  const text = withoutSecrets(Buffer.from(m.body.subarray(part.start, part.end)).toString('utf8'));
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('o='))
    .map((line) => {
      const name = /^a=[\w-]+|^[a-z]=/.exec(line)?.[0] ?? line;
      return [name, line.slice(name.length).replace(/^:/, '')];
    });
}

function sequenceRows(sides: readonly [Side, Side]): CompareRow[] {
  // The target of a request is another in each call.
  const said = ({ summary, has_sdp }: Side['messages'][number]): string =>
    `${summary.replace(/^([A-Z]+) \S+$/, '$1')}${has_sdp ? ' (SDP)' : ''}`;
  const [a, b] = sides.map(({ messages }) => messages.slice(0, MESSAGES_COMPARED).map(said));
  const rows = Math.max(a?.length ?? 0, b?.length ?? 0);
  return Array.from({ length: rows }, (_, i) => row('messages', String(i), a?.[i] ?? '', b?.[i] ?? ''));
}
