/* SPDX-License-Identifier: Apache-2.0
 * steady_frames.c - see steady_frames.h.
 */
#include "file/steady_frames.h"

#include <stdlib.h>
#include <string.h>

#define FORWARD_NS CT_CLOCK_LEAST_NS
#define BACK_NS 100000000LL /* a step back is less by what had passed since the frame before */
#define SOON_NS 300000000LL /* who was sending in front of a gap has sent by then */
#define SECOND_NS 1000000000LL
#define ENOUGH_NS 1000000000LL /* a step is not proven by less of what follows it */

/* A frame that was read ahead. */
struct ahead {
  struct ct_frame frame;
  uint64_t delta; /* as ct_pipeline.file_delta */
  uint32_t file;
  bool in_file;
};

struct ct_steady {
  struct ct_merge *files;
  struct ct_pipeline *pl;
  struct ct_clock_proof *proof; /* NULL until there is something to ask */
  struct ahead *queue;          /* likewise; from `head` to `tail` */
  uint8_t *bytes;
  uint32_t head, tail, used;
  struct ct_frame shifted[CT_MERGE_RUN], kept[CT_MERGE_RUN];
  /* Of the run that was read last what was not handed out. */
  const struct ct_frame *rest;
  uint32_t rest_n, rest_file;
  int64_t last_ns; /* of the last frame, as captured */
  int64_t shift_ns;
  uint32_t steps;
  bool began, stepped;
  struct ct_clock_step step;
};

struct ct_steady *ct_steady_create(struct ct_merge *files, struct ct_pipeline *pl) {
  struct ct_steady *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->files = files;
  s->pl = pl;
  return s;
}

void ct_steady_free(struct ct_steady *s) {
  if (s == NULL) return;
  free(s->proof);
  free(s->queue);
  free(s->bytes);
  free(s);
}

bool ct_steady_is_ahead(const struct ct_steady *s) { return s->head < s->tail || s->rest_n > 0; }

bool ct_steady_step(struct ct_steady *s, struct ct_clock_step *step) {
  if (!s->stepped) return false;
  *step = s->step;
  s->stepped = false;
  return true;
}

/* Times that are whole seconds prove nothing. */
static bool is_gap(int64_t before, const struct ct_frame *f) {
  const int64_t dt = ct_ns_diff(f->ts_ns, before);
  if ((dt < FORWARD_NS && dt > -BACK_NS) || f->ts_invalid) return false;
  return before % SECOND_NS != 0 || f->ts_ns % SECOND_NS != 0;
}

/* Memory for what is read ahead, once it is needed. */
static bool has_room(struct ct_steady *s) {
  if (s->proof == NULL) s->proof = calloc(1, sizeof *s->proof);
  if (s->queue == NULL) s->queue = malloc(CT_AHEAD_FRAMES * sizeof *s->queue);
  if (s->bytes == NULL) s->bytes = malloc(CT_AHEAD_BYTES);
  return s->proof != NULL && s->queue != NULL && s->bytes != NULL;
}

/* The bytes of a run stay until the next one is read: what is not handed out before that is copied, as it lies, so that its
 * place in the file is known. False: no room. */
static bool keep(struct ct_steady *s, const struct ct_frame *frame, uint32_t n, uint32_t file) {
  uint64_t delta = 0;
  const bool in_file = ct_merge_place(s->files, &delta);
  const uint8_t *from = frame[0].data, *end = frame[n - 1].data + frame[n - 1].caplen;
  for (uint32_t i = 1; i < n; i++)
    if (frame[i].data < frame[i - 1].data + frame[i - 1].caplen) return false;
  if (s->tail + n > CT_AHEAD_FRAMES || (size_t)(end - from) > CT_AHEAD_BYTES - s->used) return false;
  uint8_t *copy = s->bytes + s->used;
  memcpy(copy, from, (size_t)(end - from));
  s->used += (uint32_t)(end - from);
  delta += (uint64_t)(uintptr_t)from - (uint64_t)(uintptr_t)copy;
  for (uint32_t i = 0; i < n; i++) {
    struct ahead *a = &s->queue[s->tail++];
    *a = (struct ahead){.frame = frame[i], .delta = delta, .file = file, .in_file = in_file};
    a->frame.data = copy + (frame[i].data - from);
  }
  return true;
}

/* Moves what is left of the run into the queue, or reads one more. False at the end, or where there is no room. */
static bool read_ahead(struct ct_steady *s) {
  if (s->rest_n == 0) {
    /* A run that does not fit must be handed out: it is not read before there is room for any. */
    s->rest_n = ct_merge_next(s->files, &s->rest, &s->rest_file);
    if (s->rest_n == 0) return false;
  }
  if (!keep(s, s->rest, s->rest_n, s->rest_file)) return false;
  s->rest_n = 0;
  return true;
}

