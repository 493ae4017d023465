/**
 * Why a running calltap refused an answer, and what to do about it: one line for a person, made of its status and of its
 * problem document.
 */
import { CHECK_ADDRESS, RemoteFailure, saidText } from '../../net/failures.ts';

/** Of an answer without the document: its status, what it says, and when it may be asked again. */
export function statusFailure(
  status: number,
  problem: { readonly type: string; readonly detail: string } | null,
  retryAfterSec: number | null,
  keys: { readonly isSent: boolean; readonly hint: string },
): RemoteFailure {
  const said = problem === null ? '' : saidText(problem.detail);
  const told = said === '' ? '' : ` (${said})`;
  if (problem === null && status !== 503)
    return status >= 300 && status < 400
      ? new RemoteFailure(
          'lost',
          'it sends to another address, where calltap does not follow',
          'give the address that answers',
        )
      : new RemoteFailure('lost', `what answers there is no calltap (status ${status})`, CHECK_ADDRESS);
  if (status === 401)
    return keys.isSent
      ? new RemoteFailure('lost', `it refuses the key${told}`, keys.hint)
      : new RemoteFailure('lost', 'it asks for a key', keys.hint);
  if (status === 403) return new RemoteFailure('lost', `it refuses this host${told}`, 'use its own address and a key');
  if (status === 404) return new RemoteFailure('gone', 'it has no such call', 'read the list again');
  if (status === 503) {
    const wait = retryAfterSec === null ? 'later' : `in ${retryAfterSec} s`;
    return new RemoteFailure('busy', 'it is busy', `try again ${wait}`);
  }
  if (status === 422) return new RemoteFailure('no', said === '' ? 'there is nothing' : said, '');
  return new RemoteFailure('no', `it answered with status ${status}${told}`, 'look at the log of the service');
}

/** What serves no /ask: it is off there, too old, or somewhere else. `path` is that of the address, '' without one. */
export function noAsk(path: string): RemoteFailure {
  if (path !== '')
    return new RemoteFailure(
      'lost',
      `it serves nothing below ${saidText(path)}`,
      'leave the path out, unless a proxy puts the service there',
    );
  return new RemoteFailure(
    'lost',
    'it does not serve /ask',
    'add "ask = true" below [api] in its configuration (or --ask), and restart it',
  );
}
