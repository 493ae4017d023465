/**
 * Media diagnosis and what ICMP said of media, as the contract shows them.
 */
import type { IcmpFinding as Finding, MediaFindings, MediaRelay as Relay, StunMismatch } from '../analysis/findings.ts';
import type { Diagnosis, IcmpFinding, IcmpMedia, MediaRelay, StunSdpMismatch } from '../contract/index.ts';
import { endpointKeyText } from '../core/ip.ts';
import type { IcmpKnowledge } from '../store/stores.ts';
import { ssrcText } from './stream-document.ts';

const TRANSPORTS: Readonly<Record<number, string>> = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6', 132: 'sctp' };

export function toDiagnosis(f: MediaFindings, relay: Relay | null, mismatch: StunMismatch | null): Diagnosis {
  const out: Diagnosis = {
    one_way_audio: f.oneWayAudio,
    nat_mismatch: f.natMismatch,
    no_media: f.noMedia,
    private_media_address: f.privateMediaAddress,
    hints: f.hints.map(({ text }) => text),
  };
  if (relay !== null) out.media_relay = toMediaRelay(relay);
  if (mismatch !== null) out.stun_sdp_mismatch = toStunSdpMismatch(mismatch);
  return out;
}

function toMediaRelay(r: Relay): MediaRelay {
  const out: MediaRelay = {
    client: endpointKeyText(r.client),
    server: endpointKeyText(r.server),
    channel: r.channel,
    lapsed: !Number.isNaN(r.lapsedUs),
  };
  if (r.peer !== null) out.peer = endpointKeyText(r.peer);
  if (r.relayed !== null) out.relayed_address = endpointKeyText(r.relayed);
  return out;
}

function toStunSdpMismatch(m: StunMismatch): StunSdpMismatch {
  const out: StunSdpMismatch = {
    client: endpointKeyText(m.client),
    server: endpointKeyText(m.server),
    advertised: m.advertised,
    request_count: m.requests,
    reason: m.reason,
  };
  if (m.mapped !== null) out.mapped_address = endpointKeyText(m.mapped);
  if (m.relayed !== null) out.relayed_address = endpointKeyText(m.relayed);
  return out;
}

/** Null when the capture drew no ICMP error about anything but SIP. */
export function toIcmpMedia(tally: IcmpKnowledge['media'], findings: readonly Finding[]): IcmpMedia | null {
  if (tally.errors === 0) return null;
  const { errors, media, attributed } = tally.totals();
  return {
    capture: {
      errors,
      media,
      attributed,
      unattributed: errors - attributed,
      unkeyed: tally.unkeyed,
      untracked_flows: tally.untrackedFlows,
      untallied_endpoints: tally.untalliedEndpoints,
      flows: tally.flowCount,
    },
    findings: findings.map(toIcmpFinding),
  };
}

function toIcmpFinding({ flow, description, hint }: Finding): IcmpFinding {
  const out: IcmpFinding = {
    attribution: flow.attribution,
    source: endpointKeyText(flow.src),
    unreachable_endpoint: endpointKeyText(flow.dst),
    reported_by: flow.reportedBy,
    transport: TRANSPORTS[flow.protocol] ?? `ip-${flow.protocol}`,
    description,
    icmp_type: flow.type,
    icmp_code: flow.code,
    errors: flow.errors,
    payload: flow.payload,
    streams: flow.streams,
    hint,
  };
  if (flow.dialog !== null) out.call_ids = [flow.dialog.callId];
  if (flow.payloadType !== null) out.payload_type = flow.payloadType;
  if (flow.rtcpType !== null) out.rtcp_packet_type = flow.rtcpType;
  if (flow.ssrc !== null) out.ssrc = ssrcText(flow.ssrc);
  return out;
}
