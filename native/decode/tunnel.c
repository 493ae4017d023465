/* SPDX-License-Identifier: Apache-2.0
 * tunnel.c - decides whether a payload is another packet, and where that packet begins.
 *
 * GRE (RFC 2784, RFC 2890, RFC 1701 routing, RFC 2637 PPTP), ERSPAN (draft-foschiano-erspan), NSH
 * (RFC 8300), ESP with NULL encryption (RFC 4303, RFC 2410, RFC 5879 heuristics), and in UDP: VXLAN
 * (RFC 7348), VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe), GENEVE (RFC 8926), GTP-U (3GPP TS 29.281),
 * Teredo (RFC 4380), L2TPv2 (RFC 2661), MPLS (RFC 7510), ESP (RFC 3948), TZSP, HP remote mirroring.
 *
 * In UDP a port only suggests. The structure has to hold up to a believable inner header, or the
 * datagram stays an ordinary one: an RTP stream is free to run on port 8472.
 */
#include "core/datagram.h"
#include "decode/walk.h"

/* ---- What a claimed inner header must look like ---- */

static bool peek_ipv4(const uint8_t *d, uint32_t len, uint32_t wire, enum ct_proof proof) {
  uint32_t header = (d[0] & 15u) * 4u;
  if (header < 20 || header > wire) return false;
  if (proof == CT_PROOF_SHAPE) return true;
  if (len < header) return false;
  uint32_t total = ct_be16(d + 2);
  if (total < header || total > wire) return false;
  return proof == CT_PROOF_FIT || ct_fold16(ct_sum16(0, d, header)) == 0; /* the sum holds */
}

static bool peek_ipv6(const uint8_t *d, uint32_t len, uint32_t wire, enum ct_proof proof) {
  if (wire < 40) return false;
  if (proof == CT_PROOF_SHAPE) return true;
  if (len < 40) return false;
  uint32_t total = 40u + ct_be16(d + 4);
  return proof == CT_PROOF_FIT ? total <= wire : total == wire;
}

/* Bytes that were cut off prove nothing either way: only the shape can be believed of them. */
bool ct_peek_ip(const uint8_t *d, uint32_t len, uint32_t wire, enum ct_proof proof) {
  if (len < 1) return proof == CT_PROOF_SHAPE && wire >= 20;
  if (d[0] >> 4 == 4) return peek_ipv4(d, len, wire, proof);
  return d[0] >> 4 == 6 && peek_ipv6(d, len, wire, proof);
}

/* An Ethernet header, tags or not, in front of IP, or of MPLS, PPPoE, MACsec or NSH where a shape is enough. */
bool ct_peek_ether(const uint8_t *d, uint32_t len, uint32_t wire, enum ct_proof proof) {
  if (wire < 14 + 20) return false;
  for (uint32_t at = 12, n = 0; n <= CT_MAX_TAGS; at += 4, n++) {
    if (len < at + 2) return proof == CT_PROOF_SHAPE;
    uint16_t type = ct_be16(d + at);
    uint32_t in = at + 2;
    switch (type) {
    case 0x8100:
    case 0x88a8:
    case 0x9100:
    case 0x9200:
      if (wire < in + 4 + 20) return false;
      break;
    case 0x0800:
      if (len > in && d[in] >> 4 != 4) return false;
      return ct_peek_ip(d + in, len - in, wire - in, proof);
    case 0x86dd:
      if (len > in && d[in] >> 4 != 6) return false;
      return ct_peek_ip(d + in, len - in, wire - in, proof);
    case 0x8847:
    case 0x8848:
    case 0x88e5:
    case 0x894f: return proof == CT_PROOF_SHAPE;
    case 0x8864: return proof == CT_PROOF_SHAPE && (len == in || d[in] == 0x11);
    default: return false;
    }
  }
  return false;
}

/* Enters a tunnel in UDP whose header is `size` bytes, or leaves the datagram as it is. A header
 * that fits the datagram but was cut off by the snapshot length is a loss: what it carried is gone. */
