/**
 * Signaling findings as the contract shows them: null where a detection ran and found nothing.
 */
import type { SignalingFindings } from '../analysis/signaling/diagnose.ts';
import type { IcmpUnreachable as Unreachable } from '../analysis/signaling/icmp.ts';
import type { SourceDisagreement as Disagreement } from '../analysis/signaling/source-disagreement.ts';
import type { IcmpUnreachable, SignalingDiagnosis, SourceDisagreement } from '../contract/index.ts';

export function toSignalingDiagnosis(f: SignalingFindings): SignalingDiagnosis {
  const doc: SignalingDiagnosis = {
    final_failure:
      f.finalFailure === null
        ? null
        : {
            code: f.finalFailure.code,
            reason_phrase: f.finalFailure.reasonPhrase,
            evidence: f.finalFailure.evidence,
            reason_header: f.finalFailure.reasonHeader,
            warning: f.finalFailure.warning,
          },
    auth_loop:
      f.authLoop === null
        ? null
        : { kind: f.authLoop.kind, challenges: f.authLoop.challenges, evidence: f.authLoop.evidence },
    retransmissions:
      f.retransmissions === null
        ? null
        : {
            method: f.retransmissions.method,
            count: f.retransmissions.count,
            span_sec: f.retransmissions.spanSec,
            evidence: f.retransmissions.evidence,
            ...(f.retransmissions.icmpCause === null ? {} : { icmp_cause: f.retransmissions.icmpCause }),
          },
    ack_missing:
      f.ackMissing === null
        ? null
        : {
            waited_sec: f.ackMissing.waitedSec,
            answer_transmissions: f.ackMissing.answerTransmissions,
            evidence: f.ackMissing.evidence,
          },
    abandoned:
      f.abandoned === null
        ? null
        : { kind: f.abandoned.kind, elapsed_sec: f.abandoned.elapsedSec, evidence: f.abandoned.evidence },
    post_dial_delay:
      f.postDialDelay === null
        ? null
        : {
            delay_sec: f.postDialDelay.delaySec,
            threshold_sec: f.postDialDelay.thresholdSec,
            responded_with: f.postDialDelay.respondedWith,
            evidence: f.postDialDelay.evidence,
          },
    registration_failure:
      f.registrationFailure === null
        ? null
        : {
            kind: f.registrationFailure.kind,
            code: f.registrationFailure.code,
            evidence: f.registrationFailure.evidence,
            requested_expiry_sec: f.registrationFailure.requestedExpirySec,
            granted_expiry_sec: f.registrationFailure.grantedExpirySec,
          },
    hints: f.hints.map(({ text }) => text),
  };
  if (f.icmpUnreachable !== null) doc.icmp_unreachable = toIcmpUnreachable(f.icmpUnreachable);
  if (f.sourceDisagreement !== null) doc.source_disagreement = toSourceDisagreement(f.sourceDisagreement);
  return doc;
}

function toSourceDisagreement(f: Disagreement): SourceDisagreement {
  return {
    agreed: f.agreed,
    evidence: f.evidence,
    mirror_only: f.mirrorOnly,
    wire_only: f.wireOnly,
    sdp_differs: f.sdpDiffers.map((s) => ({
      summary: s.summary,
      mirror: s.mirror,
      wire: s.wire,
      mirror_index: s.mirrorIndex,
      wire_index: s.wireIndex,
    })),
  };
}

function toIcmpUnreachable(f: Unreachable): IcmpUnreachable {
  return {
    description: f.description,
    icmp_type: f.type,
    icmp_code: f.code,
    unreachable_endpoint: f.unreachable,
    reported_by: f.reportedBy,
    errors: f.errors,
    truncated: f.isTruncated,
    evidence: f.evidence,
    method: f.method,
  };
}
