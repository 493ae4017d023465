/* SPDX-License-Identifier: Apache-2.0
 * selection.c - see selection.h. Most frames of a file are none of ours: one bit a port says so without a look at the
 * addresses. What passes is looked for in a table of pairs.
 */
#include "file/selection.h"
#include "core/hash.h"
#include "decode/walk.h"
#include <stdlib.h>
#include <string.h>

#define ICMP 1
#define UDP 17
#define ICMPV6 58
#define LINK_ETHERNET 1u
#define FRAGMENT_SETS 512u /* of datagrams in fragments; a power of two */
#define FRAGMENT_WAYS 4u
#define FRAGMENT_NS (30 * 1000000000ll) /* a datagram is done with by then */

_Static_assert(sizeof(struct ct_flow) == 56, "mirrored by JavaScript");

struct numbers {
  const double *number;
  uint64_t n, at;
};

/* A datagram of which a fragment came. */
struct fragmented {
  uint64_t hash; /* 0: free */
  int64_t ts_ns;
  uint32_t before; /* fragments that came before the first one */
  bool is_ours;
};

struct ct_selection {
  uint64_t key[2];
  uint64_t port[1024]; /* one bit a port of the flows */
  struct ct_flow *flow;
  uint32_t *slot; /* number of a flow plus one, 0 free: open addressing */
  uint32_t mask;
  uint32_t files;
  uint64_t missed_fragments;
  struct fragmented fragmented[FRAGMENT_SETS][FRAGMENT_WAYS];
  struct numbers numbers[];
};

/* ---- The table of flows ---- */

static uint64_t load64(const uint8_t *b) {
  uint64_t v;
  memcpy(&v, b, sizeof v);
  return v;
}

/* The same for both ways: the larger end goes first. */
static uint64_t hash_of(const struct ct_selection *s, const uint8_t *a, uint16_t a_port, const uint8_t *b,
                        uint16_t b_port) {
  int order = memcmp(a, b, 16);
  if (order < 0 || (order == 0 && a_port < b_port)) {
    const uint8_t *t = a;
    a = b;
    b = t;
    uint16_t p = a_port;
    a_port = b_port;
    b_port = p;
  }
  const uint64_t word[5] = {load64(a), load64(a + 8), load64(b), load64(b + 8),
                            (uint64_t)a_port << 16 | b_port};
  return ct_hash_words(s->key, word, 5);
}

static void add_port(struct ct_selection *s, uint16_t port) {
  s->port[port >> 6] |= UINT64_C(1) << (port & 63);
}

static void add_flow(struct ct_selection *s, uint32_t i) {
  const struct ct_flow *f = &s->flow[i];
  add_port(s, f->a_port);
  add_port(s, f->b_port);
  uint32_t at = (uint32_t)hash_of(s, f->a, f->a_port, f->b, f->b_port) & s->mask;
  while (s->slot[at] != 0) at = (at + 1) & s->mask;
  s->slot[at] = i + 1;
}

struct ct_selection *ct_selection_create(uint32_t files, const struct ct_flow *flow, uint32_t n,
                                         const uint64_t key[2]) {
  if (n > UINT32_MAX / 4) return NULL;
  struct ct_selection *s = calloc(1, sizeof *s + files * sizeof s->numbers[0]);
  if (s == NULL) return NULL;
  uint32_t slots = 16;
  while (slots < 2 * n) slots *= 2;
  s->files = files;
  s->mask = slots - 1;
  memcpy(s->key, key, sizeof s->key);
  s->slot = calloc(slots, sizeof *s->slot);
  s->flow = malloc((n > 0 ? n : 1) * sizeof *s->flow);
  if (s->slot == NULL || s->flow == NULL) {
    ct_selection_free(s);
    return NULL;
  }
  if (n > 0) memcpy(s->flow, flow, n * sizeof *s->flow);
  for (uint32_t i = 0; i < n; i++) add_flow(s, i);
  return s;
}

