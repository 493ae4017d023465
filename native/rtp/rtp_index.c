/* SPDX-License-Identifier: Apache-2.0
 * rtp_index.c - see rtp_index.h.
 */
#include "rtp/rtp_index.h"
#include <string.h>

#include "core/pages.h"
#include "rtp/rtp_plain.h"

#define MIN_SLOTS 1024u
#define MIGRATE_STEP 64u
#define PROBES_AHEAD 16 /* slots looked at for a packet that is still to come */
#define TOMBSTONE UINT32_MAX

static bool slots_alloc(struct ct_rtp_slots *s, uint32_t count) {
  s->at = ct_pages_map(count * sizeof(*s->at));
  s->mask = count - 1;
  return s->at != NULL;
}

static void slots_free(struct ct_rtp_slots *s) {
  ct_pages_unmap(s->at, ((size_t)s->mask + 1) * sizeof(*s->at));
  s->at = NULL;
}

static void slots_insert(const struct ct_rtp_slots *s, uint32_t tag, uint32_t ref) {
  uint32_t i = tag & s->mask;
  while (s->at[i].ref != 0) i = (i + 1) & s->mask;
  s->at[i] = (struct ct_rtp_slot){tag, ref};
}

bool ct_rtp_same_key(const struct ct_stream *s, const struct ct_rtp_key *key) {
  const struct ct_packet *p = key->p;
  if (s->ssrc != key->ssrc || s->sport != p->sport || s->dport != p->dport || s->origin != key->origin ||
      s->ip_version != p->ip_version)
    return false;
  if (s->src4 != ct_load32(p->src) || s->dst4 != ct_load32(p->dst)) return false;
  if (p->ip_version != 6) return true;
  return memcmp(s->src, p->src, 16) == 0 && memcmp(s->dst, p->dst, 16) == 0;
}

static uint32_t slots_find(const struct ct_rtp_slots *s, struct ct_stream *const *chunks, uint32_t tag,
                           const struct ct_rtp_key *key) {
  for (uint32_t i = tag & s->mask; s->at[i].ref != 0; i = (i + 1) & s->mask) {
    if (s->at[i].tag != tag || s->at[i].ref == TOMBSTONE) continue;
    uint32_t index = s->at[i].ref - 1;
    if (ct_rtp_same_key(&chunks[index / CT_RTP_CHUNK][index % CT_RTP_CHUNK], key)) return index + 1;
  }
  return 0;
}

/* Takes `ref` out by moving later entries of its run back, so that no tombstone slows a lookup. */
static bool slots_remove(const struct ct_rtp_slots *s, uint32_t tag, uint32_t ref) {
  uint32_t i = tag & s->mask;
  while (s->at[i].ref != ref) {
    if (s->at[i].ref == 0) return false;
    i = (i + 1) & s->mask;
  }
  for (uint32_t j = (i + 1) & s->mask; s->at[j].ref != 0; j = (j + 1) & s->mask) {
    uint32_t home = s->at[j].tag & s->mask;
    /* An entry may move back unless that would put it before its home. */
    if (((j - home) & s->mask) < ((j - i) & s->mask)) continue;
    s->at[i] = s->at[j];
    i = j;
  }
  s->at[i].ref = 0;
  return true;
}

static void slots_bury(const struct ct_rtp_slots *s, uint32_t tag, uint32_t ref) {
  for (uint32_t i = tag & s->mask; s->at[i].ref != 0; i = (i + 1) & s->mask) {
    if (s->at[i].ref != ref) continue;
    s->at[i].ref = TOMBSTONE;
    return;
  }
}

bool ct_rtp_index_open(struct ct_rtp_index *x) {
  memset(x, 0, sizeof(*x));
  return slots_alloc(&x->cur, MIN_SLOTS);
}

void ct_rtp_index_close(struct ct_rtp_index *x) {
  slots_free(&x->cur);
  slots_free(&x->old);
}

/* Entries move to `cur` in slot order and stay in `old`, so that its probe runs hold until it is dropped. */
static void migrate(struct ct_rtp_index *x, uint32_t steps) {
  while (steps-- > 0 && x->migrated <= x->old.mask) {
    struct ct_rtp_slot s = x->old.at[x->migrated];
    x->migrated++;
    if (s.ref != 0 && s.ref != TOMBSTONE) slots_insert(&x->cur, s.tag, s.ref);
  }
  if (x->migrated <= x->old.mask) return;
  slots_free(&x->old);
}

bool ct_rtp_index_reserve(struct ct_rtp_index *x) {
  if (x->old.at != NULL) {
    migrate(x, MIGRATE_STEP);
  } else if (x->used >= (x->cur.mask + 1) / 2) {
    struct ct_rtp_slots grown;
    if (slots_alloc(&grown, (x->cur.mask + 1) * 2)) {
      x->old = x->cur;
      x->cur = grown;
      x->migrated = 0;
      migrate(x, MIGRATE_STEP);
    }
  }
  /* A full index would make a lookup endless. */
  return x->used < x->cur.mask - x->cur.mask / 8;
}

void ct_rtp_index_insert(struct ct_rtp_index *x, uint32_t tag, uint32_t ref) {
  slots_insert(&x->cur, tag, ref);
  x->used++;
}

void ct_rtp_index_remove(struct ct_rtp_index *x, uint32_t tag, uint32_t ref) {
  slots_remove(&x->cur, tag, ref);
  if (x->old.at != NULL) slots_bury(&x->old, tag, ref);
  x->used--;
}

uint32_t ct_rtp_index_find(const struct ct_rtp_index *x, struct ct_stream *const *chunks, uint32_t tag,
                           const struct ct_rtp_key *key) {
  uint32_t ref = slots_find(&x->cur, chunks, tag, key);
  if (ref == 0 && x->old.at != NULL) ref = slots_find(&x->old, chunks, tag, key);
  return ref;
}

uint32_t ct_rtp_index_guess(const struct ct_rtp_index *x, uint32_t tag) {
  uint32_t i = tag & x->cur.mask;
  for (uint32_t n = 0; n < PROBES_AHEAD; n++, i = (i + 1) & x->cur.mask) {
    uint32_t ref = x->cur.at[i].ref;
    if (ref == 0 || x->cur.at[i].tag == tag) return ref;
  }
  return 0;
}

void ct_rtp_index_prefetch(const struct ct_rtp_index *x, uint32_t tag) {
  __builtin_prefetch(&x->cur.at[tag & x->cur.mask]);
}
