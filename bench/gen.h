/* SPDX-License-Identifier: Apache-2.0
 * gen.h - the pieces of the corpus generator: frames (gen_net.c), SIP text (gen_sip.c), schedule (gen.c).
 */
#ifndef CALLTAP_BENCH_GEN_H
#define CALLTAP_BENCH_GEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- randomness: splitmix64, one generator a call, so that no call depends on another's order ---- */
static inline uint64_t rng_next(uint64_t *s) {
  uint64_t z = (*s += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/* 0 .. n-1; the bias of 2^-32 does not matter here. */
static inline uint32_t rng_below(uint64_t *s, uint32_t n) {
  return (uint32_t)(((rng_next(s) >> 32) * n) >> 32);
}
static inline bool rng_permille(uint64_t *s, uint32_t p) { return p > 0 && rng_below(s, 1000) < p; }

/* ---- what the file holds, counted where it is written ---- */
struct truth {
  uint64_t packets, bytes, sip_messages, sip_retransmissions, dialogs, streams, rtp_packets, rtp_lost,
      rtp_octets, rtcp_packets, dtmf_packets, tcp_packets, fragments, first_us, last_us;
};

/* ---- frames ---- */
struct endpoint {
  uint8_t ip[16]; /* IPv4 in the first 4 bytes */
  uint16_t port;
};
struct link_style {
  bool v6, fragments_reversed;
  uint16_t vlan, outer_vlan; /* 0 none; outer: 802.1ad around it */
};
struct tcp_flow {
  uint32_t seq[2]; /* next sequence number of the caller (0) and the callee (1) */
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

/* ---- calls ---- */
struct codec {
  const char *rtpmap; /* name/clock[/channels] */
  uint8_t pt;
  uint16_t step;  /* timestamp units in 20 ms */
  uint16_t bytes; /* payload in 20 ms; the most, where it varies */
  bool varies;
};
struct media_dir {
  uint64_t start_us;
  uint32_t ssrc, ts, total, next; /* packets in all, next slot */
  uint32_t kept, first, last;     /* indexes that reached the file */
  uint32_t dtmf_at, dtmf_digits;  /* slot of the first digit, 0 none */
  uint16_t seq;
  bool swapped;
};
struct call {
  uint64_t rng;
  uint64_t key; /* identifiers derive from it */
  uint32_t id;
  uint8_t scenario, step;
  bool tcp, split, coalesce, mux, callee_hangs_up;
  uint16_t identity_len; /* length of a STIR Identity header, which makes a large INVITE */
  const struct codec *codec;
  struct link_style link;
  struct endpoint sig[2], media[2];
  struct tcp_flow flow;
  struct media_dir dir[2];
};

enum message {
  M_NONE,
  M_INVITE,
  M_ACK,
  M_ACK_FAILED,
  M_BYE,
  M_CANCEL,
  M_REGISTER,
  M_REGISTER_AUTH,
  M_OPTIONS,
  M_100,
  M_180,
  M_200_INVITE,
  M_200_BYE,
  M_200_CANCEL,
  M_200_REGISTER,
  M_200_OPTIONS,
  M_302,
  M_401,
  M_404,
  M_408,
  M_486,
  M_487
};
#define SIP_MAX 8192u
/* Writes the message into buf (SIP_MAX bytes) and its sender (0 caller, 1 callee) into *side. */
size_t sip_build(char *buf, const struct call *c, enum message m, int *side);
#endif
