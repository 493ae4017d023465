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