static enum ct_step enter_udp(struct ct_walk *w, uint32_t size, uint32_t bits, enum ct_step next,
                              enum ct_proof proof) {
  if (size > w->wire) return CT_STEP_UDP;
  if (size > w->len) {
    if (proof != CT_PROOF_SHAPE) return CT_STEP_UDP;
    w->p->tunnels |= bits;
    return ct_walk_end(w, CT_R_TUNNEL_BAD);
  }
  const uint8_t *d = w->d + size;
  uint32_t len = w->len - size, wire = w->wire - size;
  bool holds = true;
  if (next == CT_STEP_ETHER) holds = ct_peek_ether(d, len, wire, proof);
  if (next == CT_STEP_IP) holds = ct_peek_ip(d, len, wire, proof);
  if (!holds) return CT_STEP_UDP;
  ct_walk_skip(w, size);
  return ct_walk_enter(w, bits, next);
}

/* ---- GRE ---- */

/* ERSPAN type I has no header of its own; type II, version 1, has 8 bytes and type III, version 2,
 * has 12, with 8 more when its O bit is set:
 * | version 4 | VLAN 12 | COS 3 | BSO/En 2 | T 1 | session 10 | ... type III, word 2:
 * | SGT 16 | P 1 | frame type 5 | hardware id 6 | D 1 | granularity 2 | O 1 | */
static enum ct_step erspan(struct ct_walk *w, bool sequenced) {
  const uint32_t bits = CT_T_GRE | CT_T_ERSPAN;
  w->p->tunnels |= bits;
  if (!sequenced) return ct_walk_enter(w, bits, CT_STEP_ETHER);
  if (w->len < 8) return ct_walk_end(w, CT_R_ERSPAN_BAD);
  uint32_t version = w->d[0] >> 4;
  if (version == 1) {
    ct_walk_skip(w, 8);
    return ct_walk_enter(w, bits, CT_STEP_ETHER);
  }
  if (version != 2 || w->len < 12) return ct_walk_end(w, CT_R_ERSPAN_BAD);
  uint32_t frame_type = (w->d[10] >> 2) & 31u;
  uint32_t size = w->d[11] & 1 ? 20 : 12;
  if (w->len < size) return ct_walk_end(w, CT_R_ERSPAN_BAD);
  ct_walk_skip(w, size);
  if (frame_type == 0) return ct_walk_enter(w, bits, CT_STEP_ETHER);
  if (frame_type == 2) return ct_walk_enter(w, bits, CT_STEP_IP);
  return ct_walk_end(w, CT_R_NOT_IP);
}

/* Version 1 carries PPP for PPTP: the key holds the payload length, the call id follows, then
 * sequence (S) and acknowledgment (A) numbers. Without S there is no payload (RFC 2637 s4.1). */
static enum ct_step gre_pptp(struct ct_walk *w, uint32_t flags, uint32_t type) {
  if (type != 0x880b || !(flags & 0x2000)) return ct_walk_end(w, CT_R_GRE_BAD);
  uint32_t size = 8u + (flags & 0x1000 ? 4 : 0) + (flags & 0x0080 ? 4 : 0);
  if (w->len < size) return ct_walk_end(w, CT_R_GRE_BAD);
  if (!(flags & 0x1000)) return ct_walk_end(w, CT_R_NOT_IP);
  uint32_t length = ct_be16(w->d + 4);
  ct_walk_skip(w, size);
  if (length < w->wire) ct_walk_trim(w, length);
  return ct_walk_enter(w, CT_T_GRE, CT_STEP_PPP);
}

/* |C|R|K|S|s|Recur|A| Flags | Ver |         Protocol Type         |
 * |      Checksum (C or R)        |       Offset (C or R)         |
 * |                       Key (K), Sequence (S)                   |
 * | routing entries (R): family 2, offset 1, length 1, length bytes; all zero ends them | */
