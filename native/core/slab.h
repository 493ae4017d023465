/* SPDX-License-Identifier: Apache-2.0
 * slab.h - the ring of slabs between one source thread and the JavaScript thread.
 *
 * Single producer, single consumer. The memory belongs to JavaScript and is handed in once. A file
 * source waits (futex) when all slabs are full, so nothing is lost; order is the source's order. A live
 * source cannot wait: it drops the new record and counts it (docs/adr/0014).
 */
#ifndef CALLTAP_SLAB_H
#define CALLTAP_SLAB_H
#include "core/digest.h"
#include "core/record.h"
#include <stdbool.h>
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint32_t> ct_atomic_u32;
extern "C" {
#else
#include <stdatomic.h>
typedef _Atomic uint32_t ct_atomic_u32;
#endif

struct ct_slab {
  uint8_t *data;         /* CT_SLAB_BYTES */
  struct ct_record *rec; /* CT_SLAB_RECORDS */
  uint32_t used, count;
};

#define CT_RING_JOBS 64u

struct ct_ring {
  struct ct_slab *slab;
  uint32_t n;
  ct_atomic_u32 head; /* slabs published; the producer fills slab[head % n] */
  ct_atomic_u32 tail; /* slabs released by the consumer; also the futex word */
  ct_atomic_u32 stop;
  uint32_t waits;                         /* times the producer had to wait */
  bool live;                              /* never wait: set before the producer starts */
  uint64_t dropped;                       /* live: records for which there was no room */
  struct ct_digest_job job[CT_RING_JOBS]; /* the producer's: digests of records in the open slab */
  uint32_t jobs;
  ct_atomic_u32 called;      /* the consumer was called and has not looked since */
  void (*notify)(void *arg); /* calls the consumer, from the producer's thread: once, until it has looked */
  void *arg;
};

/* A place to put records: the ring, or one scratch slab for decoding on the caller's thread. */
struct ct_sink {
  struct ct_ring *ring;
  struct ct_slab *scratch;
};

/* Room for one record with `len` payload bytes; NULL when the ring was stopped, a live ring is full
 * (counted in `dropped`), the scratch slab is full or len > CT_SLAB_BYTES. The record is zeroed but for off and len; *data is its payload.
 * Commit makes it part of the slab. */
struct ct_record *ct_sink_reserve(struct ct_sink *s, uint32_t len, uint8_t **data);
void ct_sink_commit(struct ct_sink *s, const struct ct_record *r);
/* Sets the record's digest to FNV-1a 64 of these bytes, which lie in its slab, by the time that it is published. */
void ct_sink_digest(struct ct_sink *s, struct ct_record *r, const uint8_t *bytes, uint32_t len);
/* Publish the open slab when it holds anything. */
void ct_ring_publish(struct ct_ring *r);
/* Live: publish it unless half of all slabs wait already. Then nobody is served by a slab that is nearly
 * empty, and what is queued should be bytes. True when records are still waiting in the open slab. */
bool ct_ring_publish_soon(struct ct_ring *r);
/* Wait until the consumer has released everything published, or stop. True when drained. */
bool ct_ring_wait_drained(struct ct_ring *r);
/* Consumer: it is about to look; what is published from now on calls it again. */
void ct_ring_look(struct ct_ring *r);
/* Consumer: number of published slabs not yet released; release the oldest one. */
uint32_t ct_ring_pending(const struct ct_ring *r);
void ct_ring_release(struct ct_ring *r);
/* Consumer: how long it takes slabs before others have a turn; longer while a live ring fills up, which will not wait. */
uint64_t ct_ring_slice_ns(const struct ct_ring *r);
/* Consumer: records published and not yet released, but for a source's last word. */
uint64_t ct_ring_unread(const struct ct_ring *r);
/* Consumer: make a waiting producer give up. */
void ct_ring_stop(struct ct_ring *r);

#ifdef __cplusplus
}
#endif
#endif
