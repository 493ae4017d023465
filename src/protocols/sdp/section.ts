/** A description while it is read: the session level and one media section, filled line by line. */

import type { Direction, RtpMap, SdpCandidate, SdpConnection, SdpCrypto, SdpMedia } from './model.ts';
import type { SDP_NOTE } from './notes.ts';

// Most sections have none of these; they share one empty list that is replaced by the first entry and never written.
const NO_TEXTS: readonly string[] = [];
const NO_NUMBERS: readonly number[] = [];
const NO_CRYPTO: readonly SdpCrypto[] = [];
const NO_CANDIDATES: readonly SdpCandidate[] = [];
const NO_FMTP = new Map<number, string>();

export class SessionSection {
  origin = '';
  sessionId = '';
  sessionVersion = '';
  connection: SdpConnection | null = null;
  direction: Direction = 'sendrecv';
  bundle: readonly string[] = NO_TEXTS;
  hasFingerprint = false;
  iceUfrag: string | null = null;
  hasVersion = false;
  hasOrigin = false;
  hasName = false;
  hasTiming = false;
  hasMediaLine = false;
  notes = 0;
  badLines = 0;

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

/** Media level; what the session level said before the m= line is the default. */
export class MediaSection implements SdpMedia {
  readonly type: string;
  readonly port: number;
  readonly portCount: number;
  readonly proto: string;
  readonly formats: string[] = [];
  connection: SdpConnection | null;
  hasOwnConnection = false;
  direction: Direction;
  readonly rtpmaps: RtpMap[] = [];
  fmtp: Map<number, string> = NO_FMTP;
  ptimeMs: number | null = null;
  maxPtimeMs: number | null = null;
  rtcpPort: number | null = null;
  rtcpAddress: string | null = null;
  rtcpMux = false;
  candidates: readonly SdpCandidate[] = NO_CANDIDATES;
  cryptoSuites: readonly string[] = NO_TEXTS;
  crypto: readonly SdpCrypto[] = NO_CRYPTO;
  hasFingerprint: boolean;
  iceUfrag: string | null;
  ssrcs: readonly number[] = NO_NUMBERS;
  mid: string | null = null;
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
