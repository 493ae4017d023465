/**
 * Remembers what the parties of a dialog were challenged for, and what they answered. This tells a request for credentials
 * from a refusal of the given ones (RFC 3261 section 22).
 *
 * The hashes lie beside the dialog, apart from its messages: a phone registers for days under one Call-ID.
 */
import { hashBytes } from '../../core/hash.ts';
import type { ProtectionSpace } from '../../protocols/sip/digest.ts';
import { MAX_CHALLENGES, protectionSpaces } from '../../protocols/sip/digest.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Challenge } from './call-marks.ts';
import type { Dialog } from './dialog.ts';

/** A request of `d` that carries credentials. */
export function useCredentials(d: Dialog, buf: Buffer, scan: SipScan): void {
  if (d.challenges === null) return;
  for (const space of protectionSpaces(buf, scan)) {
    const asked = find(d.challenges, hashText(space.realm), hashText(space.nonce));
    if (asked === undefined) continue;
    asked.usedCseq = scan.cseq;
    asked.usedMethod = scan.method;
  }
}

/** A 2xx: what its request used is right. */
export function acceptCredentials(d: Dialog, scan: SipScan): void {
  for (const c of d.challenges ?? []) if (isAbout(scan, c)) c.isAccepted = true;
}

/** A 401 or 407. True when it refuses the credentials that its request gave for the realm's last challenge. */
export function challengeAgain(d: Dialog, buf: Buffer, scan: SipScan): boolean {
  const spaces = protectionSpaces(buf, scan);
  if (spaces.length === 0) return false;
  const before = d.challenges ?? [];
  d.challenges = replaced(before, spaces);
  return spaces.some((space) => !space.isStale && isWrong(before, hashText(space.realm), scan));
}

function isWrong(challenges: readonly Challenge[], realm: number, response: SipScan): boolean {
  return challenges.some((c) => c.realm === realm && isAbout(response, c) && !c.isAccepted);
}

/** Whether a response answers the newest request that used the challenge. */
function isAbout(response: SipScan, c: Challenge): boolean {
  return c.usedCseq === response.cseq && c.usedMethod === response.cseqMethod;
}

/** What is asked for once `spaces` came: they take the place of all that their realms asked for before. */
function replaced(before: readonly Challenge[], spaces: readonly ProtectionSpace[]): Challenge[] {
  const kept: Challenge[] = [];
  const realms = new Set<number>();
  for (const space of spaces) {
    const realm = hashText(space.realm);
    const nonce = hashText(space.nonce);
    realms.add(realm);
    if (find(kept, realm, nonce) === undefined)
      kept.push(find(before, realm, nonce) ?? { realm, nonce, usedCseq: -1, usedMethod: -1, isAccepted: false });
  }
  kept.push(...before.filter((c) => !realms.has(c.realm)));
  return kept.slice(0, MAX_CHALLENGES);
}

function find(challenges: readonly Challenge[], realm: number, nonce: number): Challenge | undefined {
  return challenges.find((c) => c.realm === realm && c.nonce === nonce);
}

function hashText(text: string): number {
  const bytes = Buffer.from(text, 'latin1');
  return hashBytes(bytes, 0, bytes.length);
}
