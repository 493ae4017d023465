/* SPDX-License-Identifier: Apache-2.0
 * gen_net.h - frames of a corpus into its file, and what the file holds.
 */
#ifndef CALLTAP_BENCH_GEN_NET_H
#define CALLTAP_BENCH_GEN_NET_H
#include "gen_call.h"

/* What the file holds, counted where it is written. */
struct truth {
  uint64_t packets, bytes, sip_messages, sip_retransmissions, dialogs, streams, rtp_packets, rtp_lost,
      rtp_octets, rtcp_packets, dtmf_packets, tcp_packets, fragments, first_us, last_us;
};

struct wire;
struct wire *wire_open(const char *path, struct truth *truth);
int wire_close(struct wire *w); /* 0, or errno of the first failure */
void wire_udp(struct wire *w, uint64_t t_us, const struct link_style *l, const struct endpoint *from,
              const struct endpoint *to, const void *head, size_t head_len, const void *body,
              size_t body_len);
enum { TCP_FIN = 1, TCP_SYN = 2, TCP_PSH = 8, TCP_ACK = 16 };
/* One segment of side `side` of the flow, whose endpoints are e[0] and e[1]. */
void wire_tcp(struct wire *w, uint64_t t_us, const struct link_style *l, const struct endpoint e[2],
              struct tcp_flow *f, int side, int flags, const void *data, size_t len);
#endif
