/* SPDX-License-Identifier: Apache-2.0
 * record.h - what the native threads hand to TypeScript, one descriptor a record.
 *
 * Mirrored by src/sources/records.ts; test/native/rtp-layout.test.ts compares the two.
 * All fields are host order (little-endian on both supported machines); addresses are network
 * order, IPv4 in the first 4 bytes. A slab is CT_SLAB_BYTES of payload beside CT_SLAB_RECORDS
 * descriptors.
 */
#ifndef CALLTAP_RECORD_H
#define CALLTAP_RECORD_H
#include <stdint.h>

#define CT_ABI 2u
#define CT_SLAB_BYTES (256u * 1024u)
#define CT_SLAB_RECORDS 2048u

enum ct_kind {
  CT_KIND_NONE = 0,
  CT_KIND_UDP =
      1, /* UDP payload that may be SIP (in the port gate, or taken elsewhere); aux2 IP id; aux1 > 0: the
                                 whole frame of aux1 bytes is there and begins aux0 bytes before off */
  CT_KIND_TCP = 2,             /* TCP segment in the SIP or WebSocket gate; aux0 seq, aux1 flags */
  CT_KIND_FRAGMENT = 3,        /* IP fragment; aux0 id, aux1 offset in bytes, aux2 proto | more << 8 */
  CT_KIND_ICMP = 4,            /* ICMP or ICMPv6 message, from its type byte; aux2 IP id */
  CT_KIND_RTCP = 5,            /* RTCP compound packet */
  CT_KIND_STUN = 6,            /* STUN message or TURN ChannelData */
  CT_KIND_HEP = 7,             /* HEP datagram found in a capture (-E) */
  CT_KIND_STREAM_OPENED = 8,   /* new RTP candidate; aux0 stream index, aux1 SSRC, aux2 generation; with
                                 CT_FLAG_RELAYED the payload is the TURN framing of its first packet */
  CT_KIND_STREAM_ACCEPTED = 9, /* the heuristic accepted it; same aux */
  CT_KIND_STREAM_WINDOW = 10,  /* closed quality window; payload struct ct_rtp_window; same aux */
  CT_KIND_STREAM_EVICTED = 11, /* index given back; same aux */
  CT_KIND_RTP = 12, /* RTP packet from its first byte, where audio is retained; aux as of its stream */
  CT_KIND_SOURCE_END =
      13, /* end of the source, or of all files; aux0 enum ct_end; files: aux1 how many overlap, aux2 1
                              when they were not given in the order of their time */
  CT_KIND_TLS_BIND = 14,  /* the address of a TLS connection became known or was corrected */
  CT_KIND_TLS_DATA = 15,  /* plaintext of one SSL call, or a part of it; wire_len is the whole call */
  CT_KIND_TLS_CLOSE = 16, /* the connection's object was freed or reused; connection 0: the process ended */
  CT_KIND_RTP_KEY = 17,   /* RTP telephone-event of a stream, from its header on; aux as for STREAM_OPENED */
  CT_KIND_FILE_END = 18,  /* one of several files ended; aux0 enum ct_end, frame how many it had */
  CT_KIND_MESSAGE = 19,   /* SIP message that had no frame; aux2 enum ct_transport; ip_version may be 0 */
  CT_KIND_FRAME =
      20, /* where the files of calls are written: the frame itself, after the records that it gave;
                         aux0 enum ct_frame_part, of RTP aux1 stream index and aux2 generation */
  CT_KIND_STREAM_SEGMENT =
      21, /* its payload type changed; payload struct ct_rtp_segment; aux as of its stream */
  CT_KIND_CLOCK_STEP =
      22, /* the clock of the host was set: what follows is shifted; frame by how many us, above 0 forward */
  CT_KIND_SIP_OUTSIDE = 23, /* the begin of a message outside the gate, by which a socket may be learned */
};

/* What a frame may be of a call: a message or what speaks of one, a part of one, media, RTCP. */
enum ct_frame_part { CT_FRAME_MESSAGE = 0, CT_FRAME_PART = 1, CT_FRAME_MEDIA = 2, CT_FRAME_CONTROL = 3 };

