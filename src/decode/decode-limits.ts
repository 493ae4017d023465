/** Caps of the decode layer: nothing that hostile traffic can feed grows beyond them. */
import {
  FRAGMENT_DUPLICATE_WINDOW_US,
  FRAGMENT_MAX_BYTES,
  FRAGMENT_MAX_DATAGRAMS,
  FRAGMENT_MAX_FRAGMENTS_PER_DATAGRAM,
  FRAGMENT_TIMEOUT_US,
  TCP_CLOSED_LINGER_US,
  TCP_IDLE_TIMEOUT_US,
  TCP_MAX_BACKWARD_BYTES,
  TCP_MAX_BODY_BYTES,
  TCP_MAX_CONNECTIONS,
  TCP_MAX_HANDSHAKE_BYTES,
  TCP_MAX_HEADER_BYTES,
  TCP_MAX_TOTAL_BYTES,
  TCP_MAX_UNKNOWN_BYTES,
  TCP_MAX_WEB_SOCKET_MESSAGE_BYTES,
  TCP_WINDOW_BYTES,
  TCP_WINDOW_SEGMENTS,
  TCP_WINDOW_US,
} from '../core/limits.ts';

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
  maxDatagrams: FRAGMENT_MAX_DATAGRAMS,
  maxBytes: FRAGMENT_MAX_BYTES,
  maxFragmentsPerDatagram: FRAGMENT_MAX_FRAGMENTS_PER_DATAGRAM,
  timeoutUs: FRAGMENT_TIMEOUT_US,
  duplicateWindowUs: FRAGMENT_DUPLICATE_WINDOW_US,
};

export type TcpLimits = {
  readonly maxConnections: number;
  /** Bytes buffered over all connections, bookkeeping of buffered segments included. */
  readonly maxTotalBytes: number;
  /** A hole is given up when more than this many bytes or segments wait after it, or for this long. */
  readonly windowBytes: number;
  readonly windowSegments: number;
  readonly windowUs: number;
  /** A segment this far after the expected sequence number is no retransmission: the tuple was reused. */
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
  maxConnections: TCP_MAX_CONNECTIONS,
  maxTotalBytes: TCP_MAX_TOTAL_BYTES,
  windowBytes: TCP_WINDOW_BYTES,
  windowSegments: TCP_WINDOW_SEGMENTS,
  windowUs: TCP_WINDOW_US,
  maxBackwardBytes: TCP_MAX_BACKWARD_BYTES,
  maxHeaderBytes: TCP_MAX_HEADER_BYTES,
  maxBodyBytes: TCP_MAX_BODY_BYTES,
  maxHandshakeBytes: TCP_MAX_HANDSHAKE_BYTES,
  maxWebSocketMessageBytes: TCP_MAX_WEB_SOCKET_MESSAGE_BYTES,
  maxUnknownBytes: TCP_MAX_UNKNOWN_BYTES,
  idleTimeoutUs: TCP_IDLE_TIMEOUT_US,
  closedLingerUs: TCP_CLOSED_LINGER_US,
};
