/* SPDX-License-Identifier: Apache-2.0
 * rtp_table.c - finds the stream of a packet, makes and recycles streams within fixed caps.
 *
 * Streams lie in chunks that never move. The index is open addressing over 8-byte slots with a keyed
 * hash; it doubles by moving 64 old slots at each new stream, so no packet pays for a whole rebuild.
 * An index given back rests in a queue before it is used again, so that the reading thread, which
 * runs behind, still finds the last counters of a stream it is told was evicted.
 */
#define _DEFAULT_SOURCE
#include "rtp/rtp_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rtp/rtp_admit.h"
#include "rtp/rtp_plain.h"

#define MIN_SLOTS 1024u
#define MIGRATE_STEP 64u
#define SEARCHED 64u /* streams looked at for one that gives its place */
#define STRANGERS_SHARE                                                                                      \
  8u /* so much of a full table is theirs before a claimed stream that has ended must go no more */
#define PROBES_AHEAD 16 /* slots looked at for a packet that is still to come */
#define MAX_QUARANTINE 1024u
#define MAX_STREAMS (1u << 26)
#define DEFAULT_WINDOW_NS 5000000000ull
#define TOMBSTONE UINT32_MAX
#define CHUNK_BYTES ((size_t)CT_RTP_CHUNK * sizeof(struct ct_stream))
#define HUGE_PAGE ((size_t)2 << 20)

struct slot {
  uint32_t tag; /* low half of the hash: its home is tag & mask */
  uint32_t ref; /* stream index + 1, 0 empty */
};

struct slots {
  struct slot *at;
  uint32_t mask;
};

struct ct_rtp_table {
  struct ct_rtp_opts opts;
  int64_t buffer_ns; /* opts.buffer_ms */
  uint64_t key[4];
  struct slots cur, old; /* old.at is NULL but while a rebuild is under way */
  uint32_t migrated;     /* old slots moved so far */
  uint32_t used;         /* slots taken in cur */
  struct ct_stream **chunks;
  uint32_t chunk_count; /* entries in chunks */
  uint32_t limit;       /* streams that may ever exist: max_streams and the quarantine */
  uint32_t quarantine;
  uint32_t fresh; /* next index never used */
  uint32_t live;
  uint32_t probing;                          /* candidates among them */
  uint32_t free_head, free_tail, free_count; /* links are index + 1 */
  uint32_t hand;                             /* where the search for one that gives its place goes on */
  struct ct_admit admit;
  void (*settle)(void *arg);
  void *settle_arg;
  int64_t settled_ns; /* all streams silent since then are claimed, or will not be */
  uint64_t counters[CT_RC_COUNT];
};

static struct ct_stream *stream_at(const struct ct_rtp_table *t, uint32_t index) {
  return &t->chunks[index / CT_RTP_CHUNK][index % CT_RTP_CHUNK];
}

/* ---- memory ---- */

/* Zeroed memory, on huge pages where it is large enough for them: streams and slots are read at random,
 * and with small pages nearly every packet would also miss the TLB. */
