/* SPDX-License-Identifier: Apache-2.0
 * link.c - decides what a link-layer header carries: from the link type of a capture to an IP header.
 *
 * Link types: tcpdump.org "Link-layer header types". Ethernet II and 802.3 (IEEE 802.3), 802.1Q tags,
 * 802.2 LLC/SNAP (RFC 1042), MPLS (RFC 3032) and pseudowires (RFC 4385, RFC 4448), PPPoE (RFC 2516),
 * PPP (RFC 1661, RFC 1662), MACsec (IEEE 802.1AE); exported PDUs (core/exported_pdu.h).
 */
#include "core/exported_pdu.h"
#include "core/record.h"
#include "decode/walk.h"

enum link_type {
  LINK_NULL = 0,
  LINK_ETHERNET = 1,
  LINK_PPP = 9,
  LINK_RAW_BSD = 12,
  LINK_RAW_OPENBSD = 14,
  LINK_PPP_HDLC = 50,
  LINK_PPP_ETHER = 51,
  LINK_RAW = 101,
  LINK_C_HDLC = 104,
  LINK_LOOP = 108,
  LINK_SLL = 113,
  LINK_PPP_DIR = 204,
  LINK_IPV4 = 228,
  LINK_IPV6 = 229,
  LINK_NFLOG = 239,
  LINK_IPOIB = 242,
  LINK_PKTAP = 258,
  LINK_SLL2 = 276,
};

enum ether_type {
  TYPE_MAX_LENGTH = 1500, /* up to here the field is an 802.3 length, from TYPE_MIN on a type */
  TYPE_MIN = 1536,
  TYPE_IPV4 = 0x0800,
  TYPE_TEB = 0x6558,
  TYPE_VLAN = 0x8100,
  TYPE_IPV6 = 0x86dd,
  TYPE_PPP = 0x880b,
  TYPE_MPLS = 0x8847,
  TYPE_MPLS_MULTICAST = 0x8848,
  TYPE_PPPOE_SESSION = 0x8864,
  TYPE_QINQ = 0x88a8,
  TYPE_MACSEC = 0x88e5,
  TYPE_METADATA = 0x8909,
  TYPE_NSH = 0x894f,
  TYPE_QINQ_OLD = 0x9100,
  TYPE_QINQ_OLDER = 0x9200,
};

static bool is_vlan(uint16_t type) {
  return type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD || type == TYPE_QINQ_OLDER;
}

/* | destination (6) | source (6) | type or length (2) |   IEEE 802.3 s3.1.1 */
enum ct_step ct_step_ether(struct ct_walk *w) {
  if (w->len < 14) return ct_walk_end(w, CT_R_LINK_SHORT);
  w->type = ct_be16(w->d + 12);
  ct_walk_skip(w, 14);
  return CT_STEP_ETHERTYPE;
}

/* A header of `size` bytes that names an Ethertype: what is below TYPE_MIN is none. */
static enum ct_step ethertype_after(struct ct_walk *w, uint16_t type, uint32_t size) {
  w->type = type;
  ct_walk_skip(w, size);
  return type < TYPE_MIN ? ct_walk_end(w, CT_R_NOT_IP) : CT_STEP_ETHERTYPE;
}

/* After the Ethertype 0x8100 and its kin: | priority 3 | DEI 1 | VLAN id 12 | Ethertype 16 |. */
static enum ct_step vlan_tags(struct ct_walk *w) {
  for (uint32_t n = 0; is_vlan(w->type); n++) {
    if (n == CT_MAX_TAGS) return ct_walk_end(w, CT_R_TOO_DEEP);
    if (w->len < 4) return ct_walk_end(w, CT_R_VLAN_SHORT);
    if (w->p->vlan == 0) w->p->vlan = ct_be16(w->d) & 0x0fff;
    w->p->tunnels |= CT_T_VLAN;
    w->type = ct_be16(w->d + 2);
    ct_walk_skip(w, 4);
  }
  return CT_STEP_ETHERTYPE;
}

/* Cisco MetaData, an in-line security group tag: | version 1 | length 1 | option 2 | group 2 |
 * with the Ethertype of what follows behind it, or, in GRE, in front of it. */
