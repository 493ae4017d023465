/* SPDX-License-Identifier: Apache-2.0
 * rtp_places.c - see rtp_table_state.h; rtp_admit.h says who gives a place to whom.
 */
#include "rtp/rtp_table_state.h"
#include <stdlib.h>
#include <string.h>

#include "core/pages.h"
#include "rtp/rtp_plain.h"
#include "rtp/rtp_segment.h"

#define SEARCHED 64u /* streams looked at for one that gives its place */
#define STRANGERS_SHARE                                                                                      \
  8u /* so much of a full table is theirs before a claimed stream that has ended must go no more */
#define MAX_QUARANTINE 1024u
#define MAX_STREAMS (1u << 26)
#define CHUNK_BYTES ((size_t)CT_RTP_CHUNK * sizeof(struct ct_stream))

static bool is_claimed(const struct ct_stream *s) { return ct_admit_holding(s) == CT_HOLDS_CLAIMED; }

void ct_rtp_add_event(struct ct_rtp_events *out, uint8_t type, uint32_t index, uint32_t generation) {
  if (out->n < sizeof(out->ev) / sizeof(out->ev[0]))
    out->ev[out->n++] = (struct ct_rtp_event){type, index, generation};
}

/* Gives a stream's index back; its counters stay readable until the index is used again. */
static void release(struct ct_rtp_table *t, uint32_t ref, struct ct_rtp_events *out) {
  struct ct_stream *s = ct_rtp_stream_at(t, ref - 1);
  if (s->state == CT_STREAM_PROBING) t->probing--;
  if (!(s->flags & CT_SF_RETIRED)) ct_rtp_index_remove(&t->index, s->hash_tag, ref);
  ct_stream_settle(s);
  s->state = CT_STREAM_FREE;
  s->plain = 0;
  s->hash_tag = 0;
  if (t->free_tail != 0)
    ct_rtp_stream_at(t, t->free_tail - 1)->hash_tag = ref;
  else
    t->free_head = ref;
  t->free_tail = ref;
  t->free_count++;
  t->live--;
  ct_rtp_add_event(out, CT_RTP_EVICTED, ref - 1, s->generation);
}

/* A stream goes, with the window that was open where somebody was shown it. */
static void evict(struct ct_rtp_table *t, uint32_t ref, struct ct_rtp_events *out) {
  const struct ct_stream *s = ct_rtp_stream_at(t, ref - 1);
  bool shown = ct_admit_holding(s) >= CT_HOLDS_ACCEPTED;
  if (shown && ct_stream_window(s, &t->opts, &out->closed.window[0]))
    ct_rtp_add_event(out, CT_RTP_WINDOW, ref - 1, s->generation);
  release(t, ref, out);
  t->counters[shown ? CT_RC_EVICTED : CT_RC_PROBING_RECYCLED]++;
}

/* Of 64 streams spread over the table, others each time: the one that holds its place by least, then the one silent for
 * longest, as index + 1: constant work. A claimed one only where strangers have less than their share. 0: none. */
static uint32_t find_giver(struct ct_rtp_table *t, enum ct_standing standing, int64_t now) {
  uint32_t best = 0, seen = 0, strangers = 0;
  enum ct_holding least = CT_HOLDINGS;
  int64_t oldest = 0;
  const uint32_t looks = t->fresh < SEARCHED ? t->fresh : SEARCHED, first = t->hand++;
  for (uint32_t n = 0; n < looks; n++) {
    uint32_t i = (uint32_t)((first + (uint64_t)n * t->fresh / looks) % t->fresh);
    const struct ct_stream *s = ct_rtp_stream_at(t, i);
    if (s->state == CT_STREAM_FREE) continue;
    enum ct_holding holding = ct_admit_holding(s);
    seen++;
    strangers += holding < CT_HOLDS_CLAIMED;
    if (holding > least || (holding == least && s->last_ns >= oldest)) continue;
    if (!ct_admit_gives(s, holding, standing, now)) continue;
    best = i + 1;
    least = holding;
    oldest = s->last_ns;
  }
  return least == CT_HOLDS_CLAIMED && strangers * STRANGERS_SHARE >= seen ? 0 : best;
}

/* A file is read faster than TypeScript follows: who seems a stranger may be claimed by what is still on its way. */
static bool is_settled(struct ct_rtp_table *t, const struct ct_stream *s, int64_t now) {
  if (t->settle == NULL || s->last_ns <= t->settled_ns || is_claimed(s)) return true;
  t->settle(t->settle_arg);
  t->settled_ns = now > s->last_ns ? now : s->last_ns;
  return false;
}

