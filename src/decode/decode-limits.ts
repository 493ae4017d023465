/** Caps of the decode layer: nothing that hostile traffic can feed grows beyond them. */

/**
 * Datagrams under reassembly at a time; the oldest is given up first.
 *
 * @cap memory 0 MiB, fragments_evicted: datagrams under reassembly, in the bytes of `FRAGMENT_MAX_BYTES`
 */
const FRAGMENT_MAX_DATAGRAMS = 1_024;

/**
 * Bytes held over all datagrams, the cost of keeping each fragment included.
 *
 * @cap memory 16 MiB, fragments_evicted: fragments of datagrams
 */
const FRAGMENT_MAX_BYTES = 16 * 1024 * 1024;

/** Fragments of one datagram. @cap */
const FRAGMENT_MAX_FRAGMENTS_PER_DATAGRAM = 256;

/** Capture time a datagram may take, from its first fragment. @cap fragment_timeouts */
const FRAGMENT_TIMEOUT_US = 30_000_000;

/** Capture time for which copies of a finished datagram's fragments are recognised. @cap */
const FRAGMENT_DUPLICATE_WINDOW_US = 2_000_000;

/**
 * TCP connections under reassembly at a time.
 *
 * @cap memory 56 MiB, tcp_evicted: TCP connections, about 3.5 KiB each
 */
const TCP_MAX_CONNECTIONS = 16_384;

/**
 * Bytes buffered over all connections, bookkeeping of buffered segments included.
 *
 * @cap memory 24 MiB, tcp_evicted: bytes that wait for those in front of them
 */
const TCP_MAX_TOTAL_BYTES = 24 * 1024 * 1024;

/** A hole is given up when more than this many bytes or segments wait after it, or for this long. @cap tcp_gaps */
const TCP_WINDOW_BYTES = 64 * 1024;
const TCP_WINDOW_SEGMENTS = 64;
const TCP_WINDOW_US = 2_000_000;

/** A segment this far after the expected sequence number is no retransmission: the tuple was reused. @cap */
const TCP_MAX_BACKWARD_BYTES = 1024 * 1024;

/** Start line and headers of one SIP message on a stream, and its body. @cap tcp_message_too_long */
const TCP_MAX_HEADER_BYTES = 64 * 1024;
const TCP_MAX_BODY_BYTES = 96 * 1024;

/** HTTP header block of a WebSocket handshake. @cap */
const TCP_MAX_HANDSHAKE_BYTES = 16 * 1024;

/** One WebSocket message, over all its frames and after inflation. @cap */
const TCP_MAX_WEB_SOCKET_MESSAGE_BYTES = 128 * 1024;

/** Bytes that match nothing before the direction is no longer looked into. @cap */
const TCP_MAX_UNKNOWN_BYTES = 64 * 1024;

/** Capture time that partial data is kept without progress. @cap tcp_timeouts */
const TCP_IDLE_TIMEOUT_US = 30_000_000;

/** Capture time a finished connection is remembered, so that late copies are not taken for new data. @cap */
const TCP_CLOSED_LINGER_US = 60_000_000;

export const FRAGMENT_LIMITS = {
  maxDatagrams: FRAGMENT_MAX_DATAGRAMS,
  maxBytes: FRAGMENT_MAX_BYTES,
  maxFragmentsPerDatagram: FRAGMENT_MAX_FRAGMENTS_PER_DATAGRAM,
  timeoutUs: FRAGMENT_TIMEOUT_US,
  duplicateWindowUs: FRAGMENT_DUPLICATE_WINDOW_US,
};
export type FragmentLimits = Readonly<typeof FRAGMENT_LIMITS>;

export const TCP_LIMITS = {
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
export type TcpLimits = Readonly<typeof TCP_LIMITS>;