static enum ct_step metadata(struct ct_walk *w) {
  if (w->len < 8) return ct_walk_end(w, CT_R_LINK_SHORT);
  bool behind = ct_be16(w->d) == 0x0101;
  if (!behind && ct_be16(w->d + 2) != 0x0101) return ct_walk_end(w, CT_R_NOT_IP);
  return ethertype_after(w, ct_be16(w->d + (behind ? 6 : 0)), 8);
}

enum ct_step ct_step_ethertype(struct ct_walk *w) {
  switch (w->type) {
  case TYPE_IPV4: return CT_STEP_IPV4;
  case TYPE_IPV6: return CT_STEP_IPV6;
  case TYPE_VLAN:
  case TYPE_QINQ:
  case TYPE_QINQ_OLD:
  case TYPE_QINQ_OLDER: return vlan_tags(w);
  case TYPE_MPLS:
  case TYPE_MPLS_MULTICAST: return ct_walk_enter(w, 0, CT_STEP_MPLS);
  case TYPE_PPPOE_SESSION: return ct_walk_enter(w, CT_T_PPPOE, CT_STEP_PPPOE);
  case TYPE_PPP: return ct_walk_enter(w, 0, CT_STEP_PPP);
  case TYPE_TEB: return ct_walk_enter(w, 0, CT_STEP_ETHER);
  case TYPE_NSH: return ct_walk_enter(w, CT_T_NSH, CT_STEP_NSH);
  case TYPE_METADATA: return metadata(w);
  case TYPE_MACSEC: return ct_walk_enter(w, CT_T_MACSEC, CT_STEP_MACSEC);
  default: break;
  }
  if (w->type > TYPE_MAX_LENGTH) return ct_walk_end(w, CT_R_NOT_IP);
  if (w->type < w->wire) ct_walk_trim(w, w->type);
  return CT_STEP_LLC;
}

/* | DSAP | SSAP | control | and for SNAP, aa aa 03, | OUI (3) | type (2) |   RFC 1042 */
enum ct_step ct_step_llc(struct ct_walk *w) {
  if (w->len < 3) return ct_walk_end(w, w->len == w->wire ? CT_R_NOT_IP : CT_R_LINK_SHORT);
  if (w->d[0] == 0x06 && w->d[1] == 0x06 && w->d[2] == 0x03) { /* IP straight on LLC, RFC 948 */
    ct_walk_skip(w, 3);
    return CT_STEP_IP;
  }
  if (w->d[0] != 0xaa || w->d[1] != 0xaa || w->d[2] != 0x03) return ct_walk_end(w, CT_R_NOT_IP);
  if (w->len < 8) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t oui = ct_be32(w->d + 2) & 0xffffff;
  /* 00-00-00 announces an Ethertype, so does 00-00-f8 of the bridge tunnel encapsulation. */
  if (oui != 0 && oui != 0xf8) return ct_walk_end(w, CT_R_NOT_IP);
  return ethertype_after(w, ct_be16(w->d + 6), 8);
}

/* | label 20 | traffic class 3 | bottom of stack 1 | TTL 8 |   RFC 3032 s2.1
 * Nothing after the stack says what follows; the first nibble is the custom (RFC 4928). An Ethernet
 * pseudowire may or may not put a control word, first nibble 0, in front (RFC 4448 s4.6), and its
 * frame may begin with any nibble, so each guess has to hold: first with lengths that fit, then, for
 * frames that were cut, by its shape alone. */
enum ct_step ct_step_mpls(struct ct_walk *w) {
  w->p->tunnels |= CT_T_MPLS;
  bool bottom = false;
  for (uint32_t n = 0; !bottom; n++) {
    if (n == CT_MAX_TAGS) return ct_walk_end(w, CT_R_TOO_DEEP);
    if (w->len < 4) return ct_walk_end(w, CT_R_MPLS_SHORT);
    bottom = w->d[2] & 1;
    ct_walk_skip(w, 4);
  }
  if (w->len < 1) return ct_walk_end(w, CT_R_MPLS_SHORT);
  for (enum ct_proof proof = CT_PROOF_FIT;; proof = CT_PROOF_SHAPE) {
    if (ct_peek_ip(w->d, w->len, w->wire, proof)) return CT_STEP_IP;
    if (w->d[0] >> 4 == 0 && w->len >= 4 && ct_peek_ether(w->d + 4, w->len - 4, w->wire - 4, proof)) {
      ct_walk_skip(w, 4);
      return CT_STEP_ETHER;
    }
    if (ct_peek_ether(w->d, w->len, w->wire, proof)) return CT_STEP_ETHER;
    if (proof == CT_PROOF_SHAPE) break;
  }
  return ct_walk_end(w, CT_R_NOT_IP);
}

