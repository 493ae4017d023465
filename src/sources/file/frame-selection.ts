/**
 * What a second pass over capture files writes: frames by their number, and what runs between two sockets for a time.
 */
import type { EndpointKey } from '../../core/ip.ts';

/** What runs between two sockets over UDP, either way, from one time to another: capture time in microseconds. */
export type MediaFlow = {
  readonly a: EndpointKey;
  readonly b: EndpointKey;
  readonly fromUs: number;
  readonly toUs: number;
  /** Anything but RTP: RTCP beside the media, and STUN. */
  readonly isControl: boolean;
};

export type FrameSelection = {
  /** Of each file the numbers of its frames, counted from 0: each once, in order. */
  readonly ordinals: readonly Float64Array[];
  readonly flows: readonly MediaFlow[];
};