enum ct_step ct_step_gre(struct ct_walk *w) {
  w->p->tunnels |= CT_T_GRE;
  if (w->len < 4) return ct_walk_end(w, CT_R_GRE_BAD);
  uint32_t flags = ct_be16(w->d);
  uint16_t type = ct_be16(w->d + 2);
  if ((flags & 7) == 1) return gre_pptp(w, flags, type);
  if (flags & 7) return ct_walk_end(w, CT_R_GRE_BAD);
  uint32_t size = 4u + (flags & 0xc000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0);
  if (w->len < size) return ct_walk_end(w, CT_R_GRE_BAD);
  ct_walk_skip(w, size);
  for (bool routing = flags & 0x4000; routing;) {
    if (w->len < 4) return ct_walk_end(w, CT_R_GRE_BAD);
    uint32_t entry = w->d[3];
    routing = entry != 0 || ct_be16(w->d) != 0;
    if (w->len < 4 + entry) return ct_walk_end(w, CT_R_GRE_BAD);
    ct_walk_skip(w, 4 + entry);
  }
  switch (type) {
  case 0x6558: /* transparent Ethernet bridging */ return ct_walk_enter(w, CT_T_GRE, CT_STEP_ETHER);
  case 0x88be: return erspan(w, flags & 0x1000);
  case 0x22eb: return erspan(w, true);
  case 0x883e: /* WCCP redirection, with or without 4 bytes of its own: those never begin with 4 */
    if (w->len >= 4 && w->d[0] >> 4 != 4) ct_walk_skip(w, 4);
    return ct_walk_enter(w, CT_T_GRE, CT_STEP_IPV4);
  default:
    w->type = type;
    if (type < 1536) return ct_walk_end(w, CT_R_NOT_IP);
    return ct_walk_enter(w, CT_T_GRE, CT_STEP_ETHERTYPE);
  }
}

/* ---- NSH ---- */

/* Next Protocol numbers of NSH, and of VXLAN-GPE, which took the same first values. */
static enum ct_step nsh_next(uint32_t protocol) {
  switch (protocol) {
  case 1:
  case 2: return CT_STEP_IP;
  case 3: return CT_STEP_ETHER;
  case 4: return CT_STEP_NSH;
  case 5: return CT_STEP_MPLS;
  default: return CT_STEP_DONE;
  }
}

/* |Ver|O|U|    TTL    |   Length  |U|U|U|U|MD Type| Next Protocol |
 * |          Service Path Identifier              | Service Index |
 * | context: 16 bytes for MD type 1, any for type 2 |   RFC 8300 s2
 * Length counts the whole header in units of 4 bytes. */
enum ct_step ct_step_nsh(struct ct_walk *w) {
  if (w->len < 8) return ct_walk_end(w, CT_R_TUNNEL_BAD);
  uint32_t size = (ct_be16(w->d) & 0x3fu) * 4u, kind = w->d[2] & 15u;
  enum ct_step next = nsh_next(w->d[3]);
  bool holds = w->d[0] >> 6 == 0 && size >= 8 && size <= w->len && (kind != 1 || size == 24);
  if (!holds) return ct_walk_end(w, CT_R_TUNNEL_BAD);
  ct_walk_skip(w, size);
  if (next == CT_STEP_DONE) return ct_walk_end(w, CT_R_NOT_IP);
  return next == CT_STEP_NSH ? ct_walk_enter(w, CT_T_NSH, next) : next;
}

/* ---- ESP with NULL encryption ---- */

static bool esp_inner_holds(const uint8_t *d, uint32_t n, uint32_t next) {
  switch (next) {
  case 4: return n >= 20 && d[0] >> 4 == 4 && ct_peek_ip(d, n, n, CT_PROOF_SUM);
  case 41: return n >= 40 && d[0] >> 4 == 6 && ct_peek_ip(d, n, n, CT_PROOF_FIT);
  case 17: return n >= 8 && ct_be16(d + 4) == n;
  case 6: /* reserved bits clear, not SYN and FIN at once */
    return n >= 20 && d[12] >> 4 >= 5 && (d[12] >> 4) * 4u <= n && (d[12] & 15) == 0 && (d[13] & 3) != 3 &&
           (d[13] & 0x3f) != 0;
  default: return false;
  }
}

/* | SPI 4 | sequence 4 | IV | payload | padding 1, 2, 3... | pad length 1 | next header 1 | ICV |
 * The header does not say that the cipher is NULL, nor how long IV and ICV are. The trailer tells:
 * padding counts up from 1, the two bytes after it end on a multiple of 4, and the inner header fits
 * exactly (RFC 4303 s2.4). Lengths in order of use: HMAC-SHA1-96, SHA-256-128 and AES-GMAC, SHA-384,
 * SHA-512, 160 bits, none. IV: none, 8 for AES-GMAC (RFC 4543). Only a whole packet has a trailer. */
