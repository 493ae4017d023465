/* SPDX-License-Identifier: Apache-2.0
 * packet.h - one decoded frame, and what makes it (decode.c, link.c, ip.c, tunnel.c, classify.c).
 *
 * Everything here reads hostile bytes: each header is length-checked before it is read, nothing
 * recurses, nothing allocates. A frame that cannot be decoded yields a reason, never a crash.
 */
#ifndef CALLTAP_PACKET_H
#define CALLTAP_PACKET_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Encapsulations followed in one frame. @cap frame_too_deep */
#define CT_MAX_TUNNELS 8
/* VLAN tags, MPLS labels or IPv6 extension headers in one stack. @cap frame_too_deep */
#define CT_MAX_TAGS 8

/* Why a frame gave no transport payload: its name in /v1/stats, and whether the frame counts in undecodable_frames. CT_OK
 * and CT_FRAGMENT carry a packet. What calltap understood but has no use for (ARP, OSPF) is no loss; neither is what its
 * owner encrypted, or every host with a VPN would be called degraded. */
#define CT_REASONS(ROW)                                                                                      \
  ROW(CT_OK, "ok", false)                                                                                    \
  ROW(CT_FRAGMENT, "fragment", false) /* an IP fragment; frag_* are set, payload is the fragment's bytes */  \
  ROW(CT_R_LINK_UNKNOWN, "link_unknown", true) /* link type without a decoder */                             \
  ROW(CT_R_LINK_SHORT, "link_short", true)     /* cut inside the link header */                              \
  ROW(CT_R_NOT_IP, "not_ip", false)            /* ARP, STP, LLDP and the like: not a loss */                 \
  ROW(CT_R_VLAN_SHORT, "vlan_short", true)                                                                   \
  ROW(CT_R_MPLS_SHORT, "mpls_short", true)                                                                   \
  ROW(CT_R_PPPOE_BAD, "pppoe_bad", true)                                                                     \
  ROW(CT_R_IPV4_SHORT, "ipv4_short", true)                                                                   \
  ROW(CT_R_IPV4_BAD, "ipv4_bad", true) /* version, header length or total length impossible */               \
  ROW(CT_R_IPV6_SHORT, "ipv6_short", true)                                                                   \
  ROW(CT_R_IPV6_BAD, "ipv6_bad", true)                                                                       \
  ROW(CT_R_IPV6_EXT, "ipv6_ext", true) /* extension header chain cut or too long */                          \
  ROW(CT_R_UDP_SHORT, "udp_short", true)                                                                     \
  ROW(CT_R_UDP_BAD, "udp_bad", true) /* length field below 8 or beyond the IP payload */                     \
  ROW(CT_R_TCP_SHORT, "tcp_short", true)                                                                     \
  ROW(CT_R_TCP_BAD, "tcp_bad", true) /* data offset impossible */                                            \
  ROW(CT_R_PDU_BAD, "pdu_bad", true) /* tags of an exported PDU impossible */                                \
  ROW(CT_R_GRE_BAD, "gre_bad", true)                                                                         \
  ROW(CT_R_ERSPAN_BAD, "erspan_bad", true)                                                                   \
  ROW(CT_R_TUNNEL_BAD, "tunnel_bad", true)    /* the structure of a tunnel or MACsec does not hold */        \
  ROW(CT_R_TOO_DEEP, "too_deep", true)        /* more than CT_MAX_TUNNELS encapsulations */                  \
  ROW(CT_R_ENCRYPTED, "encrypted", false)     /* ESP, MACsec with confidentiality */                         \
  ROW(CT_R_PROTO_OTHER, "proto_other", false) /* IGMP, OSPF and the like: not a loss */                      \
  ROW(CT_R_SIP_SCTP, "sip_over_sctp", true) /* SCTP in which a SIP message begins (RFC 4168): not analysed */

enum ct_reason {
#define CT_ROW(reason, name, is_loss) reason,
  CT_REASONS(CT_ROW)
#undef CT_ROW
      CT_REASON_COUNT
};
const char *ct_reason_name(enum ct_reason r);
bool ct_reason_is_loss(enum ct_reason r);

#define CT_TUNNELS(ROW)                                                                                      \
  ROW(VLAN, "VLAN")                                                                                          \
  ROW(MPLS, "MPLS")                                                                                          \
  ROW(PPPOE, "PPPoE")                                                                                        \
  ROW(GRE, "GRE")                                                                                            \
  ROW(ERSPAN, "ERSPAN")                                                                                      \
  ROW(IPIP, "IP-in-IP")                                                                                      \
  ROW(VXLAN, "VXLAN")                                                                                        \
  ROW(GENEVE, "GENEVE")                                                                                      \
  ROW(GTPU, "GTP-U")                                                                                         \
  ROW(TEREDO, "Teredo")                                                                                      \
  ROW(TZSP, "TZSP")                                                                                          \
  ROW(L2TP, "L2TP")                                                                                          \
  ROW(ESP_NULL, "ESP-NULL")                                                                                  \
  ROW(NSH, "NSH")                                                                                            \
  ROW(MACSEC, "MACsec")                                                                                      \
  ROW(HPERM, "HPERM")

enum ct_tunnel {
#define CT_ROW(name, text) CT_TUNNEL_##name,
  CT_TUNNELS(CT_ROW)
#undef CT_ROW
      CT_TUNNEL_COUNT
};
enum ct_tunnel_bit {
#define CT_ROW(name, text) CT_T_##name = 1 << CT_TUNNEL_##name,
  CT_TUNNELS(CT_ROW)
#undef CT_ROW
};
/* Its name for people, NULL beyond the last. */
const char *ct_tunnel_name(uint32_t tunnel);

