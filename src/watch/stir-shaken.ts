/**
 * `--stir-shaken`: one line in the capture log for each Identity token of an INVITE. The status is NotChecked, or Expired
 * when the token was issued more than 60 s from when the packet was captured (RFC 8224 section 6.2.2); no signature is
 * checked, and nothing of it is in any document.
 */

import * as METHOD from '../core/methods.ts';
import type { Observer } from '../ingest/observer.ts';
import { parseIdentity } from '../protocols/sip/identity.ts';
import { parseSip } from '../protocols/sip/message.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';

/** Identity tokens of one message. @cap */
const MAX_IDENTITY_TOKENS = 8;

/** Says a line for each token. */
export function stirShakenLog(say: (line: string) => void): Observer {
  return {
    onMessage(buf, start, end, scan, { tsUs }) {
      for (const line of stirShakenLines(buf.subarray(start, end), scan, tsUs)) say(line);
    },
  };
}

export const FRESH_SEC = 60;

export type StirStatus = 'NotChecked' | 'Expired';

/** Expired when the claim lies further from the packet's time than that, before or after it. */
export function freshness(issuedAtSec: number | null, packetUs: number): StirStatus {
  if (issuedAtSec === null) return 'NotChecked';
  return Math.abs(packetUs / 1e6 - issuedAtSec) > FRESH_SEC ? 'Expired' : 'NotChecked';
}

/** The lines for one message; none for what is no INVITE or has no Identity. */
export function stirShakenLines(bytes: Uint8Array, scan: SipScan, packetUs: number): string[] {
  if (!scan.isRequest || scan.method !== METHOD.INVITE) return [];
  const parsed = parseSip(bytes, 0, bytes.length);
  if (!parsed.ok) return [];
  const callId = quoted(parsed.value.headersNamed('call-id')[0]?.value ?? '');
  return parsed.value
    .headersNamed('identity')
    .slice(0, MAX_IDENTITY_TOKENS)
    .map(({ value }) => {
      const identity = parseIdentity(value);
      if (!identity.ok) return `STIR/SHAKEN NotChecked call_id=${callId} unreadable=${identity.reason}`;
      const { ppt, attest, originator, destinations, issuedAtSec } = identity.value;
      const facts = [
        ['ppt', ppt],
        ['attest', attest],
        ['orig', originator],
        ['dest', destinations.length === 0 ? null : destinations.join(',')],
        ['iat', issuedAtSec === null ? null : String(issuedAtSec)],
      ] as const;
      const known = facts.flatMap(([name, said]) => (said === null ? [] : [`${name}=${quoted(said)}`]));
      return [`STIR/SHAKEN ${freshness(issuedAtSec, packetUs)}`, `call_id=${callId}`, ...known].join(' ');
    });
}

/** Everything in a token is the sender's: in here it can neither end the line nor speak to a terminal. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, '?');
}