/* What the frame tells of the clock. False: that it was not set. */
static bool take(struct ct_steady *s, const struct ct_frame *f) {
  struct ct_packet p = {.ts_ns = ct_ns_diff(f->ts_ns, s->shift_ns), .frame = f->data, .caplen = f->caplen};
  p.wirelen = f->wirelen;
  if (ct_decode_frame(&p, f->linktype, &s->pl->decode) != CT_OK) return true;
  if (ct_classify(&p, &s->pl->gate, &s->pl->decode) != CT_CLS_RTP) return true;
  struct ct_rtp_header h;
  if (!ct_rtp_parse(&p, &h)) return true;
  const struct ct_stream *stream = ct_rtp_known(s->pl->rtp, &p, h.ssrc, s->pl->origin);
  return stream == NULL || ct_clock_take(s->proof, stream, &h, p.ts_ns);
}

/* By how much the clock was set in front of the first frame of the queue. */
static int64_t ask(struct ct_steady *s) {
  const int64_t first = s->queue[s->head].frame.ts_ns;
  int64_t last = first;
  ct_clock_ask(s->proof, ct_ns_diff(first, s->last_ns), ct_ns_diff(s->last_ns, s->shift_ns));
  for (uint32_t i = s->head;; i++) {
    if (i == s->tail && !read_ahead(s)) break;
    const struct ct_frame *f = &s->queue[i].frame;
    const int64_t since = ct_ns_diff(f->ts_ns, first);
    if (!ct_merge_is_alone(s->files)) return 0;
    if (since > CT_CLOCK_WATCH_NS || is_gap(last, f)) break;
    if (since > SOON_NS && !ct_clock_may_be(s->proof)) return 0;
    if (!take(s, f)) return 0;
    if (!f->ts_invalid) last = f->ts_ns;
  }
  if (ct_ns_diff(last, first) < ENOUGH_NS) return 0;
  ct_rtp_settle(s->pl->rtp); /* which streams are named, TypeScript says */
  return ct_clock_step(s->proof);
}

static void set_clock(struct ct_steady *s, int64_t size) {
  if (size == 0) return;
  s->shift_ns = ct_ns_diff(s->shift_ns, -size);
  s->steps++;
  s->step = (struct ct_clock_step){ct_ns_diff(s->queue[s->head].frame.ts_ns, s->shift_ns), size};
  s->stepped = true;
}

static uint32_t hand_out(struct ct_steady *s, const struct ct_frame *frame, uint32_t n,
                         const struct ct_frame **out) {
  uint32_t timed = n;
  while (timed > 0 && frame[timed - 1].ts_invalid) timed--;
  if (timed > 0) {
    s->last_ns = frame[timed - 1].ts_ns;
    s->began = true;
  }
  *out = frame;
  s->pl->shift_ns = s->shift_ns;
  if (s->shift_ns == 0) return n;
  for (uint32_t i = 0; i < n; i++) {
    s->shifted[i] = frame[i];
    if (!frame[i].ts_invalid) s->shifted[i].ts_ns = ct_ns_diff(frame[i].ts_ns, s->shift_ns);
  }
  *out = s->shifted;
  return n;
}

/* The first of the queue, and those that followed it in one run up to the next gap. */
static uint32_t hand_out_kept(struct ct_steady *s, const struct ct_frame **out, uint32_t *file) {
  const struct ahead *first = &s->queue[s->head];
  int64_t last = s->last_ns;
  uint32_t n = 0;
  for (; s->head < s->tail && n < CT_MERGE_RUN; s->head++) {
    const struct ahead *a = &s->queue[s->head];
    if (n > 0 && (a->delta != first->delta || a->file != first->file || is_gap(last, &a->frame))) break;
    s->kept[n++] = a->frame;
    if (!a->frame.ts_invalid) last = a->frame.ts_ns;
  }
  s->pl->in_file = first->in_file;
  s->pl->file_delta = first->delta;
  *file = first->file;
  if (s->head == s->tail) s->head = s->tail = s->used = 0;
  return hand_out(s, s->kept, n, out);
}

/* How many frames of the run come before a gap. */
static uint32_t before_gap(const struct ct_steady *s, const struct ct_frame *frame, uint32_t n) {
  int64_t last = s->began ? s->last_ns : frame[0].ts_ns;
  for (uint32_t i = 0; i < n; i++) {
    if (is_gap(last, &frame[i])) return i;
    if (!frame[i].ts_invalid) last = frame[i].ts_ns;
  }
  return n;
}

static bool can_ask(struct ct_steady *s) {
  return s->steps < CT_CLOCK_STEPS && ct_merge_is_alone(s->files) && has_room(s);
}

uint32_t ct_steady_next(struct ct_steady *s, const struct ct_frame **out, uint32_t *file) {
  if (s->head == s->tail) {
    if (s->rest_n == 0) s->rest_n = ct_merge_next(s->files, &s->rest, &s->rest_file);
    if (s->rest_n == 0) return 0;
    uint32_t n = before_gap(s, s->rest, s->rest_n);
    if (n == 0 && (!can_ask(s) || !read_ahead(s))) n = s->rest_n;
    if (n > 0) {
      const struct ct_frame *frame = s->rest;
      s->rest += n;
      s->rest_n -= n;
      s->pl->in_file = ct_merge_place(s->files, &s->pl->file_delta);
      *file = s->rest_file;
      return hand_out(s, frame, n, out);
    }
  }
  if (s->began && is_gap(s->last_ns, &s->queue[s->head].frame)) set_clock(s, ask(s));
  return hand_out_kept(s, out, file);
}
