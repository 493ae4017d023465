/**
 * Why a store did not do what it was asked: one line for a person. ClickHouse names each error by a number; its texts are cut
 * and made safe.
 */
import { errnoOf } from '../../core/errors.ts';
import { connectionFailure, RemoteFailure, saidText } from '../../net/failures.ts';

/** What the store said, with the number of its error; '' without one. */
export class StoreRefusal extends Error {
  readonly code: string;

  constructor(code: string, said: string) {
    super(said);
    this.code = code;
  }
}

const GIVE_USER = 'give --store-user and --store-password-file';

/** Reason and remedy by the number of the error. */
const BY_NUMBER: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  '192': ['it does not know the user, or refuses the password', GIVE_USER],
  '193': ['it does not know the user, or refuses the password', GIVE_USER],
  '194': ['it asks for a password', GIVE_USER],
  '516': ['it does not know the user, or refuses the password', GIVE_USER],
  '497': ['its user may not do this', 'grant what docs/fleet.md lists, or give another --store-user'],
  '701': ['it has no cluster of this name', 'give one that SELECT cluster FROM system.clusters lists'],
};

/** Where the words of --connect would mislead; all else is a failure of any connection. */
const BY_CODE: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ECONNREFUSED: ['nobody listens there', 'start ClickHouse, or check that the port is its http_port or https_port'],
  ECONNRESET: ['the connection was closed without an answer', 'check that the port is its http_port or https_port'],
  EPROTO: ['what listens there does not speak TLS', 'check that the port is its https_port'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['what listens there does not speak TLS', 'check that the port is its https_port'],
};

/** Of an error of a statement. The message is the reason. */
export function storeFailure(error: unknown): RemoteFailure {
  if (error instanceof StoreRefusal) return refused(error);
  const known = BY_CODE[errnoOf(error instanceof AggregateError ? error.errors.at(-1) : error) ?? ''];
  if (known !== undefined) return new RemoteFailure('lost', ...known);
  const failed = connectionFailure(error);
  return new RemoteFailure(
    failed.kind,
    failed.message.replace('--ca', '--store-ca'),
    failed.remedy.replace('--ca', '--store-ca'),
  );
}

function refused({ code, message }: StoreRefusal): RemoteFailure {
  const known = BY_NUMBER[code];
  if (known !== undefined) return new RemoteFailure('no', ...known);
  const said = saidText(message);
  return code === ''
    ? new RemoteFailure('lost', `what answers there is no ClickHouse (${said})`, 'check the address')
    : new RemoteFailure('no', `it refuses (${said}, code ${code})`, 'look at the log of the store');
}