/* | version 4 | type 4 | code 8 | session id 16 | length 16 | PPP ...   RFC 2516 s4 */
enum ct_step ct_step_pppoe(struct ct_walk *w) {
  if (w->len < 6) return ct_walk_end(w, CT_R_PPPOE_BAD);
  uint32_t length = ct_be16(w->d + 4);
  if (w->d[0] != 0x11 || w->d[1] != 0 || length == 0) return ct_walk_end(w, CT_R_PPPOE_BAD);
  ct_walk_skip(w, 6);
  if (length < w->wire) ct_walk_trim(w, length);
  return CT_STEP_PPP;
}

/* | address ff | control 03 | protocol (2, or 1 when its low bit is set) |
 * Address and control are left out in PPPoE and where the peers agreed to (RFC 1661 s2, s6.5, s6.6). */
enum ct_step ct_step_ppp(struct ct_walk *w) {
  if (w->len >= 1 && w->d[0] == 0xff) {
    if (w->len < 2) return ct_walk_end(w, CT_R_LINK_SHORT);
    if (w->d[1] == 0x03) ct_walk_skip(w, 2);
  }
  if (w->len < 1) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t size = w->d[0] & 1 ? 1 : 2;
  if (w->len < size) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t protocol = size == 1 ? w->d[0] : ct_be16(w->d);
  ct_walk_skip(w, size);
  switch (protocol) {
  case 0x0021: return CT_STEP_IPV4;
  case 0x0057: return CT_STEP_IPV6;
  case 0x0281:
  case 0x0283: return ct_walk_enter(w, 0, CT_STEP_MPLS);
  case 0x0053: /* encryption, RFC 1968 */
  case 0x00fd: /* compressed datagram, which MPPE encrypts, RFC 3078 */ return ct_walk_end(w, CT_R_ENCRYPTED);
  default: return ct_walk_end(w, CT_R_NOT_IP);
  }
}

/* | V 1 | ES 1 | SC 1 | SCB 1 | E 1 | C 1 | AN 2 | short length 8 | packet number 32 |
 * | SCI 64, when SC | Ethertype and payload | ICV 16 bytes |   IEEE 802.1AE s9.3 */
enum ct_step ct_step_macsec(struct ct_walk *w) {
  if (w->len < 1) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t tci = w->d[0];
  if (tci & 0x80) return ct_walk_end(w, CT_R_NOT_IP); /* a version nobody has defined */
  if (tci & 0x0c) return ct_walk_end(w, CT_R_ENCRYPTED);
  uint32_t tag = tci & 0x20 ? 14 : 6;
  if (w->len < tag + 2) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t length = w->d[1] & 0x3f;
  ct_walk_skip(w, tag);
  /* Short Length counts the bytes before the ICV when they are fewer than 48; otherwise the ICV
   * ends the frame. */
  if (length == 0 && w->wire >= 16) length = w->wire - 16;
  if (length < 2 || length > w->wire) return ct_walk_end(w, CT_R_TUNNEL_BAD);
  ct_walk_trim(w, length);
  w->type = ct_be16(w->d);
  ct_walk_skip(w, 2);
  return CT_STEP_ETHERTYPE;
}

/* The Ethertype field of a Linux cooked header, read with the ARPHRD_ type of its device. */
static enum ct_step cooked(struct ct_walk *w, uint16_t type, uint16_t device, uint32_t size) {
  if (device == 824) return ct_walk_end(w, CT_R_NOT_IP); /* netlink */
  if (type != 0x0004) return ethertype_after(w, type, size);
  ct_walk_skip(w, size);
  return CT_STEP_LLC; /* 802.2 LLC follows */
}

