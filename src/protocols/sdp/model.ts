/** The parts of a session description that calls are understood by (RFC 8866, RFC 3264). */

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

/** One m= section. */
export interface SdpMedia {
  /** `audio`, `video`, `image`, … */
  readonly type: string;
  readonly port: number;
  /** Number of ports asked for in `port/count`; 1 without. */
  readonly portCount: number;
  /** `RTP/AVP`, `RTP/SAVPF`, `udptl`, … as written. */
  readonly proto: string;
  readonly formats: readonly string[];
  /** Own c= line, else the session's; null when neither is there. */
  readonly connection: SdpConnection | null;
  readonly hasOwnConnection: boolean;
  readonly direction: Direction;
  readonly rtpmaps: readonly RtpMap[];
  /** Format parameters by payload type, as written. */
  readonly fmtp: ReadonlyMap<number, string>;
  readonly ptimeMs: number | null;
  readonly maxPtimeMs: number | null;
  /** a=rtcp (RFC 3605). */
  readonly rtcpPort: number | null;
  readonly rtcpAddress: string | null;
  /** a=rtcp-mux (RFC 5761). */
  readonly rtcpMux: boolean;
  readonly candidates: readonly SdpCandidate[];
  /** Suites of a=crypto (RFC 4568). The keys are never kept. */
  readonly cryptoSuites: readonly string[];
  /** The same lines as the suites, in their order. */
  readonly crypto: readonly SdpCrypto[];
  readonly hasFingerprint: boolean;
  readonly iceUfrag: string | null;
  /** Sources named by a=ssrc (RFC 5576). */
  readonly ssrcs: readonly number[];
  readonly mid: string | null;
  /** False when port 0 rejects or ends the stream. */
  readonly isActive: boolean;
}

export interface Sdp {
  /** The whole o= value; '' when absent. */
  readonly origin: string;
  readonly sessionId: string;
  readonly sessionVersion: string;
  readonly connection: SdpConnection | null;
  readonly direction: Direction;
  /** Mids that share one transport (a=group:BUNDLE, RFC 9143). */
  readonly bundle: readonly string[];
  readonly media: readonly SdpMedia[];
  readonly notes: number;
  /** Lines that could not be read. */
  readonly badLines: number;
}
