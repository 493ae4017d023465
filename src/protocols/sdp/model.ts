/** The parts of a session description that calls are understood by (RFC 8866, RFC 3264), filled line by line. */

import type { SDP_NOTE } from './notes.ts';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export interface SdpConnection {
  readonly family: 4 | 6;
  /** Address or host name as written, without TTL and address count. */
  readonly address: string;
}

/** One a=rtpmap (RFC 8866 6.6). */
export interface RtpMap {
  readonly payloadType: number;
  /** As written; compare without case. */
  readonly name: string;
  readonly clockRate: number;
  readonly channels: number;
}

/** One a=candidate (RFC 8839 5.1). */
export interface SdpCandidate {
  readonly address: string;
  readonly port: number;
  readonly component: number;
  /** `host`, `srflx`, `prflx`, `relay`. */
  readonly type: string;
  /** Lower case. */
  readonly transport: string;
}

/** What one a=crypto says of its packets (RFC 4568 section 4). The key is never kept. */
export interface SdpCrypto {
  /** Names the line: the answer repeats that of the line it takes. */
  readonly tag: number;
  /** Bytes of the authentication tag after each payload; null for a suite that is not known. */
  readonly authBytes: number | null;
  /** Bytes of the master key identifier in front of it (RFC 3711 section 3.1). */
  readonly mkiBytes: number;
}

// Most sections have none of these; they share one empty list that is replaced by the first entry and never written.
const NO_TEXTS: readonly string[] = [];
const NO_NUMBERS: readonly number[] = [];
const NO_CRYPTO: readonly SdpCrypto[] = [];
const NO_CANDIDATES: readonly SdpCandidate[] = [];
const NO_BUNDLES: readonly (readonly string[])[] = [];
const NO_FMTP = new Map<number, string>();

/** The session level, and the media descriptions after it. */
export class SessionSection {
  /** The whole o= value; '' when absent. */
  origin = '';
  sessionId = '';
  sessionVersion = '';
  connection: SdpConnection | null = null;
  direction: Direction = 'sendrecv';
  /** Mids that share one transport, group by group (a=group:BUNDLE, RFC 9143). */
  bundles: readonly (readonly string[])[] = NO_BUNDLES;
  readonly media: MediaSection[] = [];
  notes = 0;
  /** Lines that could not be read. */
  badLines = 0;
  hasFingerprint = false;
  iceUfrag: string | null = null;
  hasVersion = false;
  hasOrigin = false;
  hasName = false;
  hasTiming = false;
  hasMediaLine = false;

  /** Whether one line said that this is a session description at all. */
  get hasAnyLine(): boolean {
    return this.hasVersion || this.hasOrigin || this.hasMediaLine;
  }

  /** Counts a line that cannot be read. */
  bad(note: (typeof SDP_NOTE)[keyof typeof SDP_NOTE]): void {
    this.badLines++;
    this.notes |= note;
  }
}

/** One m= section; what the session level said before the m= line is the default. */
export class MediaSection {
  /** `audio`, `video`, `image`, … */
  readonly type: string;
  readonly port: number;
  /** Number of ports asked for in `port/count`; 1 without. */
  readonly portCount: number;
  /** `RTP/AVP`, `RTP/SAVPF`, `udptl`, … as written. */
  readonly proto: string;
  readonly formats: string[] = [];
  /** Own c= line, else the session's; null when neither is there. */
  connection: SdpConnection | null;
  hasOwnConnection = false;
  direction: Direction;
  readonly rtpmaps: RtpMap[] = [];
  /** Format parameters by payload type, as written. */
  fmtp: Map<number, string> = NO_FMTP;
  ptimeMs: number | null = null;
  maxPtimeMs: number | null = null;
  /** a=rtcp (RFC 3605). */
  rtcpPort: number | null = null;
  rtcpAddress: string | null = null;
  /** a=rtcp-mux (RFC 5761). */
  rtcpMux = false;
  candidates: readonly SdpCandidate[] = NO_CANDIDATES;
  /** Suites of a=crypto (RFC 4568). The keys are never kept. */
  cryptoSuites: readonly string[] = NO_TEXTS;
  /** The same lines as the suites, in their order. */
  crypto: readonly SdpCrypto[] = NO_CRYPTO;
  hasFingerprint: boolean;
  iceUfrag: string | null;
  /** Sources named by a=ssrc (RFC 5576). */
  ssrcs: readonly number[] = NO_NUMBERS;
  mid: string | null = null;
  /** a=bundle-only: its port of 0 refuses nothing, for it shares the socket of its group (RFC 9143 section 6). */
  isBundleOnly = false;
  /** False when port 0 rejects or ends the stream. */
  readonly isActive: boolean;

  constructor(session: SessionSection, type: string, port: number, portCount: number, proto: string) {
    this.type = type;
    this.port = port;
    this.portCount = portCount;
    this.proto = proto;
    this.connection = session.connection;
    this.direction = session.direction;
    this.hasFingerprint = session.hasFingerprint;
    this.iceUfrag = session.iceUfrag;
    this.isActive = port !== 0;
  }

  /** Payload types are below 128, which bounds the map. */
  setFmtp(payloadType: number, text: string): void {
    if (this.fmtp === NO_FMTP) this.fmtp = new Map();
    this.fmtp.set(payloadType, text);
  }
}

/** A section as readers see it. */
export type SdpMedia = Readonly<Omit<MediaSection, 'formats' | 'rtpmaps' | 'fmtp' | 'setFmtp'>> & {
  readonly formats: readonly string[];
  readonly rtpmaps: readonly RtpMap[];
  readonly fmtp: ReadonlyMap<number, string>;
};

/** A description as readers see it. */
export type Sdp = Readonly<Omit<SessionSection, 'media' | 'bad'>> & { readonly media: readonly SdpMedia[] };
