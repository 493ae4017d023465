/**
 * What ICMP said about a call's media: each flow it quoted, whether that is a fault, and a sentence for it.
 *
 * A peer that has hung up closes its sockets, and many never open one for RTCP: errors about either are no fault. Nor are
 * those about a socket that its owner leaves with a new description (RFC 3264 section 8.3.1), around that moment.
 */

import { endpointKeyText } from '../../core/ip.ts';
import { icmpDescription } from '../../decode/icmp.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IcmpFlow } from '../../store/icmp/icmp-media.ts';
import type { JudgedCall } from '../call.ts';
import type { CallFindings, IcmpFinding } from '../findings.ts';
import { socketsIn } from './in-force.ts';

/** Media on its way when the call ended still arrives this long after. */
const TAIL_US = 200_000;
/** A socket is closed so long before its owner describes another one, and is sent to so long after. */
const LEAVING_US = 1_000_000;
const LEFT_US = 2_000_000;

export function judgeIcmpMedia({ d, e }: JudgedCall, found: CallFindings): undefined {
  const { media } = e.stores.icmp;
  if (media.errors === 0) return;
  const findings = icmpFindings(d, media.ofDialog(d), e.rules.thresholds.icmpErrors);
  for (const { isFault, hint } of findings)
    if (isFault) found.media.hints.push({ finding: 'media-refused', text: hint });
  found.icmp = findings;
}

/** `leastErrors` about one flow make it a fault. */
function icmpFindings(d: Dialog, flows: readonly IcmpFlow[], leastErrors: number): IcmpFinding[] {
  return flows.map((flow) => {
    const description = icmpDescription(flow.ipVersion, flow.type, flow.code);
    const isAfter = !Number.isNaN(d.endedUs) && flow.firstUs > d.endedUs - TAIL_US;
    const isMedia = flow.payload === 'rtp' || (flow.payload === 'unread' && flow.attribution === 'flow');
    const isFault = isMedia && !isAfter && flow.errors >= leastErrors && !wasLeft(d, flow);
    return { flow, description, isFault, hint: hintOf(flow, description, isAfter) };
  });
}

/** All its errors came while the owner of the socket moved to another one. */
function wasLeft({ sdp }: Dialog, { dst, firstUs, lastUs }: IcmpFlow): boolean {
  const socket = endpointKeyText(dst);
  const said = (sdp ?? []).filter((e) => !e.isRefused);
  const named = said.findLast((e) => socketsIn(e).has(socket));
  // A proxy's copy of it is none of its owner's.
  const left = said.find(
    (e) => named !== undefined && e.side === named.side && e.sender === named.sender && e.tsUs > named.tsUs,
  );
  return left !== undefined && firstUs > left.tsUs - LEAVING_US && lastUs < left.tsUs + LEFT_US;
}

function hintOf(flow: IcmpFlow, description: string, isAfter: boolean): string {
  const what = { rtp: 'RTP', rtcp: 'RTCP', unread: 'a datagram', not_media: 'a datagram that is not media' }[
    flow.payload
  ];
  const errors = flow.errors === 1 ? 'one error' : `${flow.errors} errors`;
  const said = `${endpointKeyText(flow.dst)} did not get ${what} from ${endpointKeyText(flow.src)}: ${flow.reportedBy} reported "${description}" (${errors}).`;
  if (isAfter) return `${said.slice(0, -1)}, after the call had ended: that is not a fault.`;
  if (flow.payload === 'rtcp') return `${said.slice(0, -1)}; only reports are lost, not the voice.`;
  return said;
}
