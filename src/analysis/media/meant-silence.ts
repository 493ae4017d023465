/**
 * Recognizes silence that the signaling explains: a mailbox, recorder or announcement does not answer what it hears, and an
 * accepted transfer ends the talk (RFC 3515).
 *
 * A machine shows itself by a user or parameter of the called URI (RFC 4240 section 2, RFC 4458), or by a feature tag of its
 * Contact (RFC 3840 section 10, RFC 7866 section 6.1).
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyText, endpointText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import type { SipMessage } from '../../protocols/sip/message.ts';
import { hasParam } from '../../protocols/sip/params.ts';
import type { SipUri } from '../../protocols/sip/uri.ts';
import { parseUri } from '../../protocols/sip/uri.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { CallMessage } from '../call-messages.ts';

export type Machine = 'a mailbox' | 'a recorder' | 'an announcement' | 'a machine';
/** Side 0 opened the call. */
export type MachineSide = { readonly side: 0 | 1; readonly machine: Machine };
/** From the 2xx to a REFER until a NOTIFY says that it failed. */
export type Transfer = { readonly fromUs: number; readonly toUs: number };

/** Messages that are read for the parties of a call, and NOTIFYs for the result of its transfers. @cap */
const MAX_READ = 8;
const MAX_NOTIFIES = 32;

/** Words of a user part, between its ends, dots and dashes: `vm` is one in `vm-2001`, not in `vmiller`. */
const WORDS: readonly (readonly [Machine, RegExp])[] = [
  ['a mailbox', /(?:^|[-_.+])(?:vm|vmail|voice[-_]?mail|mailbox)(?:$|[-_.+\d])/i],
  ['a mailbox', /^\*9[789](?:$|\D)/],
  ['a recorder', /(?:^|[-_.+])(?:record|recorder|recording|srs)(?:$|[-_.+\d])/i],
  ['an announcement', /(?:^|[-_.+])(?:annc|announce|announcements?|playback|moh)(?:$|[-_.+\d])/i],
];

const CONFERENCE = /(?:^|[-_.+])(?:conf|conference|confbridge|meetme|meeting|bridge|webinar)(?:$|[-_.+\d])/i;

/** In the host only what means nothing else: `vm` is a virtual machine too. */
const HOST_WORDS = /(?:^|[-_.])(?:vmail|voice-?mail|mailbox)(?:$|[-_.\d])/i;

/** Which sides are machines, by the INVITEs that opened the call and were answered, and by the answer. */
export function machinesOf(messages: readonly CallMessage[]): MachineSide[] {
  const invites = messages.filter((m) => m.method === METHOD.INVITE && m.isFirst);
  const answer = invites.find(({ status }) => status >= 200 && status < 300);
  const opening = invites.find(({ isRequest }) => isRequest);
  // A call that nobody took may go on to a mailbox: each hop and branch names whom it asked.
  const asked = invites
    .filter((m) => m.isRequest)
    .slice(0, MAX_READ)
    .filter((m) => m.hop.transaction === answer?.hop.transaction);
  const found: MachineSide[] = [];
  const caller = tagged(opening?.parse() ?? null);
  const callee = firstOf([opening, ...asked], calledMachine) ?? tagged(answer?.parse() ?? null);
  if (caller !== null) found.push({ side: 0, machine: caller });
  if (callee !== null) found.push({ side: 1, machine: callee });
  return found;
}

function firstOf(list: readonly (CallMessage | undefined)[], read: (m: SipMessage) => Machine | null): Machine | null {
  for (const one of list) {
    const m = one?.parse() ?? null;
    const found = m === null ? null : read(m);
    if (found !== null) return found;
  }
  return null;
}

function calledMachine(invite: SipMessage): Machine | null {
  const called = parseUri(invite.requestUriText);
  return (called.ok ? machineCalled(called.value) : null) ?? byWords(invite.to?.uri?.userDecoded ?? '');
}