/* | packet type 2 | ARPHRD 2 | address length 2 | address 8 | protocol 2 | */
static enum ct_step link_sll(struct ct_walk *w) {
  if (w->len < 16) return ct_walk_end(w, CT_R_LINK_SHORT);
  return cooked(w, ct_be16(w->d + 14), ct_be16(w->d + 2), 16);
}

/* | protocol 2 | zero 2 | interface 4 | ARPHRD 2 | packet type 1 | address length 1 | address 8 | */
static enum ct_step link_sll2(struct ct_walk *w) {
  if (w->len < 20) return ct_walk_end(w, CT_R_LINK_SHORT);
  return cooked(w, ct_be16(w->d), ct_be16(w->d + 8), 20);
}

/* A 32-bit address family, in the order of the host that captured (NULL) or big-endian (LOOP).
 * Families are small numbers, so the order shows. AF_INET6 is 10 on Linux, 23 on Windows, 24, 28
 * and 30 on the BSDs and macOS. */
static enum ct_step link_null(struct ct_walk *w) {
  if (w->len < 4) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t family = ct_le32(w->d);
  if (family > 0xffff) family = ct_be32(w->d);
  ct_walk_skip(w, 4);
  switch (family) {
  case 2: return CT_STEP_IPV4;
  case 10:
  case 23:
  case 24:
  case 28:
  case 30: return CT_STEP_IPV6;
  default: return ct_walk_end(w, CT_R_NOT_IP);
  }
}

/* | address 0f unicast, 8f multicast | control 00 | Ethertype 2 |; PPP shares the link type. */
static enum ct_step link_hdlc(struct ct_walk *w) {
  if (w->len < 4) return ct_walk_end(w, CT_R_LINK_SHORT);
  if (w->d[0] == 0xff && w->d[1] == 0x03) return CT_STEP_PPP;
  if (w->d[0] != 0x0f && w->d[0] != 0x8f) return ct_walk_end(w, CT_R_NOT_IP);
  return ethertype_after(w, ct_be16(w->d + 2), 4);
}

static enum ct_step link_ppp_hdlc(struct ct_walk *w) {
  if (w->len >= 1 && (w->d[0] == 0x0f || w->d[0] == 0x8f)) return link_hdlc(w);
  return CT_STEP_PPP;
}

/* | length 2 | type 2 | value | in the order of the host that captured, which nothing says. Types are small numbers
 * below two flag bits, so one byte of them is zero: a length of 8 would be one of 2048 as well. */
static bool nflog_is_little(const uint8_t *d, uint32_t wire) {
  bool low = (d[2] & 0x3f) != 0, high = (d[3] & 0x3f) != 0;
  if (low != high) return low;
  uint32_t first = d[0] | (uint32_t)d[1] << 8;
  return first >= 4 && first <= wire;
}

/* | family 1 | version 1 | resource id 2, big-endian | then TLVs |
 * Length counts its own 4 bytes. Attribute 9 is the packet. */
static enum ct_step link_nflog(struct ct_walk *w) {
  if (w->len < 4) return ct_walk_end(w, CT_R_LINK_SHORT);
  if (w->d[1] != 0) return ct_walk_end(w, CT_R_NOT_IP);
  ct_walk_skip(w, 4);
  if (w->len < 4) return ct_walk_end(w, CT_R_LINK_SHORT);
  const bool little = nflog_is_little(w->d, w->wire);
  while (w->len >= 4) {
    uint32_t size = little ? w->d[0] | (uint32_t)w->d[1] << 8 : ct_be16(w->d);
    uint32_t type = (little ? w->d[2] | (uint32_t)w->d[3] << 8 : ct_be16(w->d + 2)) & 0x3fff;
    if (size < 4 || size > w->wire) return ct_walk_end(w, CT_R_LINK_SHORT);
    if (type == 9) {
      ct_walk_trim(w, size);
      ct_walk_skip(w, 4);
      return CT_STEP_IP;
    }
    uint32_t padded = (size + 3) & ~3u;
    if (padded > w->len) break;
    ct_walk_skip(w, padded);
  }
  /* A log entry without a packet is complete as it is; a cut one is not. */
  return ct_walk_end(w, w->len == w->wire ? CT_R_NOT_IP : CT_R_LINK_SHORT);
}