void ct_selection_free(struct ct_selection *s) {
  if (s == NULL) return;
  free(s->slot);
  free(s->flow);
  free(s);
}

void ct_selection_set_numbers(struct ct_selection *s, uint32_t file, const double *number, uint64_t n) {
  if (file < s->files) s->numbers[file] = (struct numbers){.number = number, .n = n};
}

static bool is_between(const struct ct_flow *f, const struct ct_packet *p, uint16_t sport, uint16_t dport) {
  if (f->version != p->ip_version) return false;
  if (sport == f->a_port && dport == f->b_port && memcmp(p->src, f->a, 16) == 0 &&
      memcmp(p->dst, f->b, 16) == 0)
    return true;
  return sport == f->b_port && dport == f->a_port && memcmp(p->src, f->b, 16) == 0 &&
         memcmp(p->dst, f->a, 16) == 0;
}

/* Version 2, and no packet type of RTCP (RFC 5761 s4). */
static bool is_rtp(const uint8_t *d, uint32_t len) {
  return len >= 12 && d[0] >> 6 == 2 && (d[1] & 0xe0) != 0xc0;
}

/* Whether a flow has this datagram; `d` is its payload. */
static bool has_flow(const struct ct_selection *s, const struct ct_packet *p, uint16_t sport, uint16_t dport,
                     const uint8_t *d, uint32_t len) {
  if (!ct_port_in(s->port, sport) || !ct_port_in(s->port, dport)) return false;
  /* As records have it: the number of a frame's time is the same here. */
  const double us = (double)(p->ts_ns / 1000) + (double)(p->ts_ns % 1000) / 1000.0;
  uint32_t at = (uint32_t)hash_of(s, p->src, sport, p->dst, dport) & s->mask;
  for (; s->slot[at] != 0; at = (at + 1) & s->mask) {
    const struct ct_flow *f = &s->flow[s->slot[at] - 1];
    if (!is_between(f, p, sport, dport) || !(us >= f->from_us && us <= f->to_us)) continue;
    if (!f->is_control || !is_rtp(d, len)) return true;
  }
  return false;
}

/* ---- Fragments ---- */

static struct fragmented *datagram_of(struct ct_selection *s, const struct ct_packet *p) {
  const uint64_t word[6] = {load64(p->src),
                            load64(p->src + 8),
                            load64(p->dst),
                            load64(p->dst + 8),
                            (uint64_t)p->frag_id << 32 | p->ip_version,
                            0};
  uint64_t hash = ct_hash_words(s->key, word, 6) | 1;
  struct fragmented *set = s->fragmented[(hash >> 32) % FRAGMENT_SETS], *oldest = set;
  for (uint32_t i = 0; i < FRAGMENT_WAYS; i++) {
    if (set[i].hash == hash && p->ts_ns - set[i].ts_ns <= FRAGMENT_NS) return &set[i];
    if (set[i].hash == 0 || (oldest->hash != 0 && set[i].ts_ns < oldest->ts_ns)) oldest = &set[i];
  }
  *oldest = (struct fragmented){.hash = hash, .ts_ns = p->ts_ns};
  return oldest;
}

/* UDP has its ports in the first fragment. */
static bool has_fragment(struct ct_selection *s, const struct ct_packet *p) {
  struct fragmented *d = datagram_of(s, p);
  if (p->frag_off != 0) {
    if (!d->is_ours) d->before++;
    return d->is_ours;
  }
  bool is_ours = p->proto == UDP && p->len >= 8 &&
                 has_flow(s, p, ct_be16(p->payload), ct_be16(p->payload + 2), p->payload + 8, p->len - 8);
  if (is_ours) s->missed_fragments += d->before;
  d->before = 0;
  d->is_ours = is_ours;
  d->ts_ns = p->ts_ns;
  return is_ours;
}

