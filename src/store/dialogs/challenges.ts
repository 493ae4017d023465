/**
 * What the parties of a dialog were challenged for and with what they answered: tells a demand for credentials from a
 * refusal of those that were given (RFC 3261 section 22).
 *
 * Kept beside the dialog as hashes, and apart from its messages: a phone registers for days under one Call-ID.
 */
import { hashBytes } from '../../core/hash.ts';
import { MAX_CHALLENGES } from '../../core/limits.ts';
import type { ProtectionSpace } from '../../protocols/sip/digest.ts';
import { protectionSpaces } from '../../protocols/sip/digest.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { Challenge } from './challenge.ts';
import type { Dialog } from './dialog.ts';

/** A request of `d` that carries credentials. */
export function useCredentials(d: Dialog, buf: Buffer, scan: SipScan): void {
  if (d.challenge === null) return;
  for (const space of protectionSpaces(buf, scan)) {
    const asked = find(d.challenge, hashText(space.realm), hashText(space.nonce));
    if (asked === null) continue;
    asked.usedCseq = scan.cseq;
    asked.usedMethod = scan.method;
  }
}

/** A 2xx: what its request used is right. */
export function acceptCredentials(d: Dialog, scan: SipScan): void {
  for (let c = d.challenge; c !== null; c = c.next) if (isAbout(scan, c)) c.isAccepted = true;
}

/** A 401 or 407. True when it refuses the credentials that its request gave for the realm's last challenge. */
export function challengeAgain(d: Dialog, buf: Buffer, scan: SipScan): boolean {
  const spaces = protectionSpaces(buf, scan);
  if (spaces.length === 0) return false;
  const isRefusal = spaces.some((space) => !space.isStale && isWrong(d.challenge, hashText(space.realm), scan));
  d.challenge = replaced(d.challenge, spaces);
  return isRefusal;
}

function isWrong(first: Challenge | null, realm: number, response: SipScan): boolean {
  for (let c = first; c !== null; c = c.next)
    if (c.realm === realm && isAbout(response, c) && !c.isAccepted) return true;
  return false;
}

/** Whether a response answers the newest request that used the challenge. */
function isAbout(response: SipScan, c: Challenge): boolean {
  return c.usedCseq === response.cseq && c.usedMethod === response.cseqMethod;
}

/** What is asked for once `spaces` came: they take the place of all that their realms asked for before. */
function replaced(first: Challenge | null, spaces: readonly ProtectionSpace[]): Challenge | null {
  const kept: Challenge[] = [];
  const realms = new Set<number>();
  for (const space of spaces) {
    const realm = hashText(space.realm);
    const nonce = hashText(space.nonce);
    realms.add(realm);
    if (!kept.some((c) => c.realm === realm && c.nonce === nonce))
      kept.push(find(first, realm, nonce) ?? new Challenge(realm, nonce, null));
  }
  for (let c = first; c !== null; c = c.next) if (!realms.has(c.realm)) kept.push(c);
  kept.length = Math.min(kept.length, MAX_CHALLENGES);
  kept.forEach((c, i) => {
    c.next = kept[i + 1] ?? null;
  });
  return kept[0] ?? null;
}

function find(first: Challenge | null, realm: number, nonce: number): Challenge | null {
  for (let c = first; c !== null; c = c.next) if (c.realm === realm && c.nonce === nonce) return c;
  return null;
}

function hashText(text: string): number {
  const bytes = Buffer.from(text, 'latin1');
  return hashBytes(bytes, 0, bytes.length);
}