/* One gives its place to a stream of this standing; false when none does. */
static bool make_room(struct ct_rtp_table *t, enum ct_standing standing, int64_t now,
                      struct ct_rtp_events *out) {
  if (ct_admit_rests(&t->admit, standing, now)) return false;
  uint32_t ref = find_giver(t, standing, now);
  if (ref != 0 && !is_settled(t, ct_rtp_stream_at(t, ref - 1), now)) ref = find_giver(t, standing, now);
  if (ref == 0)
    ct_admit_rest(&t->admit, standing, now);
  else
    evict(t, ref, out);
  return ref != 0;
}

static bool take_fresh(struct ct_rtp_table *t) {
  if (t->fresh == t->limit) return false;
  uint32_t c = t->fresh / CT_RTP_CHUNK;
  if (t->chunks[c] == NULL) {
    void *chunk = ct_pages_map(CHUNK_BYTES);
    if (chunk == NULL) return false;
    __atomic_store_n(&t->chunks[c], (struct ct_stream *)chunk, __ATOMIC_RELEASE);
  }
  /* The first touch is a write: a read would map the shared zero page, and the write after it would have
   * to tell every other core to forget that one. */
  ct_rtp_stream_at(t, t->fresh)->generation = 0;
  t->fresh++;
  return true;
}

/* An index for a new stream, as index + 1; 0 when the table is full. */
static uint32_t take_index(struct ct_rtp_table *t) {
  if (t->live >= t->opts.max_streams || !ct_rtp_index_reserve(&t->index)) return 0;
  if (t->free_count <= t->quarantine && take_fresh(t)) return t->fresh;
  if (t->free_head == 0) return 0;
  uint32_t ref = t->free_head;
  struct ct_stream *s = ct_rtp_stream_at(t, ref - 1);
  t->free_head = s->hash_tag;
  if (t->free_head == 0) t->free_tail = 0;
  t->free_count--;
  return ref;
}

void ct_rtp_places_take(struct ct_rtp_table *t, uint64_t hash, const struct ct_packet *p,
                        const struct ct_rtp_header *h, uint8_t origin, const struct ct_stream *before,
                        struct ct_rtp_events *out) {
  enum ct_standing standing = CT_STRANGER;
  uint32_t ref = take_index(t);
  if (ref == 0) {
    standing = ct_admit_standing(&t->admit, hash, p, h);
    if (!make_room(t, standing, p->ts_ns, out) && before != NULL) evict(t, before->self, out);
    ref = take_index(t);
  }
  if (ref == 0) {
    t->counters[CT_RC_REFUSED] += ct_admit_refuse(&t->admit, hash, h);
    t->counters[CT_RC_PACKETS_REFUSED]++;
    return;
  }
  struct ct_stream *s = ct_rtp_stream_at(t, ref - 1);
  uint32_t generation = s->generation + 1;
  if (s->generation != 0) memset(s, 0, sizeof(*s)); /* else it is as it was mapped */
  s->generation = generation;
  s->self = ref;
  s->src4 = ct_load32(p->src);
  s->dst4 = ct_load32(p->dst);
  memcpy(s->src, p->src, 16);
  memcpy(s->dst, p->dst, 16);
  s->ssrc = h->ssrc;
  s->sport = p->sport;
  s->dport = p->dport;
  s->origin = origin;
  s->ip_version = p->ip_version;
  s->hash_tag = (uint32_t)hash;
  ct_stream_start(s, p, h, &t->opts);
  if (standing == CT_FOLLOWS) s->probe_hist = 1; /* the packet before it was refused, not missed */
  ct_rtp_index_insert(&t->index, s->hash_tag, ref);
  t->probing++;
  t->live++;
  t->counters[CT_RC_OPENED]++;
  ct_rtp_add_event(out, CT_RTP_OPENED, ref - 1, generation);
}

bool ct_rtp_places_open(struct ct_rtp_table *t) {
  if (t->opts.max_streams < 1) t->opts.max_streams = 1;
  if (t->opts.max_streams > MAX_STREAMS) t->opts.max_streams = MAX_STREAMS;
  t->quarantine = t->opts.max_streams / 8 + 1;
  if (t->quarantine > MAX_QUARANTINE) t->quarantine = MAX_QUARANTINE;
  t->limit = t->opts.max_streams + t->quarantine;
  t->chunk_count = (t->limit + CT_RTP_CHUNK - 1) / CT_RTP_CHUNK;
  t->chunks = calloc(t->chunk_count, sizeof(*t->chunks));
  if (t->chunks == NULL || !take_fresh(t)) return false;
  t->fresh = 0; /* only the chunk was wanted */
  return true;
}

void ct_rtp_places_close(struct ct_rtp_table *t) {
  for (uint32_t i = 0; t->chunks != NULL && i < t->chunk_count; i++)
    ct_pages_unmap(t->chunks[i], CHUNK_BYTES);
  free(t->chunks);
}