/* TLS records: aux0 and aux1 are the connection's id (low, high), aux2 enum ct_tls_flag and from
 * CT_TLS_LIBRARY_SHIFT on enum ct_tls_library; digest is process id | thread id << 32; frame is the stream
 * offset, bytes of that direction since it was first seen: a jump is lost bytes. ip_version 0: the address is
 * not known. A bind's src is the local end, its dst the remote one; data has them as the bytes travelled. */
enum ct_tls_flag {
  CT_TLS_WRITTEN = 1,     /* by the observed process; else it was read */
  CT_TLS_TRUNCATED = 2,   /* the call had more than is carried (max_call) */
  CT_TLS_LAST_CHUNK = 4,  /* of its call */
  CT_TLS_FAULT = 8,       /* the bytes could not be read: len is 0, the offset continues */
  CT_TLS_WEAK_TUPLE = 16, /* the address is likely, not proven: a later bind may correct it */
  CT_TLS_SHARED = 32,     /* the connection lives in memory shared by processes */
  CT_TLS_UNDECIDED = 64,  /* a WebSocket upgrade under the SIP-only filter: waits for verdict() */
  CT_TLS_UPGRADE = 128,   /* no bytes: in front of this offset stood a request for that upgrade */
};
#define CT_TLS_LIBRARY_SHIFT 8

enum ct_origin { CT_ORIGIN_WIRE = 0, CT_ORIGIN_HEP = 1, CT_ORIGIN_UPROBE = 2 };

enum ct_record_flag {
  CT_FLAG_SNAPPED = 1, /* fewer payload bytes than were on the wire */
  CT_FLAG_SIP_GATE =
      2, /* a port of the pair is in --portrange, or the SIP of this connection is taken anyway */
  CT_FLAG_WS_GATE = 4,   /* a port of the pair is in --ws-portrange */
  CT_FLAG_LOOKS_SIP = 8, /* first bytes are a SIP start line */
  CT_FLAG_TUNNELED = 16, /* inside at least one encapsulation */
  CT_FLAG_RELAYED = 32,  /* was inside TURN ChannelData or a Send or Data indication */
  CT_FLAG_WEAK = 64,     /* of a message: its addresses are likely, not proven */
};

enum ct_end {
  CT_END_OK = 0,
  CT_END_TRUNCATED = 1,
  CT_END_BAD_RECORD = 2,
  CT_END_IO = 3,
  CT_END_STOPPED = 4,
  CT_END_NOT_OPENED = 5, /* aux1 errno, aux2 enum ct_pcap_status, source the file */
  CT_END_EMPTY = 6       /* of a file: it has no byte */
};

struct ct_record {
  double ts_us; /*  0 microseconds since the epoch */
  double
      frame; /*  8 ordinal in its source, 0-based; -1 without one; below that the frame has a number and cannot
                             be read again */
  uint64_t digest;    /* 16 FNV-1a 64 of the captured bytes; 0 when not taken */
  uint32_t off;       /* 24 payload offset in the slab */
  uint32_t len;       /* 28 payload bytes present */
  uint32_t wire_len;  /* 32 payload bytes on the wire */
  uint32_t aux0;      /* 36 by kind */
  uint32_t aux1;      /* 40 by kind */
  uint32_t aux2;      /* 44 by kind */
  uint16_t src_port;  /* 48 */
  uint16_t dst_port;  /* 50 */
  uint16_t vlan;      /* 52 outermost VLAN id, 0 none */
  uint8_t kind;       /* 54 enum ct_kind */
  uint8_t origin;     /* 55 enum ct_origin */
  uint8_t ip_version; /* 56 4 or 6 */
  uint8_t transport;  /* 57 IP protocol number: 6, 17, 1, 58, 132 */
  uint8_t dscp;       /* 58 0..63, 0xff when no IP header was seen */
  uint8_t flags;      /* 59 enum ct_record_flag */
  uint32_t source;    /* 60 which source */
  uint8_t src[16];    /* 64 */
  uint8_t dst[16];    /* 80 */
  double file_at; /* 96 UDP: where the payload lies in the file it was read from; 0 it cannot be read again */
  uint32_t check; /* 104 with file_at: ct_payload_check() of the payload; FRAME: ns within its second */
  uint32_t link; /* 108 FRAME: LINKTYPE_*; TLS: the proof of the function that was called (bpf/tls_event.h) */
};               /* 112 bytes */

#ifndef __cplusplus
_Static_assert(sizeof(struct ct_record) == 112, "descriptor layout");
#endif
#endif
