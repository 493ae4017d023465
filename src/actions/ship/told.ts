/**
 * By what the document of a call is known again: a document is made, and sent, where this has changed.
 *
 * Nearly every document is made of the dialog, which counts what touches it, and of the counters of its streams. Where
 * analysis has more to say, sentences with times and what other parts of the capture tell, the text itself is compared.
 */
import { hash } from 'node:crypto';
import type { CallStream } from '../../analysis/call.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';

/** Of this length it takes no more memory than a digest. */
const MOST = 64;

/** Of a dialog that was touched so often before it was judged; '' where only the text tells. */
export function stateOf(d: Dialog, touched: number, facts: DialogFacts): string {
  const { streams, media, relay, stunMismatch, icmp, signaling, tags } = facts;
  if (media.hints.length > 0 || relay !== null || stunMismatch !== null || icmp.length > 0 || signaling !== null)
    return '';
  let state = `${touched} ${d.state} ${d.msgCount}`;
  for (const tag of tags) state += ` ${tag}`;
  for (const one of streams) state += heardOf(one);
  return state.length > MOST ? digestOf(state) : state;
}

export function digestOf(text: string): string {
  return hash('sha1', text, 'base64');
}

/** Packets, windows, and what comes from elsewhere: the round trip of RTCP, and whether a relay vouches for the stream. */
function heardOf({ stream, quality }: CallStream): string {
  const vouched = stream.claim?.derived ?? '';
  const roundTrip = stream.rtcp?.roundTrip ?? null;
  return ` ${stream.serial}:${quality.snapshot.packets}:${quality.windows.length}${vouched}${roundTrip?.ms ?? ''}`;
}
