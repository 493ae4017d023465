/* SPDX-License-Identifier: Apache-2.0
 * second_pass.c - see second_pass.h.
 */
#include "file/second_pass.h"
#include "core/clock.h"
#include "pipeline/copies.h"
#include <errno.h>

#define TICK_RUNS 255u /* runs of frames between two looks at the clock, less one: a power of two */

/* What lives as long as one pass. */
struct pass {
  const struct ct_second_pass *p;
  struct ct_second_result *r;
  struct ct_merge *files;
  struct ct_copies *copies; /* NULL while all frames come from one place */
};

/* Copies of what is selected by its number never had one: the first pass dropped them. */
static bool is_copy(struct pass *s, uint32_t file, const struct ct_frame *f) {
  struct ct_frame once;
  uint64_t missed = 0;
  return s->copies != NULL && ct_copies_drop(s->copies, file, &s->p->decode, f, 1, &once, &missed) == 0;
}

/* What is selected by its number passed in the first pass. */
static bool is_passed(struct pass *s, const struct ct_frame *f) {
  struct ct_frame out;
  uint32_t unfit = 0;
  return s->p->filter == NULL || ct_frame_filter_pass(s->p->filter, f, 1, &out, &unfit) > 0;
}

static void look_at(struct pass *s, uint32_t file, const struct ct_frame *f) {
  enum ct_taken taken = ct_selection_take(s->p->selection, file, f, &s->p->decode);
  if (taken == CT_TAKEN_NOT || (taken == CT_TAKEN_BY_FLOW && !is_passed(s, f))) return;
  if (taken == CT_TAKEN_BY_FLOW && is_copy(s, file, f)) {
    s->r->copies++;
    return;
  }
  s->r->taken++;
  if (!ct_pcap_write(s->p->output, f->data, f->ts_ns, f->caplen, f->wirelen, f->linktype)) s->r->refused++;
}

static bool is_stopped(const struct ct_second_pass *p) {
  return atomic_load_explicit(p->stop, memory_order_relaxed) != 0;
}

/* Files are regular: what cannot be read to where it was read before has changed, which the numbers show. */
static void read_all(struct pass *s) {
  const struct ct_second_pass *p = s->p;
  const struct ct_frame *frame;
  uint32_t n = 0, file = 0;
  for (uint32_t runs = 1; !is_stopped(p) && (n = ct_merge_next(s->files, &frame, &file)) > 0; runs++) {
    if (s->copies == NULL && ct_merge_is_many(s->files)) s->copies = ct_copies_create(p->copies_key);
    s->r->read += n;
    for (uint32_t i = 0; i < n; i++) look_at(s, file, &frame[i]);
    if ((runs & TICK_RUNS) != 0) continue;
    atomic_store_explicit(p->progress, ct_merge_progress(s->files), memory_order_relaxed);
    ct_pcap_write_tick(p->output, ct_clock_ns(CLOCK_MONOTONIC));
  }
  s->r->failed = ct_merge_failed(s->files, &s->r->end);
  struct ct_merge_end end;
  while (!s->r->failed && ct_merge_ended(s->files, &end)) {
    if (end.status != CT_PCAP_IO) continue;
    s->r->failed = true;
    s->r->end = end;
  }
}

void ct_second_pass_run(const struct ct_second_pass *p, struct ct_second_result *r) {
  *r = (struct ct_second_result){0};
  struct pass s = {.p = p, .r = r, .files = ct_merge_create(p->path, p->fd, p->files)};
  if (s.files == NULL) {
    r->failed = true;
    r->end = (struct ct_merge_end){.status = CT_PCAP_IO, .err = ENOMEM};
    return;
  }
  if (ct_merge_start(s.files, NULL, NULL, &r->end))
    read_all(&s);
  else
    r->failed = true;
  r->stopped = is_stopped(p);
  r->missing = ct_selection_missing(p->selection);
  r->missed_fragments = ct_selection_missed_fragments(p->selection);
  ct_copies_free(s.copies);
  ct_merge_free(s.files);
}
