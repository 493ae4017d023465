/**
 * Remembers dialogs that it saw being made (RFC 3261 section 12, RFC 6665 section 4): what is sent within them is no probe.
 *
 * Whoever holds one dialog could send anything under its tags. The sides of a dialog have few addresses, so requests for
 * further users do not count as part of it.
 */
import * as METHOD from '../core/methods.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { RecentMap } from './recent-map.ts';
import { dialogKey } from './transaction.ts';

/** Both sides, and a few hops that write an address of their own. @cap */
const MAX_DIALOG_USERS = 4;

/**
 * Dialogs that the detection knows.
 *
 * @cap memory 34 MiB, security_evicted: with `--kill-scanner`: dialogs, servers and relayed requests that the detection knows
 */
const SECURITY_DIALOGS = 65_536;

const MAKES_DIALOG: ReadonlySet<number> = new Set([
  METHOD.INVITE,
  METHOD.SUBSCRIBE,
  METHOD.REFER,
  METHOD.NOTIFY,
  METHOD.UPDATE,
]);

export class KnownDialogs {
  /** Users that were asked for within the dialog. */
  readonly #dialogs = new RecentMap<readonly number[]>(SECURITY_DIALOGS);

  get evicted(): number {
    return this.#dialogs.evicted;
  }

  /** A response to a request that was seen: a dialog begins with a tag in it, an early one too. */
  onResponse(buf: Buffer, scan: SipScan): void {
    if (scan.status <= 100 || scan.status >= 300 || !MAKES_DIALOG.has(scan.cseqMethod)) return;
    if (scan.status < 200 && scan.cseqMethod !== METHOD.INVITE) return;
    const key = dialogKey(buf, scan);
    if (key !== 0) this.#dialogs.set(key, this.#dialogs.get(key) ?? []);
  }

  /** Whether a request is one of a known dialog. `target` is the hash of the user it is for. */
  accepts(buf: Buffer, scan: SipScan, target: number): boolean {
    const key = dialogKey(buf, scan);
    const users = key === 0 ? undefined : this.#dialogs.get(key);
    if (users === undefined) return false;
    const isKnown = users.includes(target);
    if (!isKnown && users.length >= MAX_DIALOG_USERS) return false;
    this.#dialogs.set(key, isKnown ? users : [...users, target]);
    return true;
  }
}
