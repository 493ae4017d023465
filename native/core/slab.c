/* SPDX-License-Identifier: Apache-2.0
 * slab.c - see slab.h. Publication is a release store of `head`; release is one of `tail`.
 */
#define _GNU_SOURCE
#include "core/slab.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void futex_wait(ct_atomic_u32 *word, uint32_t seen) {
  /* The timeout bounds a lost wake-up; it is no part of the protocol. */
  struct timespec limit = {0, 50 * 1000 * 1000};
  syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_PRIVATE, seen, &limit, NULL, 0);
}

static void futex_wake(ct_atomic_u32 *word) {
  syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The slab being filled, once it is free; NULL when stopped. */
static struct ct_slab *open_slab(struct ct_ring *r) {
  uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  for (;;) {
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    if (atomic_load_explicit(&r->stop, memory_order_relaxed)) return NULL;
    if (head - tail < r->n) return &r->slab[head % r->n];
    if (r->live) return NULL;
    __atomic_store_n(&r->waits, r->waits + 1, __ATOMIC_RELAXED);
    futex_wait(&r->tail, tail);
  }
}

static bool has_room(const struct ct_slab *s, uint32_t len) {
  return s->count < CT_SLAB_RECORDS && len <= CT_SLAB_BYTES - s->used;
}

/* No slab for a record: a loss unless nobody wants it any more. */
static struct ct_record *no_slab(struct ct_ring *r) {
  if (r->live && !atomic_load_explicit(&r->stop, memory_order_relaxed))
    __atomic_store_n(&r->dropped, r->dropped + 1, __ATOMIC_RELAXED);
  return NULL;
}

struct ct_record *ct_sink_reserve(struct ct_sink *s, uint32_t len, uint8_t **data) {
  if (len > CT_SLAB_BYTES) return NULL;
  struct ct_slab *slab = s->scratch;
  if (slab != NULL) {
    if (!has_room(slab, len)) return NULL;
  } else {
    slab = open_slab(s->ring);
    if (slab == NULL) return no_slab(s->ring);
    if (!has_room(slab, len)) {
      ct_ring_publish(s->ring);
      slab = open_slab(s->ring);
      if (slab == NULL) return no_slab(s->ring);
    }
  }
  struct ct_record *r = &slab->rec[slab->count];
  memset(r, 0, sizeof(*r));
  r->off = slab->used;
  r->len = len;
  *data = slab->data + slab->used;
  return r;
}

void ct_sink_commit(struct ct_sink *s, const struct ct_record *r) {
  struct ct_slab *slab = s->scratch;
  if (slab == NULL)
    slab = &s->ring->slab[atomic_load_explicit(&s->ring->head, memory_order_relaxed) % s->ring->n];
  slab->used = (r->off + r->len + 7u) & ~7u;
  if (slab->used > CT_SLAB_BYTES) slab->used = CT_SLAB_BYTES;
  slab->count++;
}

static void take_digests(struct ct_ring *r) {
  ct_fnv1a64_jobs(r->job, r->jobs);
  r->jobs = 0;
}

void ct_sink_digest(struct ct_sink *s, struct ct_record *r, const uint8_t *bytes, uint32_t len) {
  struct ct_ring *ring = s->ring;
  if (s->scratch != NULL) {
    r->digest = ct_fnv1a64(bytes, len);
    return;
  }
  if (ring->jobs == CT_RING_JOBS) take_digests(ring);
  ring->job[ring->jobs++] = (struct ct_digest_job){bytes, len, &r->digest};
}

void ct_ring_publish(struct ct_ring *r) {
  struct ct_slab *slab = open_slab(r);
  if (slab == NULL || slab->count == 0) return;
  take_digests(r);
  atomic_fetch_add_explicit(&r->head, 1, memory_order_release);
  if (r->notify != NULL && atomic_exchange_explicit(&r->called, 1, memory_order_acq_rel) == 0)
    r->notify(r->arg);
}

/* An exchange here too, not a store: of two exchanges one comes first. If it is this one, the producer finds 0 and
 * calls; if it is the producer's, the reading of `head` after this one sees what was published before it. A store
 * could be overtaken by that reading, and the last slab of a source would lie there for ever. */
void ct_ring_look(struct ct_ring *r) { atomic_exchange_explicit(&r->called, 0, memory_order_acq_rel); }

bool ct_ring_publish_soon(struct ct_ring *r) {
  struct ct_slab *slab = open_slab(r);
  if (slab == NULL || slab->count == 0) return false;
  uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (head - atomic_load_explicit(&r->tail, memory_order_relaxed) >= r->n / 2) return true;
  ct_ring_publish(r);
  return false;
}

bool ct_ring_wait_drained(struct ct_ring *r) {
  uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  for (;;) {
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    if (tail == head) return true;
    if (atomic_load_explicit(&r->stop, memory_order_relaxed)) return false;
    futex_wait(&r->tail, tail);
  }
}

uint32_t ct_ring_pending(const struct ct_ring *r) {
  uint32_t head = atomic_load_explicit(&r->head, memory_order_acquire);
  return head - atomic_load_explicit(&r->tail, memory_order_relaxed);
}

void ct_ring_release(struct ct_ring *r) {
  struct ct_slab *slab = &r->slab[atomic_load_explicit(&r->tail, memory_order_relaxed) % r->n];
  slab->used = 0;
  slab->count = 0;
  atomic_fetch_add_explicit(&r->tail, 1, memory_order_release);
  futex_wake(&r->tail);
}

uint64_t ct_ring_slice_ns(const struct ct_ring *r) {
  const uint64_t ms = 1000 * 1000;
  return r->live && ct_ring_pending(r) > r->n / 8 ? 10 * ms : 2 * ms;
}

uint64_t ct_ring_unread(const struct ct_ring *r) {
  uint32_t head = atomic_load_explicit(&r->head, memory_order_acquire);
  uint64_t n = 0;
  for (uint32_t i = atomic_load_explicit(&r->tail, memory_order_relaxed); i != head; i++) {
    const struct ct_slab *s = &r->slab[i % r->n];
    n += s->count;
    if (s->count > 0 && s->rec[s->count - 1].kind == CT_KIND_SOURCE_END) n--;
  }
  return n;
}

void ct_ring_stop(struct ct_ring *r) {
  atomic_store_explicit(&r->stop, 1, memory_order_release);
  futex_wake(&r->tail);
}