/* | receiver address 40 | Ethertype 2 | reserved 2 |   IP over InfiniBand, RFC 4391 */
static enum ct_step link_ipoib(struct ct_walk *w) {
  if (w->len < 44) return ct_walk_end(w, CT_R_LINK_SHORT);
  return ethertype_after(w, ct_be16(w->d + 40), 44);
}

/* The header after what macOS may put before it. */
static enum ct_step link_first(struct ct_walk *w, uint32_t linktype) {
  switch (linktype) {
  case LINK_ETHERNET: return CT_STEP_ETHER;
  case LINK_NULL:
  case LINK_LOOP: return link_null(w);
  case LINK_RAW:
  case LINK_RAW_BSD:
  case LINK_RAW_OPENBSD: return CT_STEP_IP;
  case LINK_IPV4: return CT_STEP_IPV4;
  case LINK_IPV6: return CT_STEP_IPV6;
  case LINK_SLL: return link_sll(w);
  case LINK_SLL2: return link_sll2(w);
  case LINK_PPP:
  case LINK_PPP_HDLC: return link_ppp_hdlc(w);
  case LINK_PPP_DIR: /* one byte says in or out */
    if (w->len < 1) return ct_walk_end(w, CT_R_LINK_SHORT);
    ct_walk_skip(w, 1);
    return link_ppp_hdlc(w);
  case LINK_PPP_ETHER: return ct_walk_enter(w, CT_T_PPPOE, CT_STEP_PPPOE);
  case LINK_C_HDLC: return link_hdlc(w);
  case LINK_NFLOG: return link_nflog(w);
  case LINK_IPOIB: return link_ipoib(w);
  default: return ct_walk_end(w, CT_R_LINK_UNKNOWN);
  }
}

/* | header length 4 | record type 4, 1 a packet | link type 4 | ...  all little-endian, macOS */
static enum ct_step link_pktap(struct ct_walk *w) {
  if (w->len < 12) return ct_walk_end(w, CT_R_LINK_SHORT);
  uint32_t header = ct_le32(w->d), record = ct_le32(w->d + 4), linktype = ct_le32(w->d + 8);
  if (record != 1) return ct_walk_end(w, CT_R_NOT_IP);
  if (header < 12 || header > w->len) return ct_walk_end(w, CT_R_LINK_SHORT);
  ct_walk_skip(w, header);
  return link_first(w, linktype);
}

/* A SIP message of its own: nothing is below it. Only the link type of the capture leads here, so that no byte of a network
 * can claim to be one. */
static enum ct_step link_pdu(struct ct_walk *w) {
  struct ct_packet *p = w->p;
  struct ct_pdu pdu;
  uint32_t tags;
  switch (ct_pdu_read(&pdu, w->d, w->len, &tags)) {
  case CT_PDU_OK: break;
  case CT_PDU_SHORT: return ct_walk_end(w, CT_R_LINK_SHORT);
  case CT_PDU_BAD: return ct_walk_end(w, CT_R_PDU_BAD);
  case CT_PDU_OTHER: return ct_walk_end(w, CT_R_PROTO_OTHER);
  }
  ct_walk_skip(w, tags);
  /* How much is missing is not known. */
  if (pdu.is_cut && w->wire == w->len) w->wire++;
  p->ip_version = pdu.version;
  if (pdu.version == 6) {
    memcpy(p->src, pdu.src, 16);
    memcpy(p->dst, pdu.dst, 16);
  } else if (pdu.version == 4) {
    ct_set_ipv4(p->src, pdu.src);
    ct_set_ipv4(p->dst, pdu.dst);
  }
  p->sport = pdu.src_port;
  p->dport = pdu.dst_port;
  p->is_message = true;
  p->transport = pdu.transport;
  p->origin = pdu.origin;
  p->cls_flags = pdu.is_weak ? CT_FLAG_WEAK : 0;
  p->payload = w->d;
  p->len = w->len;
  p->wire_len = w->wire;
  return ct_walk_end(w, CT_OK);
}

enum ct_step ct_link_first(struct ct_walk *w, uint32_t linktype) {
  if (linktype == CT_PDU_LINK) return link_pdu(w);
  return linktype == LINK_PKTAP ? link_pktap(w) : link_first(w, linktype);
}
