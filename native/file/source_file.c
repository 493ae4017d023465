/* SPDX-License-Identifier: Apache-2.0
 * source_file.c - see source_file.h. Batches of up to CT_BATCH, so that the stream table's cache misses
 * overlap; a batch ends where the reader has to refill its buffer, and where another file continues.
 */
#define _GNU_SOURCE
#include "file/source_file.h"
#include "core/clock.h"
#include "file/steady_frames.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>

#define NICER 5

_Static_assert(CT_MERGE_RUN <= CT_BATCH, "a run of frames is a batch");

static void tick_output(struct ct_file_source *s) {
  if (s->pl->output != NULL) ct_pcap_write_tick(s->pl->output, ct_clock_ns(CLOCK_MONOTONIC));
}

static enum ct_end end_of(enum ct_pcap_status st) {
  switch (st) {
  case CT_PCAP_EOF: return CT_END_OK;
  case CT_PCAP_TRUNCATED: return CT_END_TRUNCATED;
  case CT_PCAP_IO: return CT_END_IO;
  case CT_PCAP_EMPTY: return CT_END_EMPTY;
  case CT_PCAP_RECORD: return CT_END_STOPPED;
  default: return CT_END_BAD_RECORD;
  }
}

static bool is_stopped(const struct ct_file_source *s) {
  return atomic_load_explicit(&s->stop, memory_order_relaxed) != 0 ||
         atomic_load_explicit(&s->ring->stop, memory_order_relaxed) != 0;
}

static void tell_end(struct ct_file_source *s, struct ct_sink *sink, const struct ct_merge_end *end) {
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, 0, &data);
  if (r == NULL) return;
  r->kind = CT_KIND_FILE_END;
  r->aux0 = end->err == ECANCELED ? CT_END_STOPPED : end_of(end->status);
  r->aux1 = (uint32_t)end->err;
  r->frame = (double)end->frames;
  r->ts_us = (double)(s->pl->last_ns / 1000);
  r->source = end->file;
  ct_sink_commit(sink, r);
}

static void tell_ends(struct ct_file_source *s, struct ct_sink *sink) {
  struct ct_merge_end end;
  while (ct_merge_ended(s->files, &end)) tell_end(s, sink, &end);
}

/* Last record: everything before it has been consumed, so injected RTP is complete. */
static void finish(struct ct_file_source *s, struct ct_sink *sink, enum ct_end end,
                   const struct ct_merge_end *failed) {
  if (failed == NULL) tell_ends(s, sink);
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
  r->aux1 = failed != NULL ? (uint32_t)failed->err : ct_merge_overlapping(s->files);
  r->aux2 = failed != NULL ? (uint32_t)failed->status : ct_merge_reordered(s->files);
  r->source = failed != NULL ? failed->file : 0;
  r->ts_us = (double)(s->pl->last_ns / 1000);
  ct_sink_commit(sink, r);
  ct_ring_publish(s->ring);
}

/* A pipe that is silent: what was read is shown meanwhile, and a stop is noticed. */
static bool wait_for_bytes(int fd, void *arg) {
  struct ct_file_source *s = arg;
  struct pollfd p = {.fd = fd, .events = POLLIN};
  bool shown = false;
  while (!is_stopped(s)) {
    int n = poll(&p, 1, shown ? 100 : 0);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true; /* read(2) tells what is wrong */
    if (!shown) ct_ring_publish(s->ring);
    shown = true;
    tick_output(s);
  }
  return false;
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

static void tell_step(struct ct_sink *sink, const struct ct_clock_step *step) {
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, 0, &data);
  if (r == NULL) return;
  r->kind = CT_KIND_CLOCK_STEP;
  r->ts_us = (double)(step->at_ns / 1000);
  r->frame = (double)step->size_ns / 1000.0;
  ct_sink_commit(sink, r);
}

/* Frames of one file that follow each other. */
static void batch(struct ct_file_source *s, struct ct_sink *sink, const struct ct_frame *frame, uint32_t n,
                  uint32_t file) {
  s->pl->source_id = file;
  if (s->pl->copies == NULL && ct_merge_is_many(s->files)) ct_pipeline_expect_copies(s->pl);
  ct_pipeline_batch(s->pl, sink, frame, n);
  ct_pipeline_drain_injected(s->pl, sink);
}

static void read_all(struct ct_file_source *s, struct ct_sink *sink, struct ct_steady *frames) {
  const struct ct_frame *frame;
  uint32_t batches = 0, n = 0, file = 0;
  bool yields = false;
  while (!is_stopped(s) && (n = ct_steady_next(frames, &frame, &file)) > 0) {
    struct ct_clock_step step;
    if (ct_steady_step(frames, &step)) tell_step(sink, &step);
    for (uint32_t i = 0; i < n; i++)
      if (frame[i].ts_invalid) s->pl->counters[CT_N_INVALID_TS]++;
    batch(s, sink, frame, n, file);
    if (!ct_steady_is_ahead(frames)) tell_ends(s, sink);
    if (!yields && ct_ring_pending(s->ring) >= s->ring->n / 2) yields = yield_to_consumer();
    if ((++batches & 255u) == 0) {
      atomic_store_explicit(&s->progress, ct_merge_progress(s->files), memory_order_relaxed);
      tick_output(s);
    }
  }
}

static void *run(void *arg) {
  struct ct_file_source *s = arg;
  ct_rtp_on_settle(s->pl->rtp, settle, s->ring);
  struct ct_sink sink = {.ring = s->ring, .scratch = NULL};
  struct ct_steady *frames = ct_steady_create(s->files, s->pl);
  struct ct_merge_end failed = {.status = CT_PCAP_IO, .err = ENOMEM};
  if (frames == NULL || !ct_merge_start(s->files, wait_for_bytes, s, &failed)) {
    const bool stopped = is_stopped(s);
    finish(s, &sink, stopped ? CT_END_STOPPED : CT_END_NOT_OPENED, stopped ? NULL : &failed);
    ct_steady_free(frames);
    return NULL;
  }
  read_all(s, &sink, frames);
  ct_steady_free(frames);
  atomic_store_explicit(&s->progress, 1000, memory_order_relaxed);
  bool is_refused = ct_merge_failed(s->files, &failed);
  finish(s, &sink,
         is_stopped(s) ? CT_END_STOPPED
         : is_refused  ? CT_END_NOT_OPENED
                       : CT_END_OK,
         is_refused ? &failed : NULL);
  return NULL;
}

bool ct_file_start(struct ct_file_source *s, struct ct_merge *files) {
  s->files = files;
  atomic_store_explicit(&s->stop, 0, memory_order_relaxed);
  atomic_store_explicit(&s->ended, 0, memory_order_relaxed);
  s->running = pthread_create(&s->thread, NULL, run, s) == 0;
  if (s->running)
    pthread_setname_np(s->thread, "calltap-file");
  else
    ct_merge_free(files);
  return s->running;
}

void ct_file_ask_stop(struct ct_file_source *s) { atomic_store_explicit(&s->stop, 1, memory_order_relaxed); }

void ct_file_join(struct ct_file_source *s) {
  pthread_join(s->thread, NULL);
  s->running = false;
  ct_merge_free(s->files);
  s->files = NULL;
}
