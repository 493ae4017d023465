/**
 * The name of a call's file: when it began, who called whom, and a piece of the Call-ID.
 *
 * The texts are SIP of strangers. A name holds only [A-Za-z0-9._-], begins with a digit, has no two dots in a row and is at
 * most 110 characters long, so it can be no option of a program, no path, and nothing hidden.
 */

/** Characters of a user and of a Call-ID in the name of a call's file (`--split call`). @cap */
const MAX_CALL_NAME_USER = 24;
const MAX_CALL_NAME_ID = 32;

export type NamedCall = {
  readonly createdUs: number;
  readonly fromUser: string;
  readonly toUser: string;
  readonly callId: string;
};

const UNKNOWN = 'none';
const UNKNOWN_TIME = '00000000-000000';

/** Without its ending: `20261125-203501_2001_2002_a84b4c76e6`. The time is UTC. */
export function callFileName({ createdUs, fromUser, toUser, callId }: NamedCall): string {
  return [
    timePart(createdUs),
    safePart(fromUser, MAX_CALL_NAME_USER),
    safePart(toUser, MAX_CALL_NAME_USER),
    safePart(callId, MAX_CALL_NAME_ID),
  ].join('_');
}

function timePart(us: number): string {
  const date = new Date(us / 1000);
  if (!(date.getTime() >= 0) || date.getUTCFullYear() > 9999) return UNKNOWN_TIME;
  const [day = '', time = ''] = date.toISOString().split('T');
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
}

/** What is not allowed becomes one "-" a run; what is left at the ends says nothing. */
function safePart(text: string, most: number): string {
  const safe = text
    .slice(0, 4 * most)
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, most)
    .replace(/^[._-]+|[._-]+$/g, '');
  return safe === '' ? UNKNOWN : safe;
}
