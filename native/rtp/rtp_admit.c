/* SPDX-License-Identifier: Apache-2.0
 * rtp_admit.c - see rtp_admit.h.
 */
#include "rtp/rtp_admit.h"

#include <string.h>

#include "core/pages.h"
#include "rtp/rtp_plain.h"

#define MARKS_A_SET 16u /* two cache lines: 400,000 refused streams fill next to none */
#define STEP_AT_MOST 50
#define MS_NS 1000000ll
#define ENDED_NS (30000 * MS_NS) /* silent for so long, a stream has ended */
#define REST_NS (250000ll)       /* a look over 64 streams that finds none costs some microseconds */

/* How long a stream must have been silent. A packet time is 200 ms at most; the silences of a call are longer. */
static const int64_t PATIENCE_NS[CT_STANDINGS][CT_HOLDINGS] = {
    /*                ONCE         PROBING       ACCEPTED      CLAIMED */
    [CT_STRANGER] = {ENDED_NS, ENDED_NS, ENDED_NS, ENDED_NS},
    [CT_FOLLOWS] = {200 * MS_NS, 5000 * MS_NS, ENDED_NS, ENDED_NS},
    [CT_NAMED] = {200 * MS_NS, 200 * MS_NS, 1000 * MS_NS, ENDED_NS},
};

bool ct_admit_open(struct ct_admit *a, const uint64_t key[2]) {
  memset(a, 0, sizeof(*a));
  memcpy(a->key, key, sizeof(a->key));
  a->marks = ct_pages_map(CT_MARKS * sizeof(*a->marks));
  a->names = ct_pages_map(CT_NAMES);
  return a->marks != NULL && a->names != NULL;
}

void ct_admit_close(struct ct_admit *a) {
  ct_pages_unmap(a->marks, CT_MARKS * sizeof(*a->marks));
  ct_pages_unmap(a->names, CT_NAMES);
  memset(a, 0, sizeof(*a));
}

/* ---- named endpoints ---- */

static uint8_t *name_at(const struct ct_admit *a, uint64_t lo, uint64_t hi, uint16_t port) {
  uint64_t h = ct_fold(lo ^ a->key[0], hi ^ a->key[1]);
  return &a->names[ct_fold(h ^ a->key[1], a->key[0] + port) % CT_NAMES];
}

void ct_admit_name(struct ct_admit *a, const uint8_t addr[16], uint16_t port, bool is_named) {
  uint8_t *n = name_at(a, ct_load64(addr), ct_load64(addr + 8), port);
  uint8_t count = __atomic_load_n(n, __ATOMIC_RELAXED);
  if (count == UINT8_MAX || (count == 0 && !is_named)) return;
  __atomic_store_n(n, (uint8_t)(is_named ? count + 1 : count - 1), __ATOMIC_RELAXED);
}

static bool is_named(const struct ct_admit *a, const uint8_t *addr, uint8_t ip_version, uint16_t port) {
  const bool v6 = ip_version == 6;
  const uint8_t *n = name_at(a, v6 ? ct_load64(addr) : ct_load32(addr), v6 ? ct_load64(addr + 8) : 0, port);
  return __atomic_load_n(n, __ATOMIC_RELAXED) != 0;
}

bool ct_admit_is_named(const struct ct_admit *a, const struct ct_packet *p) {
  return is_named(a, p->dst, p->ip_version, p->dport) || is_named(a, p->src, p->ip_version, p->sport);
}

/* ---- marks of what was refused ---- */

static struct ct_mark *set_of(const struct ct_admit *a, uint64_t hash) {
  return &a->marks[(uint32_t)hash % (CT_MARKS / MARKS_A_SET) * MARKS_A_SET];
}

static uint32_t find_mark(const struct ct_mark *set, uint64_t hash) {
  uint32_t i = 0;
  while (i < MARKS_A_SET && !(set[i].used && set[i].flow == (uint32_t)(hash >> 32))) i++;
  return i;
}

enum ct_standing ct_admit_standing(const struct ct_admit *a, uint64_t hash, const struct ct_packet *p,
                                   const struct ct_rtp_header *h) {
  if (ct_admit_is_named(a, p)) return CT_NAMED;
  const struct ct_mark *set = set_of(a, hash);
  uint32_t i = find_mark(set, hash);
  if (i == MARKS_A_SET || set[i].pt != h->pt) return CT_STRANGER;
  int step = (int16_t)(uint16_t)(h->seq - set[i].seq);
  return step >= 1 && step <= STEP_AT_MOST ? CT_FOLLOWS : CT_STRANGER;
}

bool ct_admit_refuse(struct ct_admit *a, uint64_t hash, const struct ct_rtp_header *h) {
  struct ct_mark *set = set_of(a, hash);
  uint32_t i = find_mark(set, hash);
  const bool is_new = i == MARKS_A_SET;
  if (is_new) {
    i = 0;
    memmove(set + 1, set, (MARKS_A_SET - 1) * sizeof(*set));
  }
  set[i] = (struct ct_mark){(uint32_t)(hash >> 32), h->seq, h->pt, 1};
  return is_new;
}

/* ---- whose place ---- */

/* The capture clock may have gone back since: then the rest is over. */
bool ct_admit_rests(const struct ct_admit *a, enum ct_standing standing, int64_t now) {
  int64_t left = ct_ns_diff(a->rest_ns[standing], now);
  return left > 0 && left <= REST_NS;
}

void ct_admit_rest(struct ct_admit *a, enum ct_standing standing, int64_t now) {
  if (__builtin_add_overflow(now, REST_NS, &a->rest_ns[standing])) a->rest_ns[standing] = now;
}

enum ct_holding ct_admit_holding(const struct ct_stream *s) {
  if (__atomic_load_n(&s->claimed, __ATOMIC_RELAXED) != 0) return CT_HOLDS_CLAIMED;
  if (s->state == CT_STREAM_ACCEPTED) return CT_HOLDS_ACCEPTED;
  return s->probe_hist == 0 ? CT_HOLDS_ONCE : CT_HOLDS_PROBING;
}

/* A packet from the future must not hold its place for ever: distance counts, not direction. */
bool ct_admit_gives(const struct ct_stream *s, enum ct_holding holding, enum ct_standing standing,
                    int64_t now) {
  int64_t idle = ct_ns_diff(now, s->last_ns);
  return (idle < 0 ? -idle : idle) >= PATIENCE_NS[standing][holding];
}