/* ---- ICMP errors ---- */

/* RFC 792, RFC 4443: type and code, a checksum and four bytes more, then the packet that failed as far as there is room. */
static bool quotes_flow(const struct ct_selection *s, const struct ct_packet *p) {
  if (p->len < 8) return false;
  const uint8_t type = p->payload[0], *d = p->payload + 8;
  const bool six = p->proto == ICMPV6;
  if (six ? type < 1 || type > 4 : type != 3 && type != 11 && type != 12) return false;
  uint32_t len = p->len - 8, header = 40;
  struct ct_packet quoted = {.ts_ns = p->ts_ns, .ip_version = six ? 6 : 4};
  if (len < 1 || d[0] >> 4 != quoted.ip_version) return false;
  if (!six) header = (d[0] & 15u) * 4;
  if (header < 20 || len < header + 4 || d[six ? 6 : 9] != UDP) return false;
  if (six) {
    memcpy(quoted.src, d + 8, 16);
    memcpy(quoted.dst, d + 24, 16);
  } else {
    ct_set_ipv4(quoted.src, d + 12);
    ct_set_ipv4(quoted.dst, d + 16);
  }
  return has_flow(s, &quoted, ct_be16(d + header), ct_be16(d + header + 2), d, 0);
}

/* ---- A frame ---- */

/* True for plain UDP between ports that no flow has, as nearly all frames of most files are. */
static inline bool is_foreign(const struct ct_selection *s, const struct ct_frame *f) {
  const uint8_t *d = f->data;
  if (f->linktype != LINK_ETHERNET || f->caplen < 42) return false;
  if (ct_be16(d + 12) != 0x0800 || d[14] != 0x45 || d[23] != UDP || (ct_be16(d + 20) & 0x3fff) != 0)
    return false;
  const uint16_t sport = ct_be16(d + 34), dport = ct_be16(d + 36);
  if (ct_port_in(s->port, sport) && ct_port_in(s->port, dport)) return false;
  return !ct_is_tunnel_port(sport) && !ct_is_tunnel_port(dport);
}

static bool is_next(struct numbers *l, uint64_t ordinal) {
  while (l->at < l->n && l->number[l->at] < (double)ordinal) l->at++;
  if (l->at == l->n || l->number[l->at] != (double)ordinal) return false;
  l->at++;
  return true;
}

enum ct_taken ct_selection_take(struct ct_selection *s, uint32_t file, const struct ct_frame *f,
                                const struct ct_decode_opts *o) {
  bool by_number = file < s->files && is_next(&s->numbers[file], f->ordinal);
  if (!by_number && is_foreign(s, f)) return CT_TAKEN_NOT;
  struct ct_packet p = {.ts_ns = f->ts_ns,
                        .ordinal = f->ordinal,
                        .frame = f->data,
                        .caplen = f->caplen,
                        .wirelen = f->wirelen,
                        .vlan = f->vlan};
  enum ct_reason reason = ct_decode_frame(&p, f->linktype, o);
  bool by_flow = false;
  if (reason == CT_OK && p.proto == UDP)
    by_flow = has_flow(s, &p, p.sport, p.dport, p.payload, p.len);
  else if (reason == CT_OK && (p.proto == ICMP || p.proto == ICMPV6))
    by_flow = quotes_flow(s, &p);
  else if (reason == CT_FRAGMENT)
    by_flow = has_fragment(s, &p);
  return by_number ? CT_TAKEN_BY_NUMBER : by_flow ? CT_TAKEN_BY_FLOW : CT_TAKEN_NOT;
}

uint64_t ct_selection_missing(const struct ct_selection *s) {
  uint64_t missing = 0;
  for (uint32_t i = 0; i < s->files; i++) missing += s->numbers[i].n - s->numbers[i].at;
  return missing;
}

uint64_t ct_selection_missed_fragments(const struct ct_selection *s) { return s->missed_fragments; }
