/* SPDX-License-Identifier: Apache-2.0
 * gen_call.h - a call of the corpus generator: its addresses, media and randomness.
 */
#ifndef CALLTAP_BENCH_GEN_CALL_H
#define CALLTAP_BENCH_GEN_CALL_H
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

/* ---- where its packets run ---- */
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

/* ---- the call ---- */
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
#endif
