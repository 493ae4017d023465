/* SPDX-License-Identifier: Apache-2.0
 * sip_flows.c - see sip_flows.h. Sets of a few places, each found by the hash; the one used longest ago gives way.
 */
#include "pipeline/sip_flows.h"
#include "core/hash.h"
#include "decode/walk.h"
#include "rtp/rtp_plain.h"
#include <stdlib.h>
#include <string.h>

#define WAYS 4u
#define SETS (CT_SIP_FLOWS / WAYS)
#define FIN 1u
#define SYN 2u
#define RST 4u
#define ACK 16u

enum state {
  UNDECIDED = 0, /* its begin was seen, and nothing of its data that tells */
  OTHER,         /* it began with something else */
  CARRIES_SIP
};

struct flow {
  uint64_t hash;     /* 0: free */
  uint32_t first[2]; /* sequence number of the first byte of each way that tells */
  uint32_t used;     /* number of its newest segment */
  uint8_t state;     /* enum state */
  uint8_t begun;     /* bits: first[] is known */
};

struct ct_sip_flows {
  uint64_t key[2];
  uint32_t segments;
  struct flow flow[SETS][WAYS];
};

_Static_assert((SETS & (SETS - 1)) == 0, "a power of two");

struct ct_sip_flows *ct_sip_flows_create(const uint64_t key[2]) {
  struct ct_sip_flows *f = calloc(1, sizeof *f);
  if (f != NULL) memcpy(f->key, key, sizeof f->key);
  return f;
}

void ct_sip_flows_free(struct ct_sip_flows *f) { free(f); }

/* 0 from the lower end of the connection, 1 from the higher one. */
static uint32_t way_of(const struct ct_packet *p) {
  int order = memcmp(p->src, p->dst, sizeof p->src);
  return order != 0 ? order > 0 : p->sport > p->dport;
}

static uint64_t hash_of(const struct ct_sip_flows *f, const struct ct_packet *p, uint32_t way) {
  const uint8_t *low = way ? p->dst : p->src, *high = way ? p->src : p->dst;
  uint64_t ports = way ? (uint64_t)p->dport << 16 | p->sport : (uint64_t)p->sport << 16 | p->dport;
  uint64_t word[5] = {ports | (uint64_t)p->ip_version << 32, ct_load32(low) | (uint64_t)ct_load32(high)
                                                                                  << 32};
  uint32_t n = 2;
  if (p->ip_version == 6) {
    word[1] = ct_load64(low);
    word[2] = ct_load64(low + 8);
    word[3] = ct_load64(high);
    word[4] = ct_load64(high + 8);
    n = 5;
  }
  uint64_t hash = ct_hash_words(f->key, word, n);
  return hash != 0 ? hash : 1;
}

static struct flow *find(struct ct_sip_flows *f, uint64_t hash) {
  struct flow *set = f->flow[hash & (SETS - 1)];
  for (uint32_t i = 0; i < WAYS; i++)
    if (set[i].hash == hash) return &set[i];
  return NULL;
}

/* A free place, else that of the connection without SIP that is silent longest, else of any. */
static struct flow *place(struct ct_sip_flows *f, uint64_t hash, enum state state) {
  struct flow *set = f->flow[hash & (SETS - 1)], *least = NULL;
  uint64_t least_rank = UINT64_MAX;
  for (uint32_t i = 0; i < WAYS; i++) {
    uint32_t recent = UINT32_MAX - (f->segments - set[i].used);
    uint64_t rank = set[i].hash == 0 ? 0 : 1 + recent + ((uint64_t)(set[i].state == CARRIES_SIP) << 33);
    if (rank >= least_rank) continue;
    least = &set[i];
    least_rank = rank;
  }
  *least = (struct flow){.hash = hash, .used = f->segments, .state = (uint8_t)state};
  return least;
}

static bool starts(const struct ct_packet *p, const char *word, uint32_t size) {
  return p->len >= size && memcmp(p->payload, word, size) == 0;
}
#define STARTS(p, word) starts(p, word, (uint32_t)sizeof(word) - 1)

/* Bytes that say nothing of what follows: line ends that keep a flow open (RFC 5626 s3.5.1), and what a load balancer
 * puts in front of a connection (the PROXY protocol of HAProxy, 1 and 2). */
static bool is_silent(const struct ct_packet *p) {
  if (STARTS(p, "PROXY ") || STARTS(p, "\r\n\r\n\0\r\nQUIT\n")) return true;
  for (uint32_t i = 0; i < p->len; i++)
    if (i >= 16 || (p->payload[i] != '\r' && p->payload[i] != '\n' && p->payload[i] != 0)) return false;
  return true;
}

/* A first line of HTTP, or a record of TLS. */
static bool begins_other(const struct ct_packet *p) {
  const uint8_t *d = p->payload;
  if (p->len >= 3 && d[0] >= 20 && d[0] <= 23 && d[1] == 3 && d[2] <= 4) return true;
  if (STARTS(p, "HTTP/1.")) return true;
  const uint8_t *feed = memchr(d, '\n', ct_min32(p->len, 2048));
  if (feed == NULL || feed - d < 12) return false;
  return memcmp(feed - (feed[-1] == '\r' ? 10 : 9), " HTTP/1.", 8) == 0;
}

/* A connection begins, anew where its ends are used again. */
static void on_syn(struct flow *flow, const struct ct_packet *p, uint32_t way) {
  if (!(p->tcp_flags & ACK)) {
    flow->state = UNDECIDED;
    flow->begun = 0;
  }
  flow->begun |= (uint8_t)(1u << way);
  flow->first[way] = p->tcp_seq + 1;
}

static void on_data(struct ct_sip_flows *f, const struct ct_packet *p, struct flow *flow, uint64_t hash,
                    uint32_t way) {
  if (flow != NULL && flow->state != UNDECIDED) return;
  uint32_t seq = p->tcp_seq + (p->tcp_flags & SYN ? 1u : 0u);
  bool is_first = flow != NULL && (flow->begun >> way & 1) && flow->first[way] == seq;
  enum state state = UNDECIDED;
  if (ct_begins_sip(p->payload, p->len))
    state = CARRIES_SIP;
  else if (is_first && is_silent(p))
    flow->first[way] += p->wire_len;
  else if (is_first || begins_other(p))
    state = OTHER;
  if (state == UNDECIDED) return;
  if (flow == NULL)
    place(f, hash, state);
  else
    flow->state = (uint8_t)state;
}

static bool carries(const struct flow *flow) { return flow != NULL && flow->state == CARRIES_SIP; }

bool ct_sip_flows_take(struct ct_sip_flows *f, const struct ct_packet *p) {
  if (p->len == 0 && p->wire_len == 0 && !(p->tcp_flags & (FIN | SYN | RST))) return false;
  uint32_t way = way_of(p);
  uint64_t hash = hash_of(f, p, way);
  struct flow *flow = find(f, hash);
  f->segments++;
  if (flow != NULL) flow->used = f->segments;
  bool carried = carries(flow); /* who follows it must know that it ends, or begins anew */
  if (p->tcp_flags & SYN) on_syn(flow = flow != NULL ? flow : place(f, hash, UNDECIDED), p, way);
  if (p->len > 0) on_data(f, p, flow, hash, way);
  bool taken = carried || carries(find(f, hash));
  if (flow != NULL && (p->tcp_flags & RST)) flow->hash = 0;
  return taken;
}
