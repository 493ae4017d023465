/**
 * Everything that analysis can find in one call: the vocabulary of its judges, and what views show. What the signaling
 * shows has its types beside the detections.
 */
import type { StunSdpMismatch } from '../contract/index.ts';
import type { EndpointKey } from '../core/ip.ts';
import type { RecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import type { IcmpFlow } from '../store/icmp/icmp-media.ts';
import type { Hint } from './hint.ts';
import type { SignalingFindings } from './signaling/diagnose.ts';

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
  /** What the media shows, and what the signaling proves that `/v1` has no word for. */
  hints: Hint[];
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
