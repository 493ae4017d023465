/** What ICMP said about the capture's media, keyed by the quoted datagram's 5-tuple. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, named, ref } from './schema.ts';
import { SsrcText } from './values.ts';

const Octet = Type.Integer({ minimum: 0, maximum: 255 });

/**
 * Run-wide counters. Two invariants hold: attributed + unattributed == errors, and
 * sum(finding.errors) + unkeyed + untracked_flows == errors.
 */
export const IcmpCapture = named(
  'IcmpCapture',
  Type.Object({
    errors: Count,
    media: Count,
    attributed: Count,
    unattributed: Count,
    unkeyed: Count,
    untracked_flows: Count,
    untallied_endpoints: Count,
    flows: Count,
  }),
);

export const IcmpFinding = named(
  'IcmpFinding',
  Type.Object({
    attribution: Type.Enum(['flow', 'ssrc', 'endpoint', 'sdp_endpoint', 'none']),
    source: Type.String(),
    unreachable_endpoint: Type.String(),
    reported_by: Type.String(),
    transport: Type.String(),
    description: Type.String(),
    icmp_type: Octet,
    icmp_code: Octet,
    errors: Type.Integer({ minimum: 1 }),
    payload: Type.Enum(['rtp', 'rtcp', 'unread', 'not_media']),
    streams: Count,
    hint: Type.String(),
    call_ids: Type.Optional(Type.Array(Type.String())),
    payload_type: Type.Optional(Type.Integer({ minimum: 0, maximum: 127 })),
    rtcp_packet_type: Type.Optional(Octet),
    ssrc: Type.Optional(SsrcText),
  }),
);
export type IcmpFinding = Static<typeof IcmpFinding>;

export const IcmpMedia = named(
  'IcmpMedia',
  Type.Object({ capture: ref(IcmpCapture), findings: Type.Array(ref(IcmpFinding)) }),
);
export type IcmpMedia = Static<typeof IcmpMedia>;
