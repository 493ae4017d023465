/**
 * What an answer of the store means for the segment that was sent: it has the rows, it will never take them, or it may take
 * them later. Whatever is not clearly one of the first two is tried again, since a row that waits is not lost.
 */

/** `code`: of the exception, 0 without one. `isEarly`: it came before all was sent. `retryAfterMs`: what it asks for, or 0. */
export type Answer = {
  readonly status: number;
  readonly code: number;
  readonly body: string;
  readonly isEarly: boolean;
  readonly retryAfterMs: number;
};

export type Verdict =
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** `isOfRows`: the store began this insert, so another may fare better. */
  | { readonly kind: 'later'; readonly reason: string; readonly isOfRows: boolean };

// Codes of ClickHouse (src/Common/ErrorCodes.cpp of its sources), which stay the same over versions.

/** Unknown user, wrong or required password, address not allowed, database access denied, access denied, authentication failed. */
const NOT_ALLOWED = new Set([192, 193, 194, 195, 291, 497, 516]);
/** Unknown table, unknown database. */
const NOT_MIGRATED = new Set([60, 81]);
/**
 * What is in the rows does not fit: it cannot be parsed (text, escape, quotes, assertion, date, time, number, UUID, boolean,
 * array), is cut, has a wrong type or size, is out of range, null, of no known column, or breaks a constraint; or the file
 * cannot be unpacked.
 */
const UNFIT = new Set([
  ...[6, 25, 26, 27, 32, 38, 41, 72, 130, 376, 467],
  ...[16, 19, 33, 44, 53, 69, 70, 117, 128, 131, 190, 321, 349, 407, 469],
  ...[271, 354],
]);
/** Of the sender or of something in between, and not of the rows: authentication, wrong place, too slow, too often. */
const LATER = new Set([401, 403, 404, 407, 408, 421, 425, 429]);

export function verdictOf(answer: Answer): Verdict {
  const { status, code } = answer;
  const shown = `${status}${nameOf(answer)}`;
  if (NOT_ALLOWED.has(code) || status === 401 || status === 403)
    return later(`it refuses the user or the password (${shown}); correct --ship-user and its password`);
  if (NOT_MIGRATED.has(code)) return later(`it has no such table (${shown}); run calltap hub --migrate`, true);
  if (UNFIT.has(code)) return { kind: 'refused', reason: shown };
  if (status === 200 && code === 0) {
    if (answer.isEarly) return later('it answers before it has read the rows');
    // ClickHouse says nothing of an insert. A page that says something is another server's.
    return answer.body.trim() === '' ? { kind: 'stored' } : later('it answers as another server does; correct the URL');
  }
  if (status >= 300 && status < 400)
    return later(`it sends calltap to another place (${status}), where it does not go; correct the URL`);
  if (status >= 400 && status < 500 && !LATER.has(status)) return { kind: 'refused', reason: shown };
  return later(`it answers ${shown}`, code !== 0);
}

function later(reason: string, isOfRows = false): Verdict {
  return { kind: 'later', reason, isOfRows };
}

/** The exception's name, which ClickHouse gives at the end of a text that may quote rows; else its code. */
function nameOf({ code, body }: Answer): string {
  if (code === 0) return '';
  return `, ${/\(([A-Z][A-Z0-9_]{2,60})\)/.exec(body)?.[1] ?? `code ${code}`}`;
}
