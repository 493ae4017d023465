/* SPDX-License-Identifier: Apache-2.0
 * ip.c - decides where a transport payload begins and ends below an IP header.
 *
 * IPv4 (RFC 791), IPv6 and its extension headers (RFC 8200, RFC 2675 jumbograms, RFC 6946 atomic
 * fragments, RFC 7045), AH (RFC 4302), UDP (RFC 768), TCP (RFC 9293), ICMP (RFC 792, RFC 4443).
 */
#include "decode/walk.h"

enum ip_proto {
  PROTO_HOP_BY_HOP = 0,
  PROTO_ICMP = 1,
  PROTO_IPV4 = 4,
  PROTO_TCP = 6,
  PROTO_UDP = 17,
  PROTO_IPV6 = 41,
  PROTO_ROUTING = 43,
  PROTO_FRAGMENT = 44,
  PROTO_GRE = 47,
  PROTO_ESP = 50,
  PROTO_AH = 51,
  PROTO_ICMPV6 = 58,
  PROTO_DEST_OPTS = 60,
  PROTO_SCTP = 132,
  PROTO_MOBILITY = 135,
  PROTO_MPLS = 137,
  PROTO_HIP = 139,
  PROTO_SHIM6 = 140,
};

static enum ct_step finish(struct ct_walk *w, enum ct_reason r) {
  w->p->payload = w->d;
  w->p->len = w->len;
  w->p->wire_len = w->wire;
  return ct_walk_end(w, r);
}

static enum ct_step fragment(struct ct_walk *w, uint32_t id, uint32_t offset, bool more) {
  w->p->frag_id = id;
  w->p->frag_off = offset;
  w->p->frag_more = more;
  w->p->proto = w->proto;
  w->p->sport = w->p->dport = 0;
  return finish(w, CT_FRAGMENT);
}

/*  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-------+-------+-----------+---+-------------------------------+
 * |Version|  IHL  |   DSCP    |ECN|          Total Length         |
 * |         Identification        |R|D|M|    Fragment Offset      |
 * | Time to Live  |    Protocol   |        Header Checksum        |
 * |        Source Address, Destination Address, Options           |   RFC 791 s3.1 */
enum ct_step ct_step_ipv4(struct ct_walk *w) {
  struct ct_packet *p = w->p;
  const uint8_t *d = w->d;
  if (w->len < 20) return ct_walk_end(w, CT_R_IPV4_SHORT);
  uint32_t header = (d[0] & 15u) * 4u;
  uint32_t total = ct_be16(d + 2);
  if (d[0] >> 4 != 4 || header < 20) return ct_walk_end(w, CT_R_IPV4_BAD);
  /* Total Length counts the header too. 0 is what segmentation offload leaves in a frame that was
   * captured before the card cut it up: then the frame itself is the only measure. */
  w->length_unknown = total == 0;
  if (total == 0) total = w->wire;
  if (total < header) return ct_walk_end(w, CT_R_IPV4_BAD);
  if (w->len < header) return ct_walk_end(w, CT_R_IPV4_SHORT);
  ct_walk_trim(w, total);
  p->ip_version = 4;
  p->dscp = d[1] >> 2;
  p->ip_id = ct_be16(d + 4);
  ct_set_ipv4(p->src, d + 12);
  ct_set_ipv4(p->dst, d + 16);
  w->proto = d[9];
  w->extensions = 0;
  uint32_t frag = ct_be16(d + 6);
  ct_walk_skip(w, header);
  if (CT_UNLIKELY(frag & 0x3fffu)) return fragment(w, p->ip_id, (frag & 0x1fffu) * 8u, frag & 0x2000u);
  return CT_STEP_PROTO;
}

/* The Jumbo Payload option: type 0xc2, length 4, a 32-bit length of what follows the IPv6 header,
 * above 65535 (RFC 2675 s2). `d` is a whole hop-by-hop header. */
static uint32_t jumbo_length(const uint8_t *d, uint32_t size) {
  for (uint32_t i = 2; i < size;) {
    if (d[i] == 0) { /* Pad1 has no length byte. */
      i++;
      continue;
    }
    if (size - i < 2 || size - i - 2 < d[i + 1]) return 0;
    if (d[i] == 0xc2 && d[i + 1] == 4) return ct_be32(d + i + 2);
    i += 2u + d[i + 1];
  }
  return 0;
}

