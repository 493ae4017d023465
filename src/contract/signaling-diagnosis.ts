/**
 * Signaling diagnosis: seven detections that are always checked (null = checked, nothing found) and two that
 * are omitted when they could not run.
 */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, Evidence, IntegerOrNull, named, ref, refOrNull, StringOrNull } from './schema.ts';

/** Three digits as they stood in a status line, whether RFC 3261 knows their class or not. */
const StatusCode = Type.Integer({ minimum: 0, maximum: 999 });

export const FinalFailure = named(
  'FinalFailure',
  Type.Object({
    code: StatusCode,
    reason_phrase: Type.String(),
    evidence: Evidence,
    reason_header: Type.Optional(StringOrNull),
    warning: Type.Optional(StringOrNull),
  }),
);
export type FinalFailure = Static<typeof FinalFailure>;

export const AuthLoop = named(
  'AuthLoop',
  Type.Object({
    kind: Type.Enum(['credential_failure', 'silent_drop']),
    challenges: Count,
    evidence: Evidence,
  }),
);
export type AuthLoop = Static<typeof AuthLoop>;

export const Retransmissions = named(
  'Retransmissions',
  Type.Object({
    method: Type.String(),
    count: Count,
    span_sec: Type.Number({ minimum: 0 }),
    evidence: Evidence,
    icmp_cause: Type.Optional(Type.String()),
  }),
);
export type Retransmissions = Static<typeof Retransmissions>;

export const AckMissing = named(
  'AckMissing',
  Type.Object({
    waited_sec: Type.Number({ minimum: 0 }),
    answer_transmissions: Count,
    evidence: Evidence,
  }),
);
export type AckMissing = Static<typeof AckMissing>;

export const Abandoned = named(
  'Abandoned',
  Type.Object({
    kind: Type.Enum(['canceled', 'no_final_response']),
    elapsed_sec: Type.Number({ minimum: 0 }),
    evidence: Evidence,
  }),
);
export type Abandoned = Static<typeof Abandoned>;

export const PostDialDelay = named(
  'PostDialDelay',
  Type.Object({
    delay_sec: Type.Number({ minimum: 0 }),
    threshold_sec: Type.Number({ minimum: 0 }),
    responded_with: StatusCode,
    evidence: Evidence,
  }),
);
export type PostDialDelay = Static<typeof PostDialDelay>;

export const RegistrationFailure = named(
  'RegistrationFailure',
  Type.Object({
    kind: Type.Enum(['rejected', 'shortened_expiry']),
    code: StatusCode,
    evidence: Evidence,
    requested_expiry_sec: Type.Optional(IntegerOrNull),
    granted_expiry_sec: Type.Optional(IntegerOrNull),
  }),
);
export type RegistrationFailure = Static<typeof RegistrationFailure>;

/** Present only on a capture holding ICMP. */
export const IcmpUnreachable = named(
  'IcmpUnreachable',
  Type.Object({
    description: Type.String(),
    icmp_type: Type.Integer({ minimum: 0, maximum: 255 }),
    icmp_code: Type.Integer({ minimum: 0, maximum: 255 }),
    unreachable_endpoint: Type.String({ description: 'The socket that did not answer.' }),
    reported_by: Type.String({ description: 'The router or host that reported it; not the fault.' }),
    errors: Type.Integer({ minimum: 1 }),
    truncated: Type.Boolean({ description: 'The quote was a prefix of the datagram.' }),
    evidence: Evidence,
    method: Type.Optional(StringOrNull),
  }),
);
export type IcmpUnreachable = Static<typeof IcmpUnreachable>;

/** A message that only one of the sources carried. */
export const OneSidedMessage = named('OneSidedMessage', Type.Object({ summary: Type.String(), index: Count }));

export const SdpDifference = named(
  'SdpDifference',
  Type.Object({
    summary: Type.String(),
    mirror: Type.Array(Type.String()),
    wire: Type.Array(Type.String()),
    mirror_index: Count,
    wire_index: Count,
  }),
);

/** Present only when two capture sources both carried the call. A finding to investigate, not a verdict. */
export const SourceDisagreement = named(
  'SourceDisagreement',
  Type.Object({
    agreed: Count,
    evidence: Evidence,
    mirror_only: Type.Array(ref(OneSidedMessage)),
    wire_only: Type.Array(ref(OneSidedMessage)),
    sdp_differs: Type.Array(ref(SdpDifference)),
  }),
);
export type SourceDisagreement = Static<typeof SourceDisagreement>;

export const SignalingDiagnosis = named(
  'SignalingDiagnosis',
  Type.Object({
    hints: Type.Array(Type.String()),
    final_failure: refOrNull(FinalFailure),
    auth_loop: refOrNull(AuthLoop),
    retransmissions: refOrNull(Retransmissions),
    ack_missing: refOrNull(AckMissing),
    abandoned: refOrNull(Abandoned),
    post_dial_delay: refOrNull(PostDialDelay),
    registration_failure: refOrNull(RegistrationFailure),
    icmp_unreachable: Type.Optional(ref(IcmpUnreachable)),
    source_disagreement: Type.Optional(ref(SourceDisagreement)),
  }),
);
export type SignalingDiagnosis = Static<typeof SignalingDiagnosis>;
