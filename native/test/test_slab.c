/* SPDX-License-Identifier: Apache-2.0
 * test_slab.c - the ring of slabs between two threads: nothing lost, nothing twice, and nobody left waiting.
 */
#define _GNU_SOURCE
#include "check.h"
#include "core/slab.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLABS 4u
#define PUBLISHED 60000u
#define LOST_AFTER_S 5

struct rig {
  struct ct_ring ring;
  struct ct_slab slab[SLABS];
  sem_t called;
};

static void call(void *arg) { sem_post(&((struct rig *)arg)->called); }

static struct rig *make_rig(bool live) {
  struct rig *g = calloc(1, sizeof *g);
  for (uint32_t i = 0; i < SLABS; i++) {
    g->slab[i].data = malloc(CT_SLAB_BYTES);
    g->slab[i].rec = calloc(CT_SLAB_RECORDS, sizeof(struct ct_record));
  }
  g->ring.slab = g->slab;
  g->ring.n = SLABS;
  g->ring.live = live;
  g->ring.notify = call;
  g->ring.arg = g;
  sem_init(&g->called, 0, 0);
  return g;
}

static void free_rig(struct rig *g) {
  for (uint32_t i = 0; i < SLABS; i++) {
    free(g->slab[i].data);
    free(g->slab[i].rec);
  }
  sem_destroy(&g->called);
  free(g);
}

static bool put(struct ct_ring *r, uint32_t number, uint32_t len) {
  struct ct_sink sink = {.ring = r};
  uint8_t *data;
  struct ct_record *rec = ct_sink_reserve(&sink, len, &data);
  if (rec == NULL) return false;
  memset(data, (int)(number & 0xff), len);
  rec->aux0 = number;
  ct_sink_commit(&sink, rec);
  return true;
}

/* False when nothing came for so long that nobody will call any more. */
static bool wait_called(struct rig *g) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += LOST_AFTER_S;
  while (sem_timedwait(&g->called, &until) != 0)
    if (time(NULL) > until.tv_sec) return false;
  return true;
}

static void *publish_all(void *arg) {
  struct rig *g = arg;
  for (uint32_t i = 0; i < PUBLISHED; i++) {
    put(&g->ring, i, i & 255u);
    ct_ring_publish(&g->ring);
    /* Let the consumer run dry again and again: only then it must be called. */
    for (volatile uint32_t wait = (i * 2654435761u) >> 23; wait > 0;) wait = wait - 1;
  }
  return NULL;
}

/* As the event loop does it: called, look, take all there is, wait to be called. */
static void nobody_is_left_waiting(void) {
  struct rig *g = make_rig(false);
  pthread_t producer;
  pthread_create(&producer, NULL, publish_all, g);
  uint32_t seen = 0, calls = 0, wrong = 0;
  while (seen < PUBLISHED) {
    if (!wait_called(g)) break;
    calls++;
    ct_ring_look(&g->ring);
    while (ct_ring_pending(&g->ring) > 0) {
      const struct ct_slab *s = &g->slab[atomic_load(&g->ring.tail) % SLABS];
      wrong += s->count != 1 || s->rec[0].aux0 != seen || s->rec[0].len != (seen & 255u) ||
               (s->rec[0].len > 0 && s->data[s->rec[0].len - 1] != (uint8_t)seen);
      seen++;
      ct_ring_release(&g->ring);
    }
  }
  CHECK(seen == PUBLISHED);
  CHECK(wrong == 0);
  CHECK(calls <= PUBLISHED);
  ct_ring_stop(&g->ring);
  pthread_join(producer, NULL);
  free_rig(g);
}

static void one_call_until_it_has_looked(void) {
  struct rig *g = make_rig(true);
  int calls = 0;
  for (uint32_t i = 0; i < SLABS; i++) {
    CHECK(put(&g->ring, i, 8));
    ct_ring_publish(&g->ring);
  }
  sem_getvalue(&g->called, &calls);
  CHECK(calls == 1);
  CHECK(!put(&g->ring, 9, 8)); /* full */
  CHECK(g->ring.dropped == 1);
  ct_ring_look(&g->ring);
  ct_ring_release(&g->ring);
  CHECK(put(&g->ring, 10, 8));
  ct_ring_publish(&g->ring);
  sem_getvalue(&g->called, &calls);
  CHECK(calls == 2);
  CHECK(ct_ring_unread(&g->ring) == SLABS);
  free_rig(g);
}

static void who_falls_behind_takes_longer(void) {
  struct rig *live = make_rig(true), *file = make_rig(false);
  CHECK(ct_ring_slice_ns(&live->ring) == 2000000);
  CHECK(put(&live->ring, 1, 8) && put(&file->ring, 1, 8));
  ct_ring_publish(&live->ring);
  ct_ring_publish(&file->ring);
  CHECK(ct_ring_slice_ns(&live->ring) == 10000000);
  CHECK(ct_ring_slice_ns(&file->ring) == 2000000); /* a file waits */
  ct_ring_release(&live->ring);
  CHECK(ct_ring_slice_ns(&live->ring) == 2000000);
  free_rig(live);
  free_rig(file);
}

/* head and tail are counted on past 2^32. */
static void numbers_wrap(void) {
  struct rig *g = make_rig(true);
  atomic_store(&g->ring.head, UINT32_MAX - 1);
  atomic_store(&g->ring.tail, UINT32_MAX - 1);
  for (uint32_t i = 0; i < 20; i++) {
    CHECK(put(&g->ring, i, 16));
    ct_ring_publish(&g->ring);
    CHECK(ct_ring_pending(&g->ring) == 1);
    CHECK(g->slab[atomic_load(&g->ring.tail) % SLABS].rec[0].aux0 == i);
    ct_ring_release(&g->ring);
  }
  free_rig(g);
}

static void lengths_are_held_against_the_slab(void) {
  struct rig *g = make_rig(true);
  CHECK(!put(&g->ring, 0, CT_SLAB_BYTES + 1));
  CHECK(!put(&g->ring, 0, UINT32_MAX));
  CHECK(put(&g->ring, 1, CT_SLAB_BYTES));
  CHECK(put(&g->ring, 2, 1)); /* in the next slab: the first is published */
  CHECK(ct_ring_pending(&g->ring) == 1);
  CHECK(put(&g->ring, 3, CT_SLAB_BYTES - 8));
  CHECK(ct_ring_pending(&g->ring) == 1);
  CHECK(put(&g->ring, 4, 0)); /* a record without bytes fits a slab that is full of them */
  CHECK(ct_ring_pending(&g->ring) == 1);
  for (uint32_t i = 3; i < CT_SLAB_RECORDS; i++) CHECK(put(&g->ring, 5, 0));
  CHECK(ct_ring_pending(&g->ring) == 1);
  CHECK(put(&g->ring, 6, 0)); /* one more than a slab has rows for */
  CHECK(ct_ring_pending(&g->ring) == 2);
  free_rig(g);
}

int main(void) {
  one_call_until_it_has_looked();
  who_falls_behind_takes_longer();
  numbers_wrap();
  lengths_are_held_against_the_slab();
  nobody_is_left_waiting();
  return report("slab");
}
