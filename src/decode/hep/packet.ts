/** What a HEP packet of any version says; addresses and numbers as read, nothing judged. */

export type HepFailure = 'not_hep' | 'short_header' | 'bad_length' | 'truncated' | 'bad_chunk_length';

export type HepPacket = {
  version: 1 | 2 | 3;
  /** 4 or 6 by the address chunks present; 0 when there are none. */
  ipVersion: 0 | 4 | 6;
  /** IP protocol number, 0 when it was not told. */
  proto: number;
  /** 16 bytes as in a record: network order, IPv4 in the first 4. */
  src: Uint8Array;
  dst: Uint8Array;
  srcPort: number;
  dstPort: number;
  /** Microseconds since the epoch, null when the packet does not tell. */
  tsUs: number | null;
  /** 1 SIP, 5 RTCP as JSON, 100 log line and so on; -1 when it was not told. */
  protocolType: number;
  agentId: number | null;
  /** The payload is [start, end) of `bytes`: the datagram itself. Empty in a keep-alive. */
  bytes: Uint8Array;
  start: number;
  end: number;
  /** The payload is to be inflated, which is not done here: what it may cost is not known here. */
  isCompressed: boolean;
  keepAliveSecs: number | null;
  authKey: Uint8Array | null;
  correlationId: string | null;
  nodeName: string | null;
  vlan: number | null;
  tos: number | null;
  tcpFlags: number | null;
  /** As reported: senders scale by 10 or by 100, and the text does not say. */
  reportedMos: number | null;
  reportedRFactor: number | null;
  reportedJitter: number | null;
  groupId: string | null;
  /** Chunks that are unknown, of another vendor, or of a size their type does not have. */
  skippedChunks: number;
};
