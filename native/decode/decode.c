/* SPDX-License-Identifier: Apache-2.0
 * decode.c - decodes a frame: the short way for plain UDP, else the walk, one header step a turn.
 */
#include "decode/walk.h"

#include <string.h>

/* What the short way knows, by the registries. */
enum { LINK_ETHERNET = 1, TYPE_IPV4 = 0x0800, PROTO_UDP = 17 };

/* Names of enum ct_reason as /v1/stats spells them, and whether the frame counts as undecodable.
 * What calltap understood but has no use for (ARP, OSPF) is no loss; neither is what its owner
 * encrypted, or every host with a VPN would be called degraded. */
static const struct {
  const char *name;
  bool loss;
} reasons[CT_REASON_COUNT] = {
    [CT_OK] = {"ok", false},
    [CT_FRAGMENT] = {"fragment", false},
    [CT_R_LINK_UNKNOWN] = {"link_unknown", true},
    [CT_R_LINK_SHORT] = {"link_short", true},
    [CT_R_NOT_IP] = {"not_ip", false},
    [CT_R_VLAN_SHORT] = {"vlan_short", true},
    [CT_R_MPLS_SHORT] = {"mpls_short", true},
    [CT_R_PPPOE_BAD] = {"pppoe_bad", true},
    [CT_R_IPV4_SHORT] = {"ipv4_short", true},
    [CT_R_IPV4_BAD] = {"ipv4_bad", true},
    [CT_R_IPV6_SHORT] = {"ipv6_short", true},
    [CT_R_IPV6_BAD] = {"ipv6_bad", true},
    [CT_R_IPV6_EXT] = {"ipv6_ext", true},
    [CT_R_UDP_SHORT] = {"udp_short", true},
    [CT_R_UDP_BAD] = {"udp_bad", true},
    [CT_R_TCP_SHORT] = {"tcp_short", true},
    [CT_R_TCP_BAD] = {"tcp_bad", true},
    [CT_R_GRE_BAD] = {"gre_bad", true},
    [CT_R_ERSPAN_BAD] = {"erspan_bad", true},
    [CT_R_TUNNEL_BAD] = {"tunnel_bad", true},
    [CT_R_TOO_DEEP] = {"too_deep", true},
    [CT_R_ENCRYPTED] = {"encrypted", false},
    [CT_R_PROTO_OTHER] = {"proto_other", false},
    [CT_R_SIP_SCTP] = {"sip_over_sctp", true},
};

const char *ct_reason_name(enum ct_reason r) {
  return (unsigned)r < CT_REASON_COUNT ? reasons[r].name : "unknown";
}

const char *ct_tunnel_name(uint32_t tunnel) {
  static const char *const names[] = {
#define CT_ROW(name, text) text,
      CT_TUNNELS(CT_ROW)
#undef CT_ROW
  };
  return tunnel < CT_TUNNEL_COUNT ? names[tunnel] : NULL;
}

bool ct_reason_is_loss(enum ct_reason r) { return (unsigned)r < CT_REASON_COUNT && reasons[r].loss; }

static void reset_outputs(struct ct_packet *p) {
  p->payload = NULL;
  p->len = p->wire_len = 0;
  p->tcp_seq = p->tcp_ack = 0;
  p->frag_id = p->frag_off = 0;
  p->sport = p->dport = 0;
  p->tcp_flags = p->frag_more = 0;
  p->cls = p->cls_flags = 0;
}

static enum ct_reason run(struct ct_walk *w, enum ct_step step) {
  for (;;) {
    switch (step) {
    case CT_STEP_DONE: return w->reason;
    case CT_STEP_ETHER: step = ct_step_ether(w); break;
    case CT_STEP_ETHERTYPE: step = ct_step_ethertype(w); break;
    case CT_STEP_LLC: step = ct_step_llc(w); break;
    case CT_STEP_MPLS: step = ct_step_mpls(w); break;
    case CT_STEP_PPPOE: step = ct_step_pppoe(w); break;
    case CT_STEP_PPP: step = ct_step_ppp(w); break;
    case CT_STEP_NSH: step = ct_step_nsh(w); break;
    case CT_STEP_MACSEC: step = ct_step_macsec(w); break;
    case CT_STEP_IP: step = ct_step_ip(w); break;
    case CT_STEP_IPV4: step = ct_step_ipv4(w); break;
    case CT_STEP_IPV6: step = ct_step_ipv6(w); break;
    case CT_STEP_PROTO: step = ct_step_proto(w); break;
    case CT_STEP_GRE: step = ct_step_gre(w); break;
    case CT_STEP_UDP: step = ct_step_udp(w); break;
    case CT_STEP_TCP: step = ct_step_tcp(w); break;
    case CT_STEP_ESP: step = ct_step_esp(w); break;
    }
  }
}

/* The frame nearly every capture is made of: Ethernet, IPv4 without options, UDP, whole and not on
 * a tunnel port. Answers false when it is anything else and leaves the outputs to the walk. */
static inline bool plain_udp(struct ct_packet *p) {
  const uint8_t *d = p->frame;
  if (p->caplen < 42 || ct_be16(d + 12) != TYPE_IPV4 || d[14] != 0x45 || d[23] != PROTO_UDP) return false;
  if (ct_be16(d + 20) & 0x3fff) return false;
  uint32_t total = ct_be16(d + 16), udp = ct_be16(d + 38);
  uint16_t sport = ct_be16(d + 34), dport = ct_be16(d + 36);
  if (udp < 8 || udp + 20 > total || total + 14 > p->caplen) return false;
  if (ct_is_tunnel_port(dport) || ct_is_tunnel_port(sport)) return false;
  p->payload = d + 42;
  p->len = p->wire_len = udp - 8;
  p->sport = sport;
  p->dport = dport;
  p->ip_id = ct_be16(d + 18);
  p->ip_version = 4;
  p->proto = PROTO_UDP;
  p->dscp = d[15] >> 2;
  memcpy(p->src, d + 26, 4);
  memset(p->src + 4, 0, 12);
  memcpy(p->dst, d + 30, 4);
  memset(p->dst + 4, 0, 12);
  return true;
}

enum ct_reason ct_decode_frame(struct ct_packet *p, uint32_t linktype, const struct ct_decode_opts *o) {
  reset_outputs(p);
  p->tunnels = 0;
  p->tunnel_depth = 0;
  if (CT_LIKELY(linktype == LINK_ETHERNET) && CT_LIKELY(plain_udp(p))) return CT_OK;
  p->ip_id = 0;
  p->ip_version = p->proto = 0;
  p->dscp = 0xff; /* no IP header was seen yet */
  memset(p->src, 0, sizeof p->src);
  memset(p->dst, 0, sizeof p->dst);
  struct ct_walk w = {.p = p, .d = p->frame, .len = p->caplen, .wire = p->wirelen};
  if (w.wire < w.len) w.wire = w.len;
  w.esp_null = o && o->esp_null;
  return run(&w, ct_link_first(&w, linktype));
}

enum ct_reason ct_decode_ip_payload(struct ct_packet *p, const uint8_t *data, uint32_t len,
                                    const struct ct_decode_opts *o) {
  struct ct_walk w = {.p = p, .d = data, .len = len, .wire = len, .proto = p->proto};
  w.esp_null = o && o->esp_null;
  reset_outputs(p);
  return run(&w, CT_STEP_PROTO);
}