struct ct_packet {
  int64_t ts_ns;            /* capture time, ns since the epoch (set by the reader) */
  uint64_t ordinal;         /* frame number in its source, 0-based (set by the reader) */
  const uint8_t *frame;     /* the captured frame (set by the reader) */
  uint32_t caplen, wirelen; /* its captured and wire length (set by the reader) */
  uint32_t linktype;        /* LINKTYPE_* of the frame (set by the reader) */
  const uint8_t *payload;   /* transport payload (or ICMP message, or fragment bytes) */
  const uint8_t *wrap;      /* with CT_FLAG_RELAYED: the TURN framing, wrap_len bytes, in front of payload */
  uint32_t wrap_len;
  uint32_t len;      /* payload bytes present */
  uint32_t wire_len; /* payload bytes on the wire by the headers; >= len */
  uint32_t tunnels;  /* enum ct_tunnel_bit set met on the way (VLAN, MPLS... included) */
  uint32_t tcp_seq, tcp_ack;
  uint32_t frag_id, frag_off; /* fragment identification, offset in bytes */
  uint16_t sport, dport;      /* 0 for ICMP and fragments */
  uint16_t vlan;              /* outermost VLAN id, 0 none */
  uint16_t ip_id;             /* IPv4 identification, 0 for IPv6 */
  uint8_t ip_version, proto, dscp, tcp_flags;
  uint8_t frag_more, tunnel_depth, cls, cls_flags;
  bool
      is_message; /* payload is a SIP message that had no frame: proto is 0, and ip_version where not known */
  uint8_t transport, origin; /* of such a message: enum ct_transport, enum ct_origin */
  uint8_t src[16], dst[16];  /* IPv4 in the first 4 bytes, rest zero */
};

struct ct_decode_opts {
  bool esp_null; /* --decode-esp-null: look inside IP protocol 50 */
  bool hep;      /* -E: HEP datagrams in a capture are records */
};

/* Decode one frame of link type `linktype` (LINKTYPE_* as in pcap files). `p` has frame, caplen,
 * wirelen, ts_ns and ordinal set; all else is filled in. p->vlan may be preset by a live reader
 * that was handed the tag outside the frame. Promise: reads only frame[0..caplen). */
enum ct_reason ct_decode_frame(struct ct_packet *p, uint32_t linktype, const struct ct_decode_opts *o);

/* Decode from a reassembled IP payload: addresses, ip_version and proto in `p` are set, `data` is
 * what follows the IP header. Tunnels inside are followed as in ct_decode_frame. */
enum ct_reason ct_decode_ip_payload(struct ct_packet *p, const uint8_t *data, uint32_t len,
                                    const struct ct_decode_opts *o);

/* ---- classify.c: what a transport payload is, by content first (RFC 7983 first byte) ---- */
enum ct_class {
  CT_CLS_OTHER = 0, /* nothing calltap reads */
  CT_CLS_SIP, /* UDP, in the SIP gate: starts like SIP, or must be looked at in TypeScript; elsewhere where it
                       is taken: SIP beyond doubt */
  CT_CLS_SIP_OUT, /* UDP or TCP, starts like SIP, outside the gate and not taken: count for `gate_port` */
  CT_CLS_WS_OUT,  /* TCP, a WebSocket frame that carries SIP, outside the WS gate */
  CT_CLS_TCP,     /* TCP in either gate */
  CT_CLS_RTP,     /* version 2, plausible for the stream table */
  CT_CLS_RTCP,
  CT_CLS_STUN,
  CT_CLS_HEP,
  CT_CLS_ICMP,
  CT_CLS_KEEPALIVE, /* CRLF, NUL or empty datagram in the SIP gate: RFC 5626 */
  CT_CLS_ENCRYPTED, /* DTLS, or ZRTP */
  CT_CLS_COUNT
};

struct ct_learned; /* learned.h */
struct ct_gate {
  uint64_t sip[1024]; /* one bit a port */
  uint64_t ws[1024];
  bool any_sip;                     /* what is SIP beyond doubt is taken from every port */
  const struct ct_learned *learned; /* sockets from which it is taken too; NULL none */
};
static inline bool ct_port_in(const uint64_t *set, uint16_t port) {
  return (set[port >> 6] >> (port & 63)) & 1;
}

/* True when one of its two sockets is learned. */
bool ct_is_learned(const struct ct_packet *p, const struct ct_gate *g);

/* Class of a decoded packet (CT_OK only). Sets p->cls, and p->cls_flags to a set of enum ct_record_flag (SIP_GATE,
 * WS_GATE, LOOKS_SIP, RELAYED). Which TCP is taken outside the gate is for pipeline/sip_flows.h. RTP and RTCP that TURN carries are
 * taken out of its framing: payload, len and wire_len are then theirs, the addresses stay those of
 * the datagram. Never reads beyond payload[0..len). */
enum ct_class ct_classify(struct ct_packet *p, const struct ct_gate *g, const struct ct_decode_opts *o);

/* True when bytes start like a SIP request or response line ("INVITE sip:... SIP/2.0" or
 * "SIP/2.0 200 ..."), after leading CR/LF; looks at the first 2048 bytes at most. */
bool ct_looks_sip(const uint8_t *d, uint32_t len);
/* True when they are SIP beyond doubt, for ports that nobody named: after leading CR/LF a method, a URI with a scheme and
 * the version at the end of the line, or the version and a code from 100 to 699. Of a line that is cut before its version the
 * method must be known. A subset of ct_looks_sip(). */
bool ct_begins_sip(const uint8_t *d, uint32_t len);

#ifdef __cplusplus
}
#endif
#endif
