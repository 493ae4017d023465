/* SPDX-License-Identifier: Apache-2.0
 * frame_order.c - see frame_order.h. Numbers are compared in serial arithmetic: they go round.
 */
#include "file/frame_order.h"
#include "decode/packet.h"
#include "decode/walk.h"
#include <string.h>

#define TCP 6

static bool decode(struct ct_packet *p, const struct ct_frame *f) {
  *p = (struct ct_packet){.ts_ns = f->ts_ns, .frame = f->data, .caplen = f->caplen, .wirelen = f->wirelen};
  enum ct_reason reason = ct_decode_frame(p, f->linktype, NULL);
  return reason == CT_OK || reason == CT_FRAGMENT;
}

static int sign16(uint16_t a, uint16_t b) { return a == b ? 0 : (int16_t)(uint16_t)(a - b) < 0 ? -1 : 1; }
static int sign32(uint32_t a, uint32_t b) { return a == b ? 0 : (int32_t)(a - b) < 0 ? -1 : 1; }

/* Behind the last byte, SYN and FIN counted. */
static uint32_t tcp_end(const struct ct_packet *p) {
  return p->tcp_seq + p->wire_len + (p->tcp_flags & 1u) + (p->tcp_flags >> 1 & 1u);
}

static int tcp_same_way(const struct ct_packet *a, const struct ct_packet *b) {
  int by_seq = sign32(a->tcp_seq, b->tcp_seq);
  return by_seq != 0 ? by_seq : sign32(tcp_end(a), tcp_end(b));
}

/* Who acknowledges what the other sent came later. */
static int tcp_both_ways(const struct ct_packet *a, const struct ct_packet *b) {
  const bool b_knows =
      (b->tcp_flags & 16) != 0 && tcp_end(a) != a->tcp_seq && sign32(b->tcp_ack, tcp_end(a)) >= 0;
  const bool a_knows =
      (a->tcp_flags & 16) != 0 && tcp_end(b) != b->tcp_seq && sign32(a->tcp_ack, tcp_end(b)) >= 0;
  return (int)a_knows - (int)b_knows;
}

static bool is_rtp(const struct ct_packet *p) { return p->len >= 12 && p->payload[0] >> 6 == 2; }

static int same_hosts(const struct ct_packet *a, const struct ct_packet *b) {
  if (is_rtp(a) && is_rtp(b) && memcmp(a->payload + 8, b->payload + 8, 4) == 0)
    return sign16(ct_be16(a->payload + 2), ct_be16(b->payload + 2));
  int by_id = sign16(a->ip_id, b->ip_id);
  return by_id != 0 || a->frag_id != b->frag_id ? by_id : sign32(a->frag_off, b->frag_off);
}

static bool is_response(const struct ct_packet *p) {
  return p->len > 8 && memcmp(p->payload, "SIP/2.0 ", 8) == 0;
}

int ct_frame_order(const struct ct_frame *a, const struct ct_frame *b) {
  struct ct_packet x, y;
  if (!decode(&x, a) || !decode(&y, b) || x.ip_version != y.ip_version || x.proto != y.proto) return 0;
  const bool same = memcmp(x.src, y.src, 16) == 0 && memcmp(x.dst, y.dst, 16) == 0;
  const bool opposite = memcmp(x.src, y.dst, 16) == 0 && memcmp(x.dst, y.src, 16) == 0;
  if (x.proto == TCP) {
    if (same && x.sport == y.sport && x.dport == y.dport) return tcp_same_way(&x, &y);
    return opposite && x.sport == y.dport && x.dport == y.sport ? tcp_both_ways(&x, &y) : 0;
  }
  if (same) return same_hosts(&x, &y);
  return opposite ? (int)is_response(&x) - (int)is_response(&y) : 0;
}
