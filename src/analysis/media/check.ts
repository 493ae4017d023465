/** What a media check is, and what it is given: a call's streams and their surroundings. */
import type { Thresholds } from '../../core/thresholds.ts';
import type { StreamSnapshot } from '../../protocols/rtp/stream-snapshot.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { KeptReport } from '../../store/media/phone-reports.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { UnseenStream } from '../../store/media/unseen-streams.ts';
import type { MediaFindings } from '../findings.ts';
import type { Agreement } from './agreements.ts';
import type { IceVerdict } from './ice-verdict.ts';
import type { MachineSide, Transfer } from './meant-silence.ts';
import type { PathGround } from './path-ground.ts';
import type { Ways } from './ways.ts';

/** What one payload type carried without another in between. */
export type MediaSegment = {
  readonly codec: string | null;
  readonly payloadType: number;
  readonly firstUs: number;
  readonly lastUs: number;
};

/** A stream with the counters that the detections need. */
export type MediaStream = {
  readonly stream: Stream;
  /** What the detections need seldom. */
  readonly snapshot: Pick<StreamSnapshot, 'octets' | 'tsStep' | 'payloadTypes' | 'others' | 'duplicates'>;
  readonly packets: number;
  /** By sequence number, between its first and its last packet: what a receiver counts, also during a hold. */
  readonly expected: number;
  readonly lost: number;
  /** Highest sequence number, which comes with its last packets. */
  readonly lastSequence: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly codec: string | null;
  readonly payloadType: number;
  /** How many packets each type carried. */
  readonly payloadTypes: readonly { readonly payloadType: number; readonly packets: number }[];
  /** Where the payload type changed; none where it never did. */
  readonly segments: readonly MediaSegment[];
  /** Packet time; 0 while unknown. */
  readonly packetMs: number;
  readonly comfortNoisePackets: number;
  /** What its packets had as payload (SOUND of stream-layout.ts); where they are all one octet, which. */
  readonly sound: number;
  readonly octet: number;
  readonly hasKeys: boolean;
  /** Silences its sender made: the sequence continued after them. */
  readonly pauses: number;
  /** Two sources send as one. */
  readonly isMixed: boolean;
  /** A stream of another call that named the same sockets ran the other way meanwhile. */
  readonly hasReverse: boolean;
};

/** What the capture as a whole says about a call's media. */
export type MediaContext = {
  /** A source runs that would bring the call's RTP if it came past: a HEP mirror brings none. */
  readonly isRtpCaptured: boolean;
  /** Capture clock when a stream was last refused because the table was full; NaN never. */
  readonly refusedUs: number;
  /** Whether media that was agreed so would come past here: only where the path is open silence proves something. */
  readonly pathGround: (agreement: Agreement<SdpEntry>) => PathGround;
  /** Another call that named the same sockets has media there: nobody can say whose it is. Asked only where some is missing. */
  readonly sharesMedia: () => boolean;
  /** Call-ID of another leg of the call that has media; null without one. Asked only where it is silent. */
  readonly linkedMedia: () => string | null;
  /** Keys may have come another way than in a=crypto: a fingerprint, MIKEY or ZRTP. Asked only where SRTP is in doubt. */
  readonly hasOtherKeys: () => boolean;
  /** What its connectivity checks came to. Asked only where it is silent. */
  readonly ice: () => IceVerdict;
  /** The same of what one host asked. Asked only where it gets media and sends none. */
  readonly iceOf: (host: string) => IceVerdict;
  /** Sides that are machines, and transfers that were accepted. Asked only where media stopped or runs one way. */
  readonly machines: () => readonly MachineSide[];
  readonly transfers: () => readonly Transfer[];
  /** One side is a conference, where many listen alone. Asked only where a direction is silent. */
  readonly isConference: () => boolean;
  /** The source that brought the stream had ended by then, though that of the signaling had not. */
  readonly isTapOver: (stream: MediaStream, atUs: number) => boolean;
  /** When the 2xx of the call was acknowledged; NaN when no ACK was seen. Asked only where media is late. */
  readonly ackUs: () => number;
  /** Capture clock in microseconds. */
  readonly nowUs: number;
  /** Streams of the call that only RTCP speaks of. */
  readonly unseen: readonly UnseenStream[];
  /** What phones and agents reported of its media. */
  readonly reports: () => readonly KeptReport[];
  /** Number of the message of this time; null where none is kept. */
  readonly messageAt: (us: number) => number | null;
  readonly thresholds: Thresholds;
};

/** A call's media, as the checks see it. */
export type MediaCase = MediaContext & {
  readonly d: Dialog;
  readonly streams: readonly MediaStream[];
  /** Those that began before the call ended: what begins later is left over, or the next call's. */
  readonly during: readonly MediaStream[];
  /** Of those, audio that a description named. */
  readonly audio: readonly MediaStream[];
  /** The ways that `audio` runs. */
  readonly ways: Ways<MediaStream>;
};

export type MediaCheck = (c: MediaCase, found: MediaFindings) => void;
