/* SPDX-License-Identifier: Apache-2.0
 * walk.h - the packet walk seen from inside: one state, one cursor, a loop over header steps.
 *
 * decode.c calls one step a turn until a step answers CT_STEP_DONE. A step reads the
 * header under the cursor, moves the cursor after it and names what comes next. Each step either
 * ends the walk or moves the cursor forward, and each encapsulation is counted by ct_walk_enter(),
 * so a frame costs time linear in its captured bytes at most.
 *
 * Two lengths travel with the cursor: `len` bytes are in memory, `wire` bytes were on the wire by
 * the headers met so far, len <= wire always. A header that does not fit `wire` is malformed, one
 * that fits `wire` but not `len` was cut by the snapshot length. Not part of the boundary.
 */
#ifndef CALLTAP_WALK_H
#define CALLTAP_WALK_H
#include "../../bpf/tunnel_ports.h"
#include "decode/packet.h"
#include <string.h>

#define CT_LIKELY(x) __builtin_expect(!!(x), 1)
#define CT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The header under the cursor, and the function ct_step_*() of link.c, ip.c or tunnel.c that reads it. */
#define CT_STEPS(ROW)                                                                                        \
  ROW(ETHER, ether)         /* an Ethernet header */                                                         \
  ROW(ETHERTYPE, ethertype) /* the payload of Ethertype w->type */                                           \
  ROW(LLC, llc)             /* an 802.2 LLC header */                                                        \
  ROW(MPLS, mpls)                                                                                            \
  ROW(PPPOE, pppoe)                                                                                          \
  ROW(PPP, ppp)                                                                                              \
  ROW(NSH, nsh)                                                                                              \
  ROW(MACSEC, macsec)                                                                                        \
  ROW(IP, ip) /* IPv4 or IPv6, by the version nibble */                                                      \
  ROW(IPV4, ipv4)                                                                                            \
  ROW(IPV6, ipv6)                                                                                            \
  ROW(PROTO, proto) /* the payload of IP protocol w->proto */                                                \
  ROW(GRE, gre)                                                                                              \
  ROW(UDP, udp)                                                                                              \
  ROW(TCP, tcp)                                                                                              \
  ROW(ESP, esp)

enum ct_step {
  CT_STEP_DONE = 0, /* w->reason holds the answer */
#define CT_ROW(name, function) CT_STEP_##name,
  CT_STEPS(CT_ROW)
#undef CT_ROW
};

struct ct_walk {
  struct ct_packet *p;
  const uint8_t *d;    /* the cursor */
  uint32_t len, wire;  /* bytes after it: captured, and on the wire */
  uint16_t type;       /* Ethertype, for CT_STEP_ETHERTYPE */
  uint8_t proto;       /* IP protocol, for CT_STEP_PROTO */
  uint8_t extensions;  /* extension headers met after the current IP header */
  bool length_unknown; /* the IP header states no length: segmentation offload or a jumbogram */
  bool esp_null;       /* struct ct_decode_opts */
  enum ct_reason reason;
};

static inline uint16_t ct_be16(const uint8_t *d) { return (uint16_t)(d[0] << 8 | d[1]); }
static inline uint32_t ct_be32(const uint8_t *d) {
  return (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3];
}
static inline uint32_t ct_le32(const uint8_t *d) {
  return (uint32_t)d[3] << 24 | (uint32_t)d[2] << 16 | (uint32_t)d[1] << 8 | d[0];
}
static inline uint32_t ct_min32(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline void ct_set_ipv4(uint8_t address[16], const uint8_t *from) {
  memcpy(address, from, 4);
  memset(address + 4, 0, 12);
}

/* Moves the cursor. The caller has checked n <= w->len. */
static inline void ct_walk_skip(struct ct_walk *w, uint32_t n) {
  w->d += n;
  w->len -= n;
  w->wire -= n;
}

/* A header said that `n` bytes follow on the wire: what lies behind them is padding or a trailer.
 * A larger n is not an error here: the frame was cut and its recorded wire length does not say so. */
static inline void ct_walk_trim(struct ct_walk *w, uint32_t n) {
  w->wire = n;
  w->len = ct_min32(w->len, n);
}

static inline enum ct_step ct_walk_end(struct ct_walk *w, enum ct_reason r) {
  w->reason = r;
  return CT_STEP_DONE;
}

/* Goes one encapsulation deeper, or ends the walk when there were too many. */
static inline enum ct_step ct_walk_enter(struct ct_walk *w, uint32_t tunnel_bits, enum ct_step next) {
  w->p->tunnels |= tunnel_bits;
  if (CT_UNLIKELY(w->p->tunnel_depth >= CT_MAX_TUNNELS)) return ct_walk_end(w, CT_R_TOO_DEEP);
  w->p->tunnel_depth++;
  return next;
}

#define CT_ROW(name, function) enum ct_step ct_step_##function(struct ct_walk *w);
CT_STEPS(CT_ROW)
#undef CT_ROW

/* What the header of this link type says. */
enum ct_step ct_link_first(struct ct_walk *w, uint32_t linktype);
/* The cursor is on the payload of a UDP datagram of which one port is a tunnel port. Enters the
 * tunnel when its structure holds; otherwise leaves the cursor alone and answers CT_STEP_UDP: the
 * datagram stays an ordinary one. */
enum ct_step ct_udp_tunnel(struct ct_walk *w, uint16_t sport, uint16_t dport);

/* How much a claimed inner header must prove before it is believed. */
enum ct_proof {
  CT_PROOF_SHAPE, /* version and header length; the bytes may be cut */
  CT_PROOF_FIT,   /* also: fully visible, and its length fits the outer one */
  CT_PROOF_SUM,   /* also: the IPv4 header checksum is right, the IPv6 length exact */
};
bool ct_peek_ip(const uint8_t *d, uint32_t len, uint32_t wire, enum ct_proof proof);
bool ct_peek_ether(const uint8_t *d, uint32_t len, uint32_t wire, enum ct_proof proof);

/* True for the UDP ports in ct_udp_tunnel(). The mask drops most other ports in two instructions. */
enum ct_tunnel_port {
#define CT_ROW(name, port) CT_PORT_##name = (port),
  CT_TUNNEL_PORTS(CT_ROW)
#undef CT_ROW
};
static inline bool ct_is_tunnel_port(uint16_t port) {
#define CT_ROW(name, port) mask |= UINT64_C(1) << ((port)&63);
  uint64_t mask = 0;
  CT_TUNNEL_PORTS(CT_ROW)
#undef CT_ROW
  if (CT_LIKELY(!((mask >> (port & 63)) & 1))) return false;
  switch (port) {
#define CT_ROW(name, port) case port:
    CT_TUNNEL_PORTS(CT_ROW)
#undef CT_ROW
    return true;
  default: return false;
  }
}

#endif
