/* SPDX-License-Identifier: Apache-2.0
 * rtp_table.c - finds the stream of a packet and counts the packet in it.
 */
#include "rtp/rtp_table.h"
#include <stdlib.h>
#include <string.h>

#include "rtp/rtp_plain.h"
#include "rtp/rtp_segment.h"
#include "rtp/rtp_table_state.h"

#define DEFAULT_WINDOW_NS 5000000000ull

/* ---- hash ---- */

/* Of what IPv4 and IPv6 have: four bytes of each address, one after the other as they lie in a frame; the SSRC as it
 * lies there and the two ports. */
static uint64_t hash_flow(const struct ct_rtp_table *t, uint64_t addresses, uint32_t ssrc, uint32_t ports) {
  return ct_fold(addresses ^ t->key[0], ((uint64_t)ssrc << 32 | ports) ^ t->key[1]);
}

static uint64_t hash_end(const struct ct_rtp_table *t, uint64_t h, uint8_t origin, uint8_t ip_version) {
  return ct_fold(h ^ t->key[2], t->key[3] + ((uint64_t)origin << 8 | ip_version));
}

uint64_t ct_rtp_hash(const struct ct_rtp_table *t, const struct ct_packet *p, uint8_t origin) {
  if (p->len < 12) return 0; /* update counts it as malformed */
  uint64_t h = hash_flow(t, (uint64_t)ct_load32(p->dst) << 32 | ct_load32(p->src), ct_load32(p->payload + 8),
                         (uint32_t)p->sport << 16 | p->dport);
  if (p->ip_version == 6) {
    h = ct_fold(h ^ ct_load64(p->src), t->key[2] ^ ct_load64(p->src + 8));
    h = ct_fold(h ^ ct_load64(p->dst), t->key[3] ^ ct_load64(p->dst + 8));
  }
  return hash_end(t, h, origin, p->ip_version);
}

uint64_t ct_rtp_hash_plain(const struct ct_rtp_table *t, const uint8_t *frame, uint8_t origin) {
  uint64_t h = hash_flow(t, ct_load64(frame + CT_PLAIN_IP + 12), ct_load32(frame + CT_PLAIN_RTP + 8),
                         ct_be32(frame + CT_PLAIN_UDP));
  return hash_end(t, h, origin, 4);
}

/* ---- the table ---- */

static void derive_keys(struct ct_rtp_table *t) {
  const uint64_t odd = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: any odd constant without structure */
  uint64_t a = t->opts.seed[0], b = t->opts.seed[1];
  for (int i = 0; i < 4; i++) {
    a += odd;
    b = ct_fold(b ^ a, odd ^ (a << 1 | 1)) + a;
    t->key[i] = b | 1;
  }
}

struct ct_rtp_table *ct_rtp_create(const struct ct_rtp_opts *o) {
  struct ct_rtp_table *t = calloc(1, sizeof(*t));
  if (t == NULL) return NULL;
  t->opts = *o;
  uint64_t window = t->opts.window_ns;
  if (window == 0 || window > (uint64_t)INT64_MAX) t->opts.window_ns = DEFAULT_WINDOW_NS;
  t->buffer_ns = (int64_t)t->opts.buffer_ms * 1000000;
  derive_keys(t);
  t->changes = calloc(1, sizeof(*t->changes));
  if (t->changes != NULL && ct_admit_open(&t->admit, &t->key[2]) && ct_rtp_index_open(&t->index) &&
      ct_rtp_places_open(t))
    return t;
  ct_rtp_free(t);
  return NULL;
}

void ct_rtp_free(struct ct_rtp_table *t) {
  if (t == NULL) return;
  ct_rtp_places_close(t);
  ct_rtp_index_close(&t->index);
  ct_admit_close(&t->admit);
  free(t->changes);
  free(t);
}

void ct_rtp_on_settle(struct ct_rtp_table *t, void (*settle)(void *arg), void *arg) {
  t->settle = settle;
  t->settle_arg = arg;
  t->settled_ns = INT64_MIN;
}

void ct_rtp_settle(const struct ct_rtp_table *t) {
  if (t->settle != NULL) t->settle(t->settle_arg);
}

void ct_rtp_name(struct ct_rtp_table *t, const uint8_t addr[16], uint16_t port, bool is_named) {
  ct_admit_name(&t->admit, addr, port, is_named);
}

bool ct_rtp_is_named(const struct ct_rtp_table *t, const struct ct_packet *p) {
  return ct_admit_is_named(&t->admit, p);
}

void ct_rtp_prefetch_slot(const struct ct_rtp_table *t, uint64_t hash) {
  ct_rtp_index_prefetch(&t->index, (uint32_t)hash);
}

/* The lines that a packet of an accepted stream touches, and one more where the stream is likely to be a candidate still:
 * among the youngest. Inlined always: a compiler that finds no effect in a function drops the call of it. */
static inline __attribute__((always_inline)) struct ct_stream *prefetch_lines(const struct ct_rtp_table *t,
                                                                              uint32_t ref, uint8_t pt) {
  struct ct_stream *s = ct_rtp_stream_at(t, ref - 1);
  const char *lines = (const char *)s;
  __builtin_prefetch(lines, 1);
  __builtin_prefetch(lines + 64, 1);
  if (ref + 2 * t->probing > t->fresh) __builtin_prefetch(lines + 128, 1);
  /* The line of the lanes is touched for dynamic payload types only (RFC 3551 s6). */
  if ((pt & 0x7f) >= 96) {
    __builtin_prefetch(lines + 192, 1);
    __builtin_prefetch(lines + 320, 1);
  }
  return s;
}

