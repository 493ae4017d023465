/**
 * Which side of its dialog wrote the From of a message: the one that opened the dialog, or the other.
 *
 * Its tag tells (RFC 3261 section 12). There are servers that copy the caller's tag into To; with them the users tell.
 */
import { stringOf } from '../../core/byte-text.ts';
import { hashRange } from '../../core/hash.ts';
import { Party } from '../../protocols/sip/address.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Dialog } from './dialog.ts';

const party = new Party();

/** A request comes from this side, a response goes to it. */
export function isOfOpener(d: Dialog, buf: Uint8Array, scan: SipScan): boolean {
  if (hashRange(buf, scan.fromTagStart, scan.fromTagEnd) !== d.openerTagHash) return false;
  if (!areTagsEqual(buf, scan)) return true;
  party.read(buf, scan.fromStart, scan.fromEnd);
  const name = stringOf(party.user) || party.place;
  return name === d.from || name !== d.to;
}

function areTagsEqual(buf: Uint8Array, { fromTagStart, fromTagEnd, toTagStart, toTagEnd }: SipScan): boolean {
  const length = fromTagEnd - fromTagStart;
  if (toTagStart < 0 || fromTagStart < 0 || toTagEnd - toTagStart !== length) return false;
  for (let i = 0; i < length; i++) if (buf[fromTagStart + i] !== buf[toTagStart + i]) return false;
  return true;
}