function machineCalled({ params, userDecoded, host }: SipUri): Machine | null {
  if (hasParam(params, 'play')) return 'an announcement';
  // The reason for which the call came to the mailbox of the target (RFC 4458 section 2).
  if (hasParam(params, 'target') && hasParam(params, 'cause')) return 'a mailbox';
  if (hasParam(params, 'voicexml')) return 'a machine';
  return byWords(userDecoded ?? '') ?? (HOST_WORDS.test(host) ? 'a mailbox' : null);
}

function byWords(user: string): Machine | null {
  return WORDS.find(([, words]) => words.test(user))?.[0] ?? null;
}

function tagged(m: SipMessage | null): Machine | null {
  for (const { params } of m?.contacts ?? [])
    for (const { name } of params) {
      const tag = name.toLowerCase();
      if (tag === '+sip.src' || tag === '+sip.srs') return 'a recorder';
      if (tag === 'automata') return 'a machine';
    }
  return null;
}

/** One side says that it is the focus of a conference (RFC 4579 section 5.1), or the called user is named like one. */
export function hasConference(messages: readonly CallMessage[]): boolean {
  const invites = messages.filter((m) => m.method === METHOD.INVITE && m.isFirst);
  const called = parseUri(invites.find(({ isRequest }) => isRequest)?.parse()?.requestUriText ?? '');
  if (called.ok && CONFERENCE.test(called.value.userDecoded ?? '')) return true;
  return invites
    .slice(0, MAX_READ)
    .some((m) => m.parse()?.contacts?.some(({ params }) => hasParam(params, 'isfocus')) === true);
}

/** The transfers of the call that were accepted. */
export function transfersOf(messages: readonly CallMessage[]): Transfer[] {
  const found: { fromUs: number; toUs: number }[] = [];
  let left = MAX_NOTIFIES;
  for (const m of messages) {
    const isAccepted = m.method === METHOD.REFER && m.status >= 200 && m.status < 300 && m.isFirst;
    if (isAccepted) found.push({ fromUs: m.tsUs, toUs: Number.POSITIVE_INFINITY });
    const last = found.at(-1);
    if (last === undefined || m.method !== METHOD.NOTIFY || !m.isRequest || last.toUs < m.tsUs) continue;
    // One that is not read leaves the transfer as it was.
    if (left-- <= 0) return found;
    const body = m.parse()?.body;
    if (body !== undefined && FAILED.test(Buffer.from(body.subarray(0, FAILED_BYTES)).toString('latin1')))
      last.toUs = m.tsUs;
  }
  return found;
}

/** The machine on that side; where the side is not known, on either. */
export function machineOf(machines: readonly MachineSide[], side: 0 | 1 | null): Machine | null {
  return machines.find((m) => side === null || m.side === side)?.machine ?? null;
}

/** Who sends a stream: the other side than named where it goes, or who named where it comes from; null where nobody did. */
export function senderSide(d: Dialog, { srcKey, dstKey }: Stream): 0 | 1 | null {
  const sides = sidesOf(d.sdp ?? []);
  const sideAt = (key: EndpointKey): 0 | 1 | null => sides.get(endpointKeyText(key)) ?? null;
  const receiver = sideAt(dstKey);
  return receiver === null ? sideAt(srcKey) : receiver === 0 ? 1 : 0;
}

/** Who named each socket first: a dialog may have many streams, and each would read each description again. */
const made = new WeakMap<readonly SdpEntry[], ReadonlyMap<string, 0 | 1>>();

function sidesOf(entries: readonly SdpEntry[]): ReadonlyMap<string, 0 | 1> {
  const known = made.get(entries);
  if (known !== undefined) return known;
  const sides = new Map<string, 0 | 1>();
  for (const { media, side, isRefused } of entries)
    for (const { address, port } of media) {
      if (isRefused || address === null) continue;
      const socket = endpointText(address, port);
      if (!sides.has(socket)) sides.set(socket, side === 0 ? 0 : 1);
    }
  made.set(entries, sides);
  return sides;
}

/** The status line of a sipfrag (RFC 3420). */
const FAILED = /^\s*SIP\/2\.0 [3-6]\d\d/;
const FAILED_BYTES = 32;