struct ct_stream *ct_rtp_prefetch_stream(const struct ct_rtp_table *t, uint64_t hash, uint8_t pt) {
  uint32_t ref = ct_rtp_index_guess(&t->index, (uint32_t)hash);
  return ref == 0 ? NULL : prefetch_lines(t, ref, pt);
}

/* Whether `s`, which was in the index a few packets ago, still is, and the packet's. */
static bool is_current(const struct ct_stream *s, const struct ct_rtp_key *key) {
  return s->state != CT_STREAM_FREE && !(s->flags & CT_SF_RETIRED) && ct_rtp_same_key(s, key);
}

/* The packet belongs to the stream it has just opened, if there was room for one. */
static void opened_stream(struct ct_rtp_events *out) {
  if (out->n == 0 || out->ev[out->n - 1].type != CT_RTP_OPENED) return;
  out->index = out->ev[out->n - 1].index;
  out->generation = out->ev[out->n - 1].generation;
}

bool ct_rtp_update_plain(struct ct_rtp_table *t, struct ct_stream *guess, const struct ct_frame *f) {
  if (guess == NULL || !ct_stream_plain_packet(guess, f, t->buffer_ns)) return false;
  t->counters[CT_RC_PACKETS]++;
  return true;
}

void ct_rtp_update(struct ct_rtp_table *t, uint64_t hash, struct ct_stream *guess, const struct ct_packet *p,
                   uint8_t origin, struct ct_rtp_events *out) {
  struct ct_rtp_header h;
  out->n = 0;
  out->index = CT_RTP_NO_STREAM;
  out->generation = 0;
  t->counters[CT_RC_PACKETS]++;
  if (!ct_rtp_parse(p, &h)) {
    t->counters[CT_RC_MALFORMED]++;
    return;
  }
  const struct ct_rtp_key key = {p, h.ssrc, origin};
  struct ct_stream *s = guess;
  if (s == NULL || !is_current(s, &key)) {
    uint32_t ref = ct_rtp_index_find(&t->index, t->chunks, (uint32_t)hash, &key);
    s = ref == 0 ? NULL : ct_rtp_stream_at(t, ref - 1);
  }
  const struct ct_stream *before = NULL;
  if (s != NULL) {
    ct_stream_settle(s);
    if (ct_stream_is_reuse(s, &h, p->ts_ns)) {
      /* The old stream stays as history; the key goes to the new one. */
      ct_rtp_index_remove(&t->index, s->hash_tag, s->self);
      s->flags |= CT_SF_RETIRED;
      s->plain = 0;
      before = s;
      s = NULL;
    }
  }
  if (s == NULL) {
    ct_rtp_places_take(t, hash, p, &h, origin, before, out);
    opened_stream(out);
    return;
  }
  const uint32_t index = s->self - 1;
  out->index = index;
  out->generation = s->generation;
  out->closed.windows = 0;
  unsigned done = ct_stream_packet(s, p, &h, &t->opts, t->changes, &out->closed);
  if (done == 0) return;
  if (done & CT_UPDATE_WINDOW) ct_rtp_add_event(out, CT_RTP_WINDOW, index, s->generation);
  if (done & CT_UPDATE_OUTAGE) ct_rtp_add_event(out, CT_RTP_WINDOW, index, s->generation);
  if (done & CT_UPDATE_CUT) ct_rtp_add_event(out, CT_RTP_WINDOW, index, s->generation);
  if (done & CT_UPDATE_SEGMENT) ct_rtp_add_event(out, CT_RTP_SEGMENT, index, s->generation);
  if (done & CT_UPDATE_ACCEPTED) {
    t->probing--;
    t->counters[CT_RC_ACCEPTED]++;
    ct_rtp_add_event(out, CT_RTP_ACCEPTED, index, s->generation);
  }
  if (done & CT_UPDATE_KEY) ct_rtp_add_event(out, CT_RTP_KEY, index, s->generation);
}

const struct ct_stream *ct_rtp_known(const struct ct_rtp_table *t, const struct ct_packet *p, uint32_t ssrc,
                                     uint8_t origin) {
  const struct ct_rtp_key key = {p, ssrc, origin};
  const uint32_t ref = ct_rtp_index_find(&t->index, t->chunks, (uint32_t)ct_rtp_hash(t, p, origin), &key);
  if (ref == 0) return NULL;
  struct ct_stream *s = ct_rtp_stream_at(t, ref - 1);
  ct_stream_settle(s);
  return s;
}

void *ct_rtp_chunk(const struct ct_rtp_table *t, uint32_t i) {
  return i < t->chunk_count ? __atomic_load_n(&t->chunks[i], __ATOMIC_ACQUIRE) : NULL;
}

uint32_t ct_rtp_stream_size(void) { return sizeof(struct ct_stream); }

const uint64_t *ct_rtp_counters(const struct ct_rtp_table *t) { return t->counters; }
