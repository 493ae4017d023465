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

export const FRAGMENT_LIMITS = {
  /** Datagrams under reassembly at a time; the oldest is given up first. */
  maxDatagrams: FRAGMENT_MAX_DATAGRAMS,
  /** Bytes held over all datagrams, the cost of keeping each fragment included. */
  maxBytes: FRAGMENT_MAX_BYTES,
  maxFragmentsPerDatagram: FRAGMENT_MAX_FRAGMENTS_PER_DATAGRAM,
  /** Capture time a datagram may take, from its first fragment. */
  timeoutUs: FRAGMENT_TIMEOUT_US,
  /** Capture time for which copies of a finished datagram's fragments are recognised. */
  duplicateWindowUs: FRAGMENT_DUPLICATE_WINDOW_US,
};
export type FragmentLimits = Readonly<typeof FRAGMENT_LIMITS>;

export const TCP_LIMITS = {
  maxConnections: TCP_MAX_CONNECTIONS,
  /** Bytes buffered over all connections, bookkeeping of buffered segments included. */
  maxTotalBytes: TCP_MAX_TOTAL_BYTES,
  /** A hole is given up when more than this many bytes or segments wait after it, or for this long. */
  windowBytes: TCP_WINDOW_BYTES,
  windowSegments: TCP_WINDOW_SEGMENTS,
  windowUs: TCP_WINDOW_US,
  /** A segment this far after the expected sequence number is no retransmission: the tuple was reused. */
  maxBackwardBytes: TCP_MAX_BACKWARD_BYTES,
  /** Start line and headers of one SIP message, and its body. */
  maxHeaderBytes: TCP_MAX_HEADER_BYTES,
  maxBodyBytes: TCP_MAX_BODY_BYTES,
  /** HTTP header block of a WebSocket handshake. */
  maxHandshakeBytes: TCP_MAX_HANDSHAKE_BYTES,
  /** One WebSocket message, over all its frames and after inflation. */
  maxWebSocketMessageBytes: TCP_MAX_WEB_SOCKET_MESSAGE_BYTES,
  /** Bytes that match nothing before the direction is no longer looked into. */
  maxUnknownBytes: TCP_MAX_UNKNOWN_BYTES,
  /** Capture time that partial data is kept without progress. */
  idleTimeoutUs: TCP_IDLE_TIMEOUT_US,
  /** Capture time a finished connection is remembered, so that late copies are not taken for new data. */
  closedLingerUs: TCP_CLOSED_LINGER_US,
};
export type TcpLimits = Readonly<typeof TCP_LIMITS>;