/* |Version| Traffic Class |              Flow Label               |
 * |         Payload Length        |  Next Header  |   Hop Limit   |
 * |       Source Address (16), Destination Address (16)           |   RFC 8200 s3 */
enum ct_step ct_step_ipv6(struct ct_walk *w) {
  struct ct_packet *p = w->p;
  const uint8_t *d = w->d;
  if (w->len >= 1 && d[0] >> 4 != 6) return ct_walk_end(w, CT_R_IPV6_BAD);
  if (w->len < 40) return ct_walk_end(w, CT_R_IPV6_SHORT);
  uint32_t length = ct_be16(d + 4);
  p->ip_version = 6;
  p->dscp = (uint8_t)((d[0] & 15u) << 2 | d[1] >> 6);
  p->ip_id = 0;
  memcpy(p->src, d + 8, 16);
  memcpy(p->dst, d + 24, 16);
  w->proto = d[6];
  w->extensions = 0;
  w->length_unknown = false;
  ct_walk_skip(w, 40);
  if (length != 0) {
    ct_walk_trim(w, length);
    return CT_STEP_PROTO;
  }
  /* Payload Length 0: a jumbogram says the length in its first extension header, a segment that
   * was captured before offload says it nowhere. */
  w->length_unknown = true;
  if (w->proto == PROTO_HOP_BY_HOP && w->len >= 8) {
    uint32_t size = (w->d[1] + 1u) * 8u;
    uint32_t jumbo = size <= w->len ? jumbo_length(w->d, size) : 0;
    if (jumbo != 0 && jumbo < 65536) return ct_walk_end(w, CT_R_IPV6_BAD);
    if (jumbo != 0) ct_walk_trim(w, jumbo);
  }
  return CT_STEP_PROTO;
}

enum ct_step ct_step_ip(struct ct_walk *w) {
  if (w->len < 1) return ct_walk_end(w, CT_R_IPV4_SHORT);
  if (w->d[0] >> 4 == 4) return CT_STEP_IPV4;
  if (w->d[0] >> 4 == 6) return CT_STEP_IPV6;
  return ct_walk_end(w, CT_R_NOT_IP);
}

/* Every IPv6 extension header begins with the next header's number and, except for the fragment
 * header, its own length: in units of 8 bytes beyond the first 8 (RFC 8200 s4), for AH in units of
 * 4 bytes beyond the first 8 (RFC 4302 s2.2). */
static enum ct_step extension(struct ct_walk *w, uint32_t unit) {
  if (w->extensions++ >= CT_MAX_TAGS) return ct_walk_end(w, CT_R_IPV6_EXT);
  if (w->len < 8) return ct_walk_end(w, CT_R_IPV6_EXT);
  uint32_t size = 8u + w->d[1] * unit;
  if (size > w->len) return ct_walk_end(w, CT_R_IPV6_EXT);
  w->proto = w->d[0];
  ct_walk_skip(w, size);
  return CT_STEP_PROTO;
}

/* |  Next Header  |   Reserved    |      Fragment Offset    |Res|M|
 * |                         Identification                        |   RFC 8200 s4.5 */
static enum ct_step fragment_header(struct ct_walk *w) {
  if (w->extensions++ >= CT_MAX_TAGS || w->len < 8) return ct_walk_end(w, CT_R_IPV6_EXT);
  uint32_t offset = ct_be16(w->d + 2) & 0xfff8u;
  bool more = w->d[3] & 1;
  uint32_t id = ct_be32(w->d + 4);
  w->proto = w->d[0];
  ct_walk_skip(w, 8);
  /* Offset 0 and nothing to follow is a whole packet: an atomic fragment (RFC 6946 s4). */
  if (offset == 0 && !more) return CT_STEP_PROTO;
  return fragment(w, id, offset, more);
}

/* |          Source Port          |       Destination Port        |
 * |                       Verification Tag                        |
 * |                           Checksum                            |
 * |      Type     |     Flags     |  Length, without the padding  |
 * |  TSN, stream, sequence, payload protocol: 12 bytes, or 16     |
 * |                           user data ...                       |   RFC 9260 s3, s3.3.1; RFC 8260 s2.1
 * Type 0 is DATA, 64 I-DATA. The second flag begins a message: only there can a start line stand. */
