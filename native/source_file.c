/* SPDX-License-Identifier: Apache-2.0
 * source_file.c - see source_file.h. Batches of CT_BATCH, so that the stream table's cache misses
 * overlap; a batch ends where the reader has to refill its buffer.
 */
#define _GNU_SOURCE
#include "source_file.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NICER 5

static void set_progress(struct ct_file_source *s) {
  uint64_t size = ct_pcap_size(s->file);
  uint64_t at = ct_pcap_position(s->file);
  if (size > 0)
    atomic_store_explicit(&s->progress, (uint32_t)(at >= size ? 1000 : at * 1000 / size),
                          memory_order_relaxed);
}

static void tick_output(struct ct_file_source *s) {
  if (s->pl->output == NULL) return;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  ct_pcap_write_tick(s->pl->output, (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec);
}

static enum ct_end end_of(enum ct_pcap_status st) {
  switch (st) {
  case CT_PCAP_EOF: return CT_END_OK;
  case CT_PCAP_TRUNCATED: return CT_END_TRUNCATED;
  case CT_PCAP_IO: return CT_END_IO;
  default: return CT_END_BAD_RECORD;
  }
}

/* Last record: everything before it has been consumed, so injected RTP is complete. */
static void finish(struct ct_file_source *s, struct ct_sink *sink, enum ct_end end, uint32_t detail,
                   int64_t last_ns) {
  ct_ring_publish(s->ring);
  if (s->pl->output != NULL) ct_pcap_write_flush(s->pl->output);
  if (!ct_ring_wait_drained(s->ring)) return;
  atomic_store_explicit(&s->ended, 1, memory_order_relaxed);
  ct_pipeline_drain_injected(s->pl, sink);
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, 0, &data);
  if (r == NULL) return;
  r->kind = CT_KIND_SOURCE_END;
  r->aux0 = end;
  r->aux1 = (uint32_t)ct_pcap_errno(s->file);
  r->aux2 = detail;
  r->frame = (double)s->records;
  r->ts_us = (double)(last_ns / 1000);
  r->source = s->pl->source_id;
  ct_sink_commit(sink, r);
  ct_ring_publish(s->ring);
}

/* A pipe that is silent: what was read is shown meanwhile, and a stop is noticed. */
static bool wait_for_bytes(int fd, void *arg) {
  struct ct_file_source *s = arg;
  struct pollfd p = {.fd = fd, .events = POLLIN};
  bool shown = false;
  while (atomic_load_explicit(&s->ring->stop, memory_order_relaxed) == 0) {
    int n = poll(&p, 1, shown ? 100 : 0);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true; /* read(2) tells what is wrong */
    if (!shown) ct_ring_publish(s->ring);
    shown = true;
    tick_output(s);
  }
  return false;
}

/* Within a batch the buffer stays where it is. */
static void batch(struct ct_file_source *s, struct ct_sink *sink, const struct ct_frame *frame, uint32_t n) {
  s->pl->in_file = ct_pcap_place(s->file, &s->pl->file_delta) && s->keeps;
  ct_pipeline_batch(s->pl, sink, frame, n);
  s->records += n;
}

/* JavaScript is behind: on few cores it shall not wait for this thread. Not before, for where there is little but media
 * this thread is the one that is waited for, and the helpers of V8 are as nice. */
static bool yield_to_consumer(void) {
  (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER);
  return true;
}

static void settle(void *arg) {
  struct ct_ring *ring = arg;
  ct_ring_publish(ring);
  (void)ct_ring_wait_drained(ring);
}

static void *run(void *arg) {
  struct ct_file_source *s = arg;
  ct_rtp_on_settle(s->pl->rtp, settle, s->ring);
  struct ct_sink sink = {.ring = s->ring, .scratch = NULL};
  struct ct_frame frame[CT_BATCH];
  uint32_t batches = 0;
  bool yields = false;
  enum ct_pcap_status st = CT_PCAP_RECORD;
  int64_t last_ns = 0;
  if (!ct_pcap_start(s->file, wait_for_bytes, s, &st)) {
    finish(s, &sink, CT_END_NOT_OPENED, st, 0);
    return NULL;
  }
  while (atomic_load_explicit(&s->ring->stop, memory_order_relaxed) == 0) {
    /* The first may be read from the file, which ends what was handed out before. */
    st = ct_pcap_next(s->file, frame);
    if (st != CT_PCAP_RECORD) break;
    uint32_t n = 1 + ct_pcap_take(s->file, frame + 1, CT_BATCH - 1);
    for (uint32_t i = 0; i < n; i++) {
      if (frame[i].ts_invalid) s->pl->counters[CT_N_INVALID_TS]++;
      if (frame[i].ts_ns > last_ns) last_ns = frame[i].ts_ns;
    }
    batch(s, &sink, frame, n);
    ct_pipeline_drain_injected(s->pl, &sink);
    if (!yields && ct_ring_pending(s->ring) >= s->ring->n / 2) yields = yield_to_consumer();
    if ((++batches & 255u) == 0) {
      set_progress(s);
      tick_output(s);
    }
  }
  atomic_store_explicit(&s->progress, 1000, memory_order_relaxed);
  finish(s, &sink, end_of(st), 0, last_ns);
  return NULL;
}

bool ct_file_start(struct ct_file_source *s, struct ct_pcap *file) {
  s->file = file;
  atomic_store_explicit(&s->ended, 0, memory_order_relaxed);
  s->running = pthread_create(&s->thread, NULL, run, s) == 0;
  if (s->running) pthread_setname_np(s->thread, "calltap-file");
  return s->running;
}

void ct_file_join(struct ct_file_source *s) {
  pthread_join(s->thread, NULL);
  s->running = false;
  ct_pcap_close(s->file);
  s->file = NULL;
}