static void *map_zeroed(size_t bytes) {
  size_t lead = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
  uint8_t *at = mmap(NULL, bytes + lead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  if (lead == 0) return at;
  /* A huge page begins at a multiple of its size: what lies before and behind goes back. */
  size_t skip = (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
  if (skip > 0) munmap(at, skip);
  munmap(at + skip + bytes, lead - skip);
  madvise(at + skip, bytes, MADV_HUGEPAGE); /* a hint */
  return at + skip;
}

/* ---- hash ---- */

/* Of what IPv4 and IPv6 have: four bytes of each address, one behind the other as they lie in a frame; the SSRC as it
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

/* ---- index ---- */

static bool slots_alloc(struct slots *s, uint32_t count) {
  s->at = map_zeroed(count * sizeof(*s->at));
  s->mask = count - 1;
  return s->at != NULL;
}

static void slots_free(struct slots *s) {
  if (s->at != NULL) munmap(s->at, ((size_t)s->mask + 1) * sizeof(*s->at));
  s->at = NULL;
}

static void slots_insert(const struct slots *s, uint32_t tag, uint32_t ref) {
  uint32_t i = tag & s->mask;
  while (s->at[i].ref != 0) i = (i + 1) & s->mask;
  s->at[i] = (struct slot){tag, ref};
}

static bool same_key(const struct ct_stream *s, const struct ct_packet *p, uint32_t ssrc, uint8_t origin) {
  if (s->ssrc != ssrc || s->sport != p->sport || s->dport != p->dport || s->origin != origin ||
      s->ip_version != p->ip_version)
    return false;
  if (s->src4 != ct_load32(p->src) || s->dst4 != ct_load32(p->dst)) return false;
  if (p->ip_version != 6) return true;
  return memcmp(s->src, p->src, 16) == 0 && memcmp(s->dst, p->dst, 16) == 0;
}

static uint32_t slots_find(const struct ct_rtp_table *t, const struct slots *s, uint32_t tag,
                           const struct ct_packet *p, uint32_t ssrc, uint8_t origin) {
  for (uint32_t i = tag & s->mask; s->at[i].ref != 0; i = (i + 1) & s->mask) {
    if (s->at[i].tag != tag || s->at[i].ref == TOMBSTONE) continue;
    if (same_key(stream_at(t, s->at[i].ref - 1), p, ssrc, origin)) return s->at[i].ref;
  }
  return 0;
}

/* Takes `ref` out by moving later entries of its run back, so that no tombstone slows a lookup. */
static bool slots_remove(const struct slots *s, uint32_t tag, uint32_t ref) {
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

static void slots_bury(const struct slots *s, uint32_t tag, uint32_t ref) {
  for (uint32_t i = tag & s->mask; s->at[i].ref != 0; i = (i + 1) & s->mask) {
    if (s->at[i].ref != ref) continue;
    s->at[i].ref = TOMBSTONE;
    return;
  }
}

/* Entries move to `cur` in slot order and stay in `old`, so that its probe runs hold until it is dropped. */
static void migrate(struct ct_rtp_table *t, uint32_t steps) {
  while (steps-- > 0 && t->migrated <= t->old.mask) {
    struct slot s = t->old.at[t->migrated];
    t->migrated++;
    if (s.ref != 0 && s.ref != TOMBSTONE) slots_insert(&t->cur, s.tag, s.ref);
  }
  if (t->migrated <= t->old.mask) return;
  slots_free(&t->old);
}

/* Makes room for one more entry; false when memory for a larger index is not to be had. */
static bool index_reserve(struct ct_rtp_table *t) {
  if (t->old.at != NULL) {
    migrate(t, MIGRATE_STEP);
  } else if (t->used >= (t->cur.mask + 1) / 2) {
    struct slots grown;
    if (slots_alloc(&grown, (t->cur.mask + 1) * 2)) {
      t->old = t->cur;
      t->cur = grown;
      t->migrated = 0;
      migrate(t, MIGRATE_STEP);
    }
  }
  /* A full index would make a lookup endless. */
  return t->used < t->cur.mask - t->cur.mask / 8;
}

static void index_insert(struct ct_rtp_table *t, uint32_t tag, uint32_t ref) {
  slots_insert(&t->cur, tag, ref);
  t->used++;
}

static void index_remove(struct ct_rtp_table *t, const struct ct_stream *s, uint32_t ref) {
  slots_remove(&t->cur, s->hash_tag, ref);
  if (t->old.at != NULL) slots_bury(&t->old, s->hash_tag, ref);
  t->used--;
}

static uint32_t index_find(const struct ct_rtp_table *t, uint32_t tag, const struct ct_packet *p,
                           uint32_t ssrc, uint8_t origin) {
  uint32_t ref = slots_find(t, &t->cur, tag, p, ssrc, origin);
  if (ref == 0 && t->old.at != NULL) ref = slots_find(t, &t->old, tag, p, ssrc, origin);
  return ref;
}

/* ---- lifetime of streams ---- */

static bool is_claimed(const struct ct_stream *s) { return ct_admit_holding(s) == CT_HOLDS_CLAIMED; }

static void add_event(struct ct_rtp_events *out, uint8_t type, uint32_t index, uint32_t generation) {
  if (out->n < sizeof(out->ev) / sizeof(out->ev[0]))
    out->ev[out->n++] = (struct ct_rtp_event){type, index, generation};
}

/* Gives a stream's index back; its counters stay readable until the index is used again. */
static void release(struct ct_rtp_table *t, uint32_t ref, struct ct_rtp_events *out) {
  struct ct_stream *s = stream_at(t, ref - 1);
  if (s->state == CT_STREAM_PROBING) t->probing--;
  if (!(s->flags & CT_SF_RETIRED)) index_remove(t, s, ref);
  ct_stream_settle(s);
  s->state = CT_STREAM_FREE;
  s->plain = 0;
  s->link_next = 0;
  if (t->free_tail != 0)
    stream_at(t, t->free_tail - 1)->link_next = ref;
  else
    t->free_head = ref;
  t->free_tail = ref;
  t->free_count++;
  t->live--;
  add_event(out, CT_RTP_EVICTED, ref - 1, s->generation);
}

/* A stream goes, with the window that was open where somebody was shown it. */
static void evict(struct ct_rtp_table *t, uint32_t ref, struct ct_rtp_events *out) {
  const struct ct_stream *s = stream_at(t, ref - 1);
  bool shown = ct_admit_holding(s) >= CT_HOLDS_ACCEPTED;
  if (shown && ct_stream_window(s, &t->opts, out->window[0]))
    add_event(out, CT_RTP_WINDOW, ref - 1, s->generation);
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
    const struct ct_stream *s = stream_at(t, i);
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
  if (ref != 0 && !is_settled(t, stream_at(t, ref - 1), now)) ref = find_giver(t, standing, now);
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
    void *chunk = map_zeroed(CHUNK_BYTES);
    if (chunk == NULL) return false;
    __atomic_store_n(&t->chunks[c], (struct ct_stream *)chunk, __ATOMIC_RELEASE);
  }
  /* The first touch is a write: a read would map the shared zero page, and the write behind it would have
   * to tell every other core to forget that one. */
  stream_at(t, t->fresh)->generation = 0;
  t->fresh++;
  return true;
}

/* An index for a new stream, as index + 1; 0 when the table is full. */
static uint32_t take_index(struct ct_rtp_table *t) {
  if (t->live >= t->opts.max_streams || !index_reserve(t)) return 0;
  if (t->free_count <= t->quarantine && take_fresh(t)) return t->fresh;
  if (t->free_head == 0) return 0;
  uint32_t ref = t->free_head;
  struct ct_stream *s = stream_at(t, ref - 1);
  t->free_head = s->link_next;
  if (t->free_head == 0) t->free_tail = 0;
  t->free_count--;
  return ref;
}

/* `before`: the stream that had this key, which gives its place when nobody else does; NULL none. Nothing is opened when
 * the table is full of streams that stay. */
static void open_stream(struct ct_rtp_table *t, uint64_t hash, const struct ct_packet *p,
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
  struct ct_stream *s = stream_at(t, ref - 1);
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
  index_insert(t, s->hash_tag, ref);
  t->probing++;
  t->live++;
  t->counters[CT_RC_OPENED]++;
  add_event(out, CT_RTP_OPENED, ref - 1, generation);
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
  if (t->opts.max_streams < 1) t->opts.max_streams = 1;
  if (t->opts.max_streams > MAX_STREAMS) t->opts.max_streams = MAX_STREAMS;
  uint64_t window = t->opts.window_ns;
  if (window == 0 || window > (uint64_t)INT64_MAX) t->opts.window_ns = DEFAULT_WINDOW_NS;
  t->buffer_ns = (int64_t)t->opts.buffer_ms * 1000000;
  t->quarantine = t->opts.max_streams / 8 + 1;
  if (t->quarantine > MAX_QUARANTINE) t->quarantine = MAX_QUARANTINE;
  t->limit = t->opts.max_streams + t->quarantine;
  t->chunk_count = (t->limit + CT_RTP_CHUNK - 1) / CT_RTP_CHUNK;
  t->chunks = calloc(t->chunk_count, sizeof(*t->chunks));
  derive_keys(t);
  if (!ct_admit_open(&t->admit, &t->key[2]) || t->chunks == NULL || !slots_alloc(&t->cur, MIN_SLOTS) ||
      !take_fresh(t)) {
    ct_rtp_free(t);
    return NULL;
  }
  t->fresh = 0; /* only the chunk was wanted */
  return t;
}

void ct_rtp_free(struct ct_rtp_table *t) {
  if (t == NULL) return;
  for (uint32_t i = 0; t->chunks != NULL && i < t->chunk_count; i++)
    if (t->chunks[i] != NULL) munmap(t->chunks[i], CHUNK_BYTES);
  free(t->chunks);
  slots_free(&t->cur);
  slots_free(&t->old);
  ct_admit_close(&t->admit);
  free(t);
}

void ct_rtp_on_settle(struct ct_rtp_table *t, void (*settle)(void *arg), void *arg) {
  t->settle = settle;
  t->settle_arg = arg;
  t->settled_ns = INT64_MIN;
}

void ct_rtp_name(struct ct_rtp_table *t, const uint8_t addr[16], uint16_t port, bool is_named) {
  ct_admit_name(&t->admit, addr, port, is_named);
}

void ct_rtp_prefetch_slot(const struct ct_rtp_table *t, uint64_t hash) {
  __builtin_prefetch(&t->cur.at[(uint32_t)hash & t->cur.mask]);
}

/* The lines that a packet of an accepted stream touches, and one more where the stream is likely to be a candidate still:
 * among the youngest. Inlined always: a compiler that finds no effect in a function drops the call of it. */
static inline __attribute__((always_inline)) struct ct_stream *prefetch_lines(const struct ct_rtp_table *t,
                                                                              uint32_t ref, uint8_t pt) {
  struct ct_stream *s = stream_at(t, ref - 1);
  const char *lines = (const char *)s;
  __builtin_prefetch(lines, 1);
  __builtin_prefetch(lines + 64, 1);
  if (ref + 2 * t->probing > t->fresh) __builtin_prefetch(lines + 128, 1);
  /* The line of the lanes is touched for dynamic payload types only (RFC 3551 s6). */
  if ((pt & 0x7f) >= 96) __builtin_prefetch(lines + 192, 1);
  return s;
}

struct ct_stream *ct_rtp_prefetch_stream(const struct ct_rtp_table *t, uint64_t hash, uint8_t pt) {
  uint32_t tag = (uint32_t)hash, i = tag & t->cur.mask;
  for (uint32_t n = 0; n < PROBES_AHEAD; n++, i = (i + 1) & t->cur.mask) {
    uint32_t ref = t->cur.at[i].ref;
    if (ref == 0) return NULL;
    if (t->cur.at[i].tag == tag) return prefetch_lines(t, ref, pt);
  }
  return NULL;
}

/* Whether `s`, which was in the index a few packets ago, still is, and the packet's. */
static bool is_current(const struct ct_stream *s, const struct ct_packet *p, uint32_t ssrc, uint8_t origin) {
  return s->state != CT_STREAM_FREE && !(s->flags & CT_SF_RETIRED) && same_key(s, p, ssrc, origin);
}

/* The packet belongs to the stream it has just opened, if there was room for one. */
static void opened_stream(struct ct_rtp_events *out) {
  if (out->n == 0 || out->ev[out->n - 1].type != CT_RTP_OPENED) return;
  out->index = out->ev[out->n - 1].index;
  out->generation = out->ev[out->n - 1].generation;
}

bool ct_rtp_update_plain(struct ct_rtp_table *t, struct ct_stream *guess, const struct ct_frame *f) {
  if (guess == NULL || !ct_stream_plain_packet(guess, f->data, f->ts_ns, t->buffer_ns)) return false;
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
  uint32_t tag = (uint32_t)hash;
  struct ct_stream *s = guess;
  if (s == NULL || !is_current(s, p, h.ssrc, origin)) {
    uint32_t ref = index_find(t, tag, p, h.ssrc, origin);
    s = ref == 0 ? NULL : stream_at(t, ref - 1);
  }
  const struct ct_stream *before = NULL;
  if (s != NULL) {
    ct_stream_settle(s);
    if (ct_stream_is_reuse(s, &h, p->ts_ns)) {
      /* The old stream stays as history; the key goes to the new one. */
      index_remove(t, s, s->self);
      s->flags |= CT_SF_RETIRED;
      s->plain = 0;
      before = s;
      s = NULL;
    }
  }
  if (s == NULL) {
    open_stream(t, hash, p, &h, origin, before, out);
    opened_stream(out);
    return;
  }
  const uint32_t index = s->self - 1;
  out->index = index;
  out->generation = s->generation;
  unsigned done = ct_stream_packet(s, p, &h, &t->opts, out->window);
  if (done == 0) return;
  if (done & CT_UPDATE_WINDOW) add_event(out, CT_RTP_WINDOW, index, s->generation);
  if (done & CT_UPDATE_OUTAGE) add_event(out, CT_RTP_WINDOW, index, s->generation);
  if (done & CT_UPDATE_ACCEPTED) {
    t->probing--;
    t->counters[CT_RC_ACCEPTED]++;
    add_event(out, CT_RTP_ACCEPTED, index, s->generation);
  }
  if (done & CT_UPDATE_KEY) add_event(out, CT_RTP_KEY, index, s->generation);
}

void *ct_rtp_chunk(const struct ct_rtp_table *t, uint32_t i) {
  return i < t->chunk_count ? __atomic_load_n(&t->chunks[i], __ATOMIC_ACQUIRE) : NULL;
}

uint32_t ct_rtp_stream_size(void) { return sizeof(struct ct_stream); }

const uint64_t *ct_rtp_counters(const struct ct_rtp_table *t) { return t->counters; }
