/**
 * Reports what goes wrong with a host that calltap sends to: once, in plain words. calltap tries the host again after a
 * while.
 */

/** Tells each trouble once when it begins, and once when none is left. */
export class OnceTold {
  readonly #tell: (reason: string | null) => void;
  readonly #begun = new Set<string>();

  constructor(tell: (reason: string | null) => void) {
    this.#tell = tell;
  }

  /** Null: it is over. `of` tells troubles apart that may be there at once. */
  tell(reason: string | null, of = ''): void {
    if (reason === null) {
      if (this.#begun.delete(of) && this.#begun.size === 0) this.#tell(null);
    } else if (!this.#begun.has(of)) {
      this.#begun.add(of);
      this.#tell(reason);
    }
  }
}

/**
 * Milliseconds to wait before the next try after `tries` others: between half of a time that doubles and all of it, so that not
 * all agents come at once.
 */
export function backOffMs(tries: number, firstMs: number, mostMs: number): number {
  const ms = Math.min(firstMs * 2 ** Math.min(tries, 20), mostMs);
  return ms / 2 + Math.random() * (ms / 2);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'the host cannot be resolved',
  EAI_AGAIN: 'the host cannot be resolved',
  ETIMEDOUT: 'it does not answer in time',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
};
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_SIGNATURE_FAILURE)/;

/** Why a host cannot be sent to, by the code of an error; `caOption` is the option that names a CA for it. */
export function troubleOf(code: string, caOption: string): string {
  if (UNTRUSTED.test(code)) return `nobody whom ${caOption} names, or this host trusts, signed its certificate`;
  return REASONS[code] ?? `it cannot be reached (${code})`;
}