static bool esp_null_open(struct ct_walk *w) {
  static const uint8_t icvs[] = {12, 16, 24, 32, 20, 0};
  if (w->len != w->wire || w->len < 8) return false;
  for (uint32_t iv = 0; iv <= 8; iv += 8) {
    for (uint32_t i = 0; i < sizeof icvs; i++) {
      uint32_t around = 8 + iv + icvs[i];
      if (w->len < around + 2 + 8) continue;
      const uint8_t *d = w->d + 8 + iv;
      uint32_t n = w->len - around;
      uint32_t pad = d[n - 2], next = d[n - 1];
      if (n % 4 != 0 || pad + 2 > n) continue;
      uint32_t body = n - 2 - pad, right = 0;
      while (right < pad && d[body + right] == right + 1) right++;
      if (right != pad || !esp_inner_holds(d, body, next)) continue;
      ct_walk_skip(w, 8 + iv);
      ct_walk_trim(w, body);
      w->proto = (uint8_t)next;
      return true;
    }
  }
  return false;
}

enum ct_step ct_step_esp(struct ct_walk *w) {
  w->p->proto = 50;
  if (!w->esp_null || !esp_null_open(w)) return ct_walk_end(w, CT_R_ENCRYPTED);
  return ct_walk_enter(w, CT_T_ESP_NULL, CT_STEP_PROTO);
}

/* The first 4 bytes 0 mark IKE; a lone ff is a NAT keep-alive (RFC 3948 s2). */
static enum ct_step esp_in_udp(struct ct_walk *w) {
  if (!w->esp_null || w->len < 8 || ct_be32(w->d) == 0 || !esp_null_open(w)) return CT_STEP_UDP;
  return ct_walk_enter(w, CT_T_ESP_NULL, CT_STEP_PROTO);
}

/* ---- Tunnels in UDP ---- */

/* |G|R|R|R|I|R|R|R| reserved 24, or flags and policy id when G | VNI 24 | reserved 8 | */
static enum ct_step vxlan(struct ct_walk *w) {
  if (w->len < 8) return CT_STEP_UDP;
  const uint8_t *d = w->d;
  bool policy = d[0] == 0x88; /* draft-smith-vxlan-group-policy */
  if (d[0] != 0x08 && !policy) return CT_STEP_UDP;
  if (d[7] != 0 || (!policy && (d[1] | d[2] | d[3]) != 0)) return CT_STEP_UDP;
  return enter_udp(w, 8, CT_T_VXLAN, CT_STEP_ETHER, CT_PROOF_SHAPE);
}

/* |R|R|Ver|I|P|B|O| reserved 16 | next protocol 8 | VNI 24 | reserved 8 | */
static enum ct_step vxlan_gpe(struct ct_walk *w) {
  if (w->len < 8) return CT_STEP_UDP;
  const uint8_t *d = w->d;
  if ((d[0] & 0xf0) != 0 || !(d[0] & 0x08) || (d[0] & 1) || (d[1] | d[2] | d[7]) != 0) return CT_STEP_UDP;
  if (!(d[0] & 0x04)) {
    return d[3] == 0 ? enter_udp(w, 8, CT_T_VXLAN, CT_STEP_ETHER, CT_PROOF_SHAPE) : CT_STEP_UDP;
  }
  enum ct_step next = nsh_next(d[3]);
  if (next == CT_STEP_DONE) return CT_STEP_UDP;
  uint32_t nsh = next == CT_STEP_NSH ? CT_T_NSH : 0;
  return enter_udp(w, 8, CT_T_VXLAN | nsh, next, CT_PROOF_SHAPE);
}

/* |Ver| options length 6 |O|C| reserved 6 | protocol 16 | VNI 24 | reserved 8 | options |
 * Options length in units of 4 bytes. A critical option concerns the endpoint, not an observer. */
