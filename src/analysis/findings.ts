/**
 * Everything that analysis can find in one call: the vocabulary of its judges, and what views show. `evidence` holds
 * indices into the dialog's own messages.
 */
import type { StunSdpMismatch } from '../contract/index.ts';
import type { EndpointKey } from '../core/ip.ts';
import type { RecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import type { IcmpFlow } from '../store/icmp/icmp-media.ts';

export type CallFindings = {
  media: MediaFindings;
  relay: MediaRelay | null;
  stunMismatch: StunMismatch | null;
  icmp: readonly IcmpFinding[];
  signaling: SignalingFindings | null;
  recording: RecordingMetadata | null;
  tags: readonly string[];
};

export type MediaFindings = {
  oneWayAudio: boolean;
  natMismatch: boolean;
  noMedia: boolean;
  /** A direction died while the call continued. */
  mediaStopped: boolean;
  privateMediaAddress: boolean;
  hints: string[];
};

export type MediaRelay = {
  readonly client: EndpointKey;
  readonly server: EndpointKey;
  readonly channel: number;
  readonly peer: EndpointKey | null;
  readonly relayed: EndpointKey | null;
  /** When the allocation lapsed although the call continued; NaN when it did not. */
  readonly lapsedUs: number;
};

export type StunMismatch = {
  readonly client: EndpointKey;
  readonly server: EndpointKey;
  readonly mapped: EndpointKey | null;
  readonly relayed: EndpointKey | null;
  /** What the SDP named instead, `<address>:<port>`. */
  readonly advertised: string;
  readonly requests: number;
  readonly reason: StunSdpMismatch['reason'];
};

export type IcmpFinding = {
  readonly flow: IcmpFlow;
  readonly description: string;
  /** Media of the running call could not be delivered. */
  readonly isFault: boolean;
  readonly hint: string;
};

export type SignalingFindings = {
  readonly finalFailure: FinalFailure | null;
  readonly authLoop: AuthLoop | null;
  readonly retransmissions: Retransmissions | null;
  readonly ackMissing: AckMissing | null;
  readonly abandoned: Abandoned | null;
  readonly postDialDelay: PostDialDelay | null;
  readonly registrationFailure: RegistrationFailure | null;
  readonly icmpUnreachable: IcmpUnreachable | null;
  /** Null where one source carried the call, or both agree. */
  readonly sourceDisagreement: SourceDisagreement | null;
  /** A sentence for each finding, in the order of the fields. */
  readonly hints: string[];
};

export type FinalFailure = {
  code: number;
  reasonPhrase: string;
  reasonHeader: string | null;
  warning: string | null;
  /** A challenge that nobody gave credentials for. */
  isUnanswered: boolean;
  evidence: number[];
};

export type RegistrationFailure = {
  kind: 'rejected' | 'shortened_expiry';
  code: number;
  requestedExpirySec: number | null;
  grantedExpirySec: number | null;
  /** How long the binding had ended when the phone came back; null where that is not the fault. */
  lateSec: number | null;
  evidence: number[];
};

export type AuthLoop = { kind: 'credential_failure' | 'silent_drop'; challenges: number; evidence: number[] };

export type Retransmissions = {
  method: string;
  count: number;
  spanSec: number;
  /** What ICMP said of the same messages; null when it said nothing. */
  icmpCause: string | null;
  evidence: number[];
};

export type AckMissing = {
  waitedSec: number;
  answerTransmissions: number;
  /** Where an ACK went that did not go to who sent the answer; null without one. */
  strayedTo: string | null;
  evidence: number[];
};

export type Abandoned = {
  kind: 'canceled' | 'no_final_response';
  elapsedSec: number;
  /** Who sent CANCEL; null where nobody did. */
  canceledBy: CanceledBy | null;
  evidence: number[];
};

export type CanceledBy = {
  /** `caller`: the one that sent the first INVITE. `middle`: a proxy or PBX, and the caller did not. */
  side: 'caller' | 'middle' | 'unknown';
  socket: string;
  /** Its Reason header, '' without one. */
  reason: string;
};

export type PostDialDelay = { delaySec: number; thresholdSec: number; respondedWith: number; evidence: number[] };

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

export type OneSided = { summary: string; index: number };

export type SdpDiffers = { summary: string; mirror: string[]; wire: string[]; mirrorIndex: number; wireIndex: number };

export type SourceDisagreement = {
  agreed: number;
  mirrorOnly: OneSided[];
  wireOnly: OneSided[];
  sdpDiffers: SdpDiffers[];
  evidence: number[];
};

export function noMediaFault(): MediaFindings {
  return {
    oneWayAudio: false,
    natMismatch: false,
    noMedia: false,
    mediaStopped: false,
    privateMediaAddress: false,
    hints: [],
  };
}

export function nothingFound(): CallFindings {
  return {
    media: noMediaFault(),
    relay: null,
    stunMismatch: null,
    icmp: [],
    signaling: null,
    recording: null,
    tags: [],
  };
}
