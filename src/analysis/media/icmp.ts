/**
 * What ICMP said about a call's media: each flow it quoted, whether that is a fault, and a sentence for it.
 *
 * A peer that has hung up closes its sockets, and many never open one for RTCP: errors about either are no fault.
 */

import { endpointKeyText } from '../../core/ip.ts';
import { icmpDescription } from '../../decode/icmp.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IcmpFlow } from '../../store/icmp/icmp-media.ts';
import type { JudgedCall } from '../call.ts';
import type { CallFindings, IcmpFinding } from '../findings.ts';

/** Media on its way when the call ended still arrives this long after. */
const TAIL_US = 200_000;

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
    const isFault = isMedia && !isAfter && flow.errors >= leastErrors;
    return { flow, description, isFault, hint: hintOf(flow, description, isAfter) };
  });
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
