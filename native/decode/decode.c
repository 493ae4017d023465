/* SPDX-License-Identifier: Apache-2.0
 * decode.c - decodes a frame: the short way for plain UDP, else the walk, one header step a turn.
 */
#include "decode/walk.h"

/* What the short way knows, by the registries. */
enum { LINK_ETHERNET = 1, TYPE_IPV4 = 0x0800, PROTO_UDP = 17 };

static const struct {
  const char *name;
  bool is_loss;
} reasons[CT_REASON_COUNT] = {
#define CT_ROW(reason, name, is_loss) {name, is_loss},
    CT_REASONS(CT_ROW)
#undef CT_ROW
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

bool ct_reason_is_loss(enum ct_reason r) { return (unsigned)r < CT_REASON_COUNT && reasons[r].is_loss; }

static void reset_outputs(struct ct_packet *p) {
  p->payload = NULL;
  p->len = p->wire_len = 0;
  p->tcp_seq = p->tcp_ack = 0;
  p->frag_id = p->frag_off = 0;
  p->sport = p->dport = 0;
  p->tcp_flags = p->frag_more = 0;
  p->cls = p->cls_flags = 0;
  p->is_message = false;
  p->transport = p->origin = 0;
}

static enum ct_reason run(struct ct_walk *w, enum ct_step step) {
  for (;;) {
    switch (step) {
    case CT_STEP_DONE: return w->reason;
#define CT_ROW(name, function)                                                                               \
  case CT_STEP_##name: step = ct_step_##function(w); break;
      CT_STEPS(CT_ROW)
#undef CT_ROW
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
  ct_set_ipv4(p->src, d + 26);
  ct_set_ipv4(p->dst, d + 30);
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