static bool sctp_begins_sip(const uint8_t *d, uint32_t len) {
  uint32_t at = 12;
  /* A chunk is 4 bytes at least; one that ends beyond the frame is the last. */
  while (len >= 4 && at <= len - 4) {
    uint32_t size = ct_be16(d + at + 2);
    if (size < 4) return false;
    uint32_t header = d[at] == 64 ? 20 : 16, end = ct_min32(at + size, len);
    bool begins = (d[at] == 0 || d[at] == 64) && (d[at + 1] & 2);
    if (begins && at + header < end && ct_looks_sip(d + at + header, end - at - header)) return true;
    at += (size + 3) & ~3u;
  }
  return false;
}

enum ct_step ct_step_proto(struct ct_walk *w) {
  bool v6 = w->p->ip_version == 6;
  switch (w->proto) {
  case PROTO_UDP: return CT_STEP_UDP;
  case PROTO_TCP: return CT_STEP_TCP;
  case PROTO_ICMP:
  case PROTO_ICMPV6:
    w->p->proto = w->proto;
    w->p->sport = w->p->dport = 0;
    return finish(w, (w->proto == PROTO_ICMPV6) == v6 ? CT_OK : CT_R_PROTO_OTHER);
  case PROTO_IPV4: return ct_walk_enter(w, CT_T_IPIP, CT_STEP_IPV4);
  case PROTO_IPV6: return ct_walk_enter(w, CT_T_IPIP, CT_STEP_IPV6);
  case PROTO_GRE: return CT_STEP_GRE;
  case PROTO_ESP: return CT_STEP_ESP;
  case PROTO_MPLS: /* RFC 4023 */ return ct_walk_enter(w, 0, CT_STEP_MPLS);
  case PROTO_AH: return extension(w, 4);
  case PROTO_HOP_BY_HOP:
  case PROTO_ROUTING:
  case PROTO_DEST_OPTS:
  case PROTO_MOBILITY:
  case PROTO_HIP:
  case PROTO_SHIM6:
    if (v6) return extension(w, 8);
    break;
  case PROTO_FRAGMENT:
    if (v6) return fragment_header(w);
    break;
  case PROTO_SCTP:
    if (!sctp_begins_sip(w->d, w->len)) break;
    w->p->proto = w->proto;
    return finish(w, CT_R_SIP_SCTP);
  default: break;
  }
  w->p->proto = w->proto;
  return finish(w, CT_R_PROTO_OTHER);
}

/* |          Source Port          |       Destination Port        |
 * |            Length             |           Checksum            |   RFC 768 */
enum ct_step ct_step_udp(struct ct_walk *w) {
  struct ct_packet *p = w->p;
  if (w->len < 8) return ct_walk_end(w, CT_R_UDP_SHORT);
  uint32_t length = ct_be16(w->d + 4);
  /* Length 0 means "as long as the IP payload" and is right only where that exceeds 65535 or
   * offload has not filled it in (RFC 2675 s4). */
  if (length == 0 && w->length_unknown) length = w->wire;
  if (length < 8 || length > w->wire) return ct_walk_end(w, CT_R_UDP_BAD);
  p->proto = PROTO_UDP;
  p->sport = ct_be16(w->d);
  p->dport = ct_be16(w->d + 2);
  ct_walk_trim(w, length);
  ct_walk_skip(w, 8);
  if (CT_UNLIKELY(ct_is_tunnel_port(p->dport) || ct_is_tunnel_port(p->sport))) {
    enum ct_step next = ct_udp_tunnel(w, p->sport, p->dport);
    if (next != CT_STEP_UDP) return next;
  }
  return finish(w, CT_OK);
}

/* |          Source Port          |       Destination Port        |
 * |                        Sequence Number                        |
 * |                    Acknowledgment Number                      |
 * | Offset| Rsrvd |     Flags     |            Window             |
 * |           Checksum            |        Urgent Pointer         |   RFC 9293 s3.1 */
enum ct_step ct_step_tcp(struct ct_walk *w) {
  struct ct_packet *p = w->p;
  const uint8_t *d = w->d;
  if (w->len < 20) return ct_walk_end(w, CT_R_TCP_SHORT);
  uint32_t header = (d[12] >> 4) * 4u;
  if (header < 20 || header > w->wire) return ct_walk_end(w, CT_R_TCP_BAD);
  if (header > w->len) return ct_walk_end(w, CT_R_TCP_SHORT);
  p->proto = PROTO_TCP;
  p->sport = ct_be16(d);
  p->dport = ct_be16(d + 2);
  p->tcp_seq = ct_be32(d + 4);
  p->tcp_ack = ct_be32(d + 8);
  p->tcp_flags = d[13];
  ct_walk_skip(w, header);
  return finish(w, CT_OK);
}
