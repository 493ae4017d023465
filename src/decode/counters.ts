/** What the decode layer saw and lost, by reason; every byte that is skipped is in one of these. */

export class DecodeCounters {
  /** TCP connections that got a place in the table. */
  tcpConnections = 0;
  /** Connections given up for a newer one, or whose buffered data was given up, to stay under a cap. */
  tcpEvicted = 0;
  /** Partial data given up for want of progress, per direction. A reassembly timeout. */
  tcpTimeouts = 0;
  /** Segments that brought nothing new. */
  tcpRetransmittedSegments = 0;
  /** Segments of which only a part was new; the bytes seen first are kept. */
  tcpOverlaps = 0;
  tcpOutOfOrder = 0;
  /** Holes that were skipped (reason `tcp_gap`), and the bytes in them. */
  tcpGaps = 0;
  tcpGapBytes = 0;
  /** Times a direction had to look for the next message boundary. */
  tcpResyncs = 0;
  /** Captured payload bytes that became part of no message and are not counted below. */
  tcpBytesIgnored = 0;
  /** CR, LF and NUL between messages (RFC 5626). */
  tcpKeepAliveBytes = 0;
  /** Messages beyond a size cap. */
  tcpMessageTooLong = 0;
  /** Messages cut by a hole in their body, handed out as far as they go. */
  tcpMessagesTruncated = 0;
  /** Messages left unfinished when the connection ended or was replaced. */
  tcpMessagesAborted = 0;
  /** Frames of a message beyond MAX_MESSAGE_FRAMES, where they are kept. */
  messageFramesBeyondCap = 0;
  sipMessages = 0;
  /** SIP messages on a stream without Content-Length; taken as having no body. */
  sipWithoutContentLength = 0;
  wsHandshakes = 0;
  wsFrames = 0;
  wsBadFrames = 0;
  /** Whole SIP messages carried by WebSocket. */
  wsMessages = 0;
  /** WebSocket messages that carried something else, with their bytes. */
  wsOtherMessages = 0;
  wsOtherBytes = 0;
  /** Inflations and all bytes that came out of them, those that failed included. */
  wsInflations = 0;
  wsInflatedBytes = 0;
  wsCompressedInflated = 0;
  wsCompressedUndecodable = 0;
  /** Messages that would have taken more than their direction's share of the work of a second. */
  wsInflateOverBudget = 0;
  /** Messages of connections that neither agreed on SIP nor carried any, after the first few: not inflated. */
  wsCompressedNotSip = 0;
  /** Messages that are empty or too short for a start line: not inflated. */
  wsCompressedEmpty = 0;
  /** Directions that gave up what their messages refer to, to stay under the cap of all. */
  wsContextsEvicted = 0;
  /** Bytes that passed as HTTP handshakes, frame headers and control frames. */
  wsOverheadBytes = 0;
  /** Connections that carry TLS, and their bytes. */
  encryptedFlows = 0;
  encryptedBytes = 0;
  /** SIP found outside its gate: plain on a WebSocket port, or WebSocket on a SIP port. */
  excludedSip = 0;
  excludedWebSocket = 0;

  fragments = 0;
  fragmentsReassembled = 0;
  fragmentsDuplicate = 0;
  /** Fragments that overlap others: IPv4 keeps what came first, IPv6 discards the datagram (RFC 5722). */
  fragmentsOverlapping = 0;
  fragmentDatagramsDiscarded = 0;
  fragmentsMalformed = 0;
  fragmentsSnapped = 0;
  /** Datagrams given up to stay under a cap. */
  fragmentsEvicted = 0;
  /** Datagrams not completed in time. A reassembly timeout. */
  fragmentTimeouts = 0;
  /** Payload bytes of fragments that became part of no datagram. */
  fragmentBytesIgnored = 0;

  /** Reassembly sessions, TCP and IP, that timed out. */
  get reassemblyTimeouts(): number {
    return this.tcpTimeouts + this.fragmentTimeouts;
  }
}