static enum ct_step geneve(struct ct_walk *w) {
  if (w->len < 8) return CT_STEP_UDP;
  const uint8_t *d = w->d;
  if (d[0] >> 6 != 0 || (d[1] & 0x80) || (d[1] & 0x3f) != 0 || d[7] != 0) return CT_STEP_UDP;
  uint32_t size = 8u + (d[0] & 0x3fu) * 4u;
  switch (ct_be16(d + 2)) {
  case 0x6558: return enter_udp(w, size, CT_T_GENEVE, CT_STEP_ETHER, CT_PROOF_SHAPE);
  case 0x0800:
  case 0x86dd: return enter_udp(w, size, CT_T_GENEVE, CT_STEP_IP, CT_PROOF_SHAPE);
  default: return CT_STEP_UDP;
  }
}

/* | version 3 = 1 | PT 1 = 1 | 0 | E | S | PN | message type 8 | length 16 | TEID 32 |
 * | sequence 16 | N-PDU 8 | next extension 8 |   when any of E, S, PN is set
 * | length 8 in units of 4 bytes | content | next extension 8 |   while the last next is not 0
 * Type 255 is a user packet; length counts what follows the first 8 bytes. */
static enum ct_step gtpu(struct ct_walk *w) {
  if (w->len < 8) return CT_STEP_UDP;
  const uint8_t *d = w->d;
  uint32_t length = ct_be16(d + 2), size = 8;
  if ((d[0] & 0xf8) != 0x30 || d[1] != 255 || length + 8 > w->wire) return CT_STEP_UDP;
  if (d[0] & 7) {
    size = 12;
    bool more = d[0] & 4;
    while (more && size <= w->len && d[size - 1] != 0) {
      if (size + 1 > w->len) {
        size++; /* cut in front of the extension: enter_udp() tells what kind of cut it is */
        break;
      }
      if (d[size] == 0) return CT_STEP_UDP;
      size += d[size] * 4u;
    }
  }
  if (size > length + 8) return CT_STEP_UDP;
  if (size <= w->len && !ct_peek_ip(d + size, w->len - size, length + 8 - size, CT_PROOF_SHAPE)) {
    return enter_udp(w, size, CT_T_GTPU, CT_STEP_ETHER, CT_PROOF_SHAPE); /* a 5G Ethernet session */
  }
  return enter_udp(w, size, CT_T_GTPU, CT_STEP_IP, CT_PROOF_SHAPE);
}

/* Optional, in this order (RFC 4380 s5.1.1), then the IPv6 packet:
 * | 00 01 | id length 1 | auth length 1 | id | auth | nonce 8 | confirmation 1 |
 * | 00 00 | obscured port 2 | obscured address 4 | */
static enum ct_step teredo(struct ct_walk *w) {
  const uint8_t *d = w->d;
  uint32_t size = 0;
  if (w->len >= 4 && ct_be16(d) == 0x0001) size = 13u + d[2] + d[3];
  if (size > w->len) return CT_STEP_UDP;
  if (w->len - size >= 8 && ct_be16(d + size) == 0x0000) size += 8;
  if (size >= w->len || d[size] >> 4 != 6) return CT_STEP_UDP;
  return enter_udp(w, size, CT_T_TEREDO, CT_STEP_IP, CT_PROOF_FIT);
}

/* | version 1 | type 1 | encapsulated protocol 2 | tags: type 1, length 1, value |, where tag 0 is
 * padding and tag 1 the end, both without a length. Type 0 is a received packet, 1 one to send. */
static enum ct_step tzsp(struct ct_walk *w) {
  const uint8_t *d = w->d;
  if (w->len < 5 || d[0] != 1 || d[1] > 1 || ct_be16(d + 2) != 1) return CT_STEP_UDP;
  uint32_t at = 4;
  while (at < w->len && d[at] != 1) {
    if (d[at] == 0) {
      at++;
    } else if (w->len - at >= 2) {
      at += 2u + d[at + 1];
    } else {
      at = w->len;
    }
  }
  /* Past the captured bytes `at` names at least where the end tag may be. */
  return enter_udp(w, at + 1, CT_T_TZSP, CT_STEP_ETHER, CT_PROOF_SHAPE);
}

