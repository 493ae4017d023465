/**
 * Signaling that a host or router said could not be delivered (RFC 792, RFC 4443).
 */

import { times } from '../../core/counted.ts';
import { endpointKeyText } from '../../core/ip.ts';
import { icmpDescription } from '../../decode/icmp.ts';
import type { IcmpNote } from '../../store/icmp/icmp-note.ts';
import { methodName } from '../call-messages.ts';
import type { SignalingCall } from './signaling-call.ts';

export type IcmpUnreachable = {
  description: string;
  type: number;
  code: number;
  /** The socket that did not answer. */
  unreachable: string;
  /** Who said so: another address, and not the fault. */
  reportedBy: string;
  errors: number;
  isTruncated: boolean;
  /** Of the quoted request, or of the request a quoted response answers; null when no quoted message is kept. */
  method: string | null;
  evidence: number[];
};

/** The kind of error that came most often; null when none came. */
export function findIcmp({ d, messages, icmp }: SignalingCall): IcmpUnreachable | null {
  const worst = icmp.reduce<IcmpNote | null>((w, n) => (w === null || n.errors > w.errors ? n : w), null);
  if (worst === null) return null;
  const quoted = messages.filter((m) => worst.rows.includes(m.row));
  const first = quoted[0];
  return {
    description: icmpDescription(worst.ipVersion, worst.type, worst.code),
    type: worst.type,
    code: worst.code,
    unreachable: endpointKeyText(worst.unreachable),
    reportedBy: worst.reportedBy,
    errors: worst.errors,
    isTruncated: worst.isTruncated,
    method: first === undefined ? null : methodName(d, first.method),
    evidence: quoted.map((m) => m.index),
  };
}

export function icmpHint(f: IcmpUnreachable): string {
  const what = f.method === null ? 'Signaling' : f.method;
  return `${what} could not be delivered to ${f.unreachable}: ${f.reportedBy} reported "${f.description}" ${times(f.errors)}.`;
}
