/**
 * Why a server did not answer, and what to do about it: one line for a person, made of error codes, never of a stack.
 */
import { errnoOf } from '../core/errors.ts';
import { safeText } from '../core/terminal-text.ts';

/** Characters that are shown of what a server says. */
const SAID = 200;

/**
 * `lost`: nothing can be had from there at the moment. `late`: this answer took too long. `busy`: it says so. `gone`: that one
 * thing is not there. `no`: it has a reason.
 */
export type FailureKind = 'lost' | 'late' | 'busy' | 'gone' | 'no';

/** The message is the reason. Texts of the server are cut and made safe. */
export class RemoteFailure extends Error {
  readonly kind: FailureKind;
  readonly remedy: string;

  constructor(kind: FailureKind, reason: string, remedy: string) {
    super(reason);
    this.kind = kind;
    this.remedy = remedy;
  }
}

/** The answer, or a part of it, did not come in time. */
export function late(): RemoteFailure {
  return new RemoteFailure('late', 'it does not answer in time', 'look whether the service is busy');
}

/** The connection ended, and nobody said why. */
export function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

/** What a server wrote, for a line. */
export function saidText(text: string): string {
  return safeText(text.slice(0, SAID).trim()).replace(/[.;]+$/, '');
}

export const CHECK_ADDRESS = 'check the address';
const GIVE_CA = 'give the certificate of its CA with --ca FILE';

/** Reason and remedy by the code of an error of the connection. */
const BY_CODE: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ECONNREFUSED: ['nobody listens there', 'start the service, or check the address'],
  ENOTFOUND: ['the name does not resolve', 'check it, or give an IP address'],
  EAI_AGAIN: ['the name does not resolve', 'check it, or give an IP address'],
  EHOSTUNREACH: ['the host cannot be reached', CHECK_ADDRESS],
  ENETUNREACH: ['the network cannot be reached', CHECK_ADDRESS],
  ETIMEDOUT: ['it does not answer in time', 'check the address, and firewalls on the way'],
  ECONNRESET: ['the connection was closed without an answer', 'check that the port is that of --api'],
  EPROTO: [
    'what listens there does not speak TLS',
    'write http:// for a loopback address, or end TLS in a reverse proxy',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'what listens there does not speak TLS',
    'write http:// for a loopback address, or end TLS in a reverse proxy',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['nobody whom this host trusts signed its certificate', GIVE_CA],
  SELF_SIGNED_CERT_IN_CHAIN: ['nobody whom this host trusts signed its certificate', GIVE_CA],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['nobody whom this host trusts signed its certificate', GIVE_CA],
  UNABLE_TO_GET_ISSUER_CERT: ['nobody whom this host trusts signed its certificate', GIVE_CA],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['nobody whom this host trusts signed its certificate', GIVE_CA],
  CERT_SIGNATURE_FAILURE: ['another CA than that of --ca signed its certificate', GIVE_CA],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'renew it there'],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'check the clocks of both hosts'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another name', 'write the name that the certificate has'],
};

/** Of an error of the connection. */
export function connectionFailure(error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  // With several addresses of a name the last error stands for all.
  const one: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
  if (one instanceof RemoteFailure) return one;
  const code = errnoOf(one) ?? '';
  const known = BY_CODE[code];
  if (known !== undefined) return new RemoteFailure('lost', ...known);
  if (code.startsWith('HPE_'))
    return new RemoteFailure('lost', 'what answers there does not speak HTTP', CHECK_ADDRESS);
  if (/^(ERR_SSL_|ERR_TLS_|CERT_)/.test(code))
    return new RemoteFailure('lost', `TLS failed (${code})`, 'check its certificate');
  return new RemoteFailure(
    'lost',
    `the connection failed (${code === '' ? 'no reason given' : saidText(code)})`,
    CHECK_ADDRESS,
  );
}

/** The answer has another form than was asked for. */
export function wrongShape(): RemoteFailure {
  return new RemoteFailure(
    'no',
    'the answer is not one that this version understands',
    'check the address, and that both are of one version',
  );
}

export function tooLarge(bytes: number): RemoteFailure {
  return new RemoteFailure('no', `the answer is larger than ${bytes} bytes`, 'ask for less, with a filter');
}