/* |T|L|x x|S|x|O|P|x x x x| Ver 4 | length 16 (L) | tunnel 16 | session 16 | Ns 16, Nr 16 (S) |
 * | offset size 16 and that many bytes (O) | PPP |   RFC 2661 s3.1, T clear: a data message */
static enum ct_step l2tp(struct ct_walk *w) {
  const uint8_t *d = w->d;
  if (w->len < 8) return CT_STEP_UDP;
  uint32_t flags = ct_be16(d);
  if ((flags & 0x8000) || (flags & 0x34f0) != 0 || (flags & 15) != 2) return CT_STEP_UDP;
  uint32_t size = 6;
  if (flags & 0x4000) {
    if (ct_be16(d + 2) > w->wire) return CT_STEP_UDP;
    size += 2;
  }
  if (flags & 0x0800) size += 4;
  if (flags & 0x0200) {
    if (w->len < size + 2) return CT_STEP_UDP;
    size += 2u + ct_be16(d + size);
  }
  if (w->len < size + 5) return CT_STEP_UDP;
  uint32_t at = size + (ct_be16(d + size) == 0xff03 ? 2 : 0);
  uint32_t protocol = d[at] & 1 ? d[at] : ct_be16(d + at);
  at += d[at] & 1 ? 1 : 2;
  if (protocol != 0x0021 && protocol != 0x0057) return CT_STEP_UDP;
  if (!ct_peek_ip(d + at, w->len - at, w->wire - at, CT_PROOF_FIT)) return CT_STEP_UDP;
  ct_walk_skip(w, size);
  return ct_walk_enter(w, CT_T_L2TP, CT_STEP_PPP);
}

static enum ct_step mpls_in_udp(struct ct_walk *w) {
  for (uint32_t size = 4; size <= 4 * CT_MAX_TAGS && size + 4 < w->len; size += 4) {
    if (!(w->d[size - 2] & 1)) continue;
    const uint8_t *d = w->d + size;
    uint32_t len = w->len - size, wire = w->wire - size;
    bool holds = ct_peek_ip(d, len, wire, CT_PROOF_FIT) || ct_peek_ether(d, len, wire, CT_PROOF_FIT) ||
                 ct_peek_ether(d + 4, len - 4, wire - 4, CT_PROOF_FIT);
    return holds ? ct_walk_enter(w, 0, CT_STEP_MPLS) : CT_STEP_UDP;
  }
  return CT_STEP_UDP;
}

/* HP switches put 12 bytes that nobody documented in front of the mirrored frame, other mirrors put
 * nothing. With so little to go by, the inner IP header has to prove itself by its checksum. */
static enum ct_step hperm(struct ct_walk *w) {
  static const uint8_t sizes[] = {12, 0};
  for (uint32_t i = 0; i < sizeof sizes; i++) {
    enum ct_step step = enter_udp(w, sizes[i], CT_T_HPERM, CT_STEP_ETHER, CT_PROOF_SUM);
    if (step != CT_STEP_UDP) return step;
  }
  return CT_STEP_UDP;
}

static enum ct_step by_port(struct ct_walk *w, uint16_t port) {
  switch (port) {
  case CT_PORT_VXLAN:
  case CT_PORT_VXLAN_LINUX: return vxlan(w);
  case CT_PORT_VXLAN_GPE: return vxlan_gpe(w);
  case CT_PORT_GENEVE: return geneve(w);
  case CT_PORT_GTPU: return gtpu(w);
  case CT_PORT_TEREDO: return teredo(w);
  case CT_PORT_TZSP: return tzsp(w);
  case CT_PORT_L2TP: return l2tp(w);
  case CT_PORT_MPLS_UDP: return mpls_in_udp(w);
  case CT_PORT_HPERM:
  case CT_PORT_HPERM_ALT: return hperm(w);
  case CT_PORT_NATT: return esp_in_udp(w);
  default: return CT_STEP_UDP;
  }
}

enum ct_step ct_udp_tunnel(struct ct_walk *w, uint16_t sport, uint16_t dport) {
  enum ct_step step = by_port(w, dport);
  return step != CT_STEP_UDP || sport == dport ? step : by_port(w, sport);
}
