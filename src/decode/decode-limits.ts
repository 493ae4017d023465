/** Caps of the decode layer: nothing that hostile traffic can feed grows beyond them. */

export type FragmentLimits = {
  /** Datagrams under reassembly at a time; the oldest is given up first. */
  readonly maxDatagrams: number;
  /** Bytes held over all datagrams, the cost of keeping each fragment included. */
  readonly maxBytes: number;
  readonly maxFragmentsPerDatagram: number;
  /** Capture time a datagram may take, from its first fragment. */
  readonly timeoutUs: number;
  /** Capture time for which copies of a finished datagram's fragments are recognised. */
  readonly duplicateWindowUs: number;
};

export const FRAGMENT_LIMITS: FragmentLimits = {
  maxDatagrams: 1_024,
  maxBytes: 16 * 1024 * 1024,
  maxFragmentsPerDatagram: 256,
  timeoutUs: 30_000_000,
  duplicateWindowUs: 2_000_000,
};

export type TcpLimits = {
  readonly maxConnections: number;
  /** Bytes buffered over all connections, bookkeeping of buffered segments included. */
  readonly maxTotalBytes: number;
  /** A hole is given up when more than this many bytes or segments wait behind it, or for this long. */
  readonly windowBytes: number;
  readonly windowSegments: number;
  readonly windowUs: number;
  /** A segment this far behind the expected sequence number is no retransmission: the tuple was reused. */
  readonly maxBackwardBytes: number;
  /** Start line and headers of one SIP message, and its body. */
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** HTTP header block of a WebSocket handshake. */
  readonly maxHandshakeBytes: number;
  /** One WebSocket message, over all its frames and after inflation. */
  readonly maxWebSocketMessageBytes: number;
  /** Bytes that match nothing before the direction is no longer looked into. */
  readonly maxUnknownBytes: number;
  /** Capture time that partial data is kept without progress. */
  readonly idleTimeoutUs: number;
  /** Capture time a finished connection is remembered, so that late copies are not taken for new data. */
  readonly closedLingerUs: number;
};

export const TCP_LIMITS: TcpLimits = {
  maxConnections: 65_536,
  maxTotalBytes: 64 * 1024 * 1024,
  windowBytes: 64 * 1024,
  windowSegments: 64,
  windowUs: 2_000_000,
  maxBackwardBytes: 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxBodyBytes: 96 * 1024,
  maxHandshakeBytes: 16 * 1024,
  maxWebSocketMessageBytes: 128 * 1024,
  maxUnknownBytes: 64 * 1024,
  idleTimeoutUs: 30_000_000,
  closedLingerUs: 60_000_000,
};

/** A HEP payload after inflation. */
export const HEP_MAX_INFLATED_BYTES = 256 * 1024;
