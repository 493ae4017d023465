/**
 * Tells whether the document of a call may have changed since it was sent: calltap makes and sends one only then.
 *
 * Nearly every document is made of the dialog, which counts what touches it, and of the counters of its streams. If analysis
 * has more to say, sentences with times and what other parts of the capture tell, these are compared too.
 */
import { hash } from 'node:crypto';
import type { CallStream } from '../../analysis/call.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { judgedOf } from '../../view/dialog-document.ts';

/** Of this length it takes no more memory than a digest. */
const MOST = 64;

/** Of a dialog that was touched so often before it was judged. */
export function toldOf(e: Evidence, d: Dialog, touched: number, facts: DialogFacts): string {
  let told = `${touched} ${d.state} ${d.msgCount}`;
  for (const tag of facts.tags) told += ` ${tag}`;
  for (const one of facts.streams) told += heardOf(one);
  const reports = e.stores.reports.of(d).length;
  if (reports > 0) told += ` ${reports}r`;
  if (!isPlain(facts)) told += JSON.stringify(judgedOf(e, d, facts));
  return told.length > MOST ? hash('sha1', told, 'base64') : told;
}

function isPlain({ media, relay, stunMismatch, icmp, signaling }: DialogFacts): boolean {
  const isSound = media.hints.length === 0 && relay === null && stunMismatch === null;
  return isSound && icmp.length === 0 && signaling === null;
}

/** Packets, windows, and what comes from elsewhere: what RTCP says, and whether a relay vouches for the stream. */
function heardOf({ stream, quality }: CallStream): string {
  const vouched = stream.claim?.derived ?? '';
  const { roundTrip = null, voip = null } = stream.rtcp ?? {};
  return ` ${stream.serial}:${quality.snapshot.packets}:${quality.windows.length}${vouched}${roundTrip?.ms ?? ''}${voip === null ? '' : `x${voip.reports}`}`;
}
