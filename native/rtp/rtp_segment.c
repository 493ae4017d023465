/* SPDX-License-Identifier: Apache-2.0
 * rtp_segment.c - a stream changes its payload type: what it counted until then, and a fresh start for its timing.
 *
 * A segment begins where another type carries five packets in a row, from the first of them. What the counters were at that
 * first packet must be kept until the fifth: in a place of a ring that all streams share, so that a stream that never
 * changes costs nothing. Who changes types in a flood takes places from others: a change is then seen a few packets later.
 */
#include "rtp/rtp_segment.h"

#include <string.h>

#define RUN 5u

/* Where the run of another type is kept that the stream is in; NULL when it is in none, or lost the place to others. */
static struct ct_change *change_of(struct ct_changes *all, const struct ct_stream *s) {
  struct ct_change *c = &all->ring[s->change % CT_RTP_CHANGES];
  return c->owner == s->self && c->generation == s->generation && c->pt != CT_RTP_NO_PT ? c : NULL;
}

static void close_run(struct ct_change *c) { c->pt = CT_RTP_NO_PT; }

/* While a stream knows the clocks of all its types, lane 0 stands for all. */
static double lane_sum(const struct ct_stream *s, int i) {
  if (i == 0 || s->lane_mode == CT_LANES_ONE) return s->jitter_sum[0] + (double)s->jitter0_wsum;
  return s->jitter_sum[i] + (double)s->jitter_wsum[i - 1];
}

static float lane_window_sum(const struct ct_stream *s, int i) {
  return i == 0 || s->lane_mode == CT_LANES_ONE ? s->jitter0_wsum : s->jitter_wsum[i - 1];
}

static void set_running(struct ct_stream *s, const float running[CT_RTP_LANES]) {
  s->jitter0 = running[0];
  memcpy(s->jitter, running + 1, sizeof(s->jitter));
}

static void take_mark(const struct ct_stream *s, struct ct_rtp_mark *m) {
  m->packets = (uint32_t)s->packets;
  m->expected = ct_stream_expected(s);
  m->unique = s->unique;
  m->duplicates = s->duplicates;
  m->reordered = s->reordered;
  m->loss_runs = s->loss_runs;
  m->discarded[0] = s->discarded;
  const uint32_t *others = s->lane_mode == CT_LANES_ONE ? NULL : s->discarded_in;
  for (int i = 1; i < CT_RTP_LANES; i++) m->discarded[i] = others == NULL ? s->discarded : others[i - 1];
  m->jitter_n = s->jitter_n;
}

void ct_segment_before(struct ct_changes *all, struct ct_stream *s, uint8_t pt, int64_t now,
                       uint32_t missing) {
  struct ct_change *c = change_of(all, s);
  if (c != NULL && c->pt == pt) return;
  if (c == NULL) {
    s->change = all->hand++ % CT_RTP_CHANGES;
    c = &all->ring[s->change];
    c->owner = s->self;
    c->generation = s->generation;
    c->ts_step = s->ts_step;
    for (int i = 0; i < CT_RTP_LANES; i++)
      c->running[i] = i == 0 || s->lane_mode == CT_LANES_ONE ? s->jitter0 : s->jitter[i - 1];
  }
  c->pt = pt;
  c->run = 0;
  c->start_ns = now;
  c->before_ns = s->last_ns;
  c->window_seq = s->window_seq;
  take_mark(s, &c->mark);
  /* They were due before it. */
  c->mark.expected += missing;
  c->mark.loss_runs += missing > 0;
  for (int i = 0; i < CT_RTP_LANES; i++) {
    c->sum[i] = lane_sum(s, i);
    c->window_sum[i] = lane_window_sum(s, i);
  }
}

/* A few packets were of another type, and say nothing of this one's jitter. */
static void resume(struct ct_stream *s, struct ct_change *c) {
  set_running(s, c->running);
  s->ts_step = s->ts_step_seen = c->ts_step;
  if (c->window_seq == s->window_seq) {
    s->jitter_n = c->mark.jitter_n;
    s->jitter0_wsum = c->window_sum[0];
    memcpy(s->jitter_wsum, c->window_sum + 1, sizeof(s->jitter_wsum));
  }
  close_run(c);
}

/* The type of the segment stands first: so the short way finds it. */
static void put_first(struct ct_stream *s, uint8_t pt) {
  uint32_t i = 1;
  while (i < CT_RTP_PTS && (s->pt[i] != pt || s->pt_count[i - 1] == 0)) i++;
  if (s->pt[0] == pt || i == CT_RTP_PTS) return;
  const uint32_t count = s->pt0_count, first = s->event_mask & 1u, other = s->event_mask >> i & 1u;
  s->pt[i] = s->pt[0];
  s->pt[0] = pt;
  s->pt0_count = s->pt_count[i - 1];
  s->pt_count[i - 1] = count;
  if (first != other) s->event_mask ^= (uint8_t)(1u << i | 1u);
}

/* What the stream counted up to the mark. */
static void set_record(struct ct_rtp_segment *out, const struct ct_stream *s, const struct ct_change *c) {
  memset(out, 0, sizeof(*out));
  out->start_us = ct_us(c->start_ns);
  out->end_us = ct_us(c->before_ns);
  out->mark = c->mark;
  for (int i = 0; i < CT_RTP_LANES; i++) {
    uint32_t from = s->jitter_base;
    if (i == 4 && s->other_skip > from)
      from = s->other_skip < c->mark.jitter_n ? s->other_skip : c->mark.jitter_n;
    const uint32_t n = c->mark.jitter_n - from;
    out->jitter_ms[i] = n == 0 ? 0 : (float)(c->sum[i] / n);
  }
  out->other_clock = s->other_clock;
  out->clock = s->clock;
  out->pt = s->main_pt;
  out->lane_mode = s->lane_mode;
  out->ts_step = c->ts_step;
}

/* The sums of the new segment are what came since the mark. */
static void restart_sums(struct ct_stream *s, const struct ct_change *c, bool is_cut) {
  const int lanes = s->lane_mode == CT_LANES_ONE ? 1 : CT_RTP_LANES;
  for (int i = 0; i < lanes; i++) {
    /* The clock of lane 4 may have come since. */
    const bool is_new = i == 4 && s->other_skip >= c->mark.jitter_n;
    float *window = i == 0 ? &s->jitter0_wsum : &s->jitter_wsum[i - 1];
    const double since = lane_sum(s, i) - (is_new ? 0 : c->sum[i]);
    if (is_cut && !is_new) *window -= c->window_sum[i];
    s->jitter_sum[i] = since - (double)*window;
  }
  s->jitter_base = c->mark.jitter_n;
}

/* A clock that was guessed for the type before is no clock of this one. */
static void forget_guess(struct ct_stream *s, uint8_t pt) {
  if (ct_static_clocks[pt & 127].hz != 0 || (s->flags & CT_SF_HINTED)) return;
  s->clock = 0;
  s->ns_per_tick = 0;
}

static unsigned begin_segment(struct ct_stream *s, const struct ct_rtp_opts *o, struct ct_change *c,
                              struct ct_rtp_closed *out) {
  /* A few packets of another type at the very beginning are none: probes that open a path, say. */
  const bool is_first = c->mark.packets < RUN;
  const bool is_cut = !is_first && c->window_seq == s->window_seq;
  unsigned done = is_first ? 0 : CT_UPDATE_SEGMENT;
  if (is_cut && ct_stream_cut(s, o, c, &out->window[out->windows])) {
    out->windows++;
    done |= CT_UPDATE_CUT;
  }
  set_record(&out->segment, s, c);
  restart_sums(s, c, is_cut);
  forget_guess(s, c->pt);
  put_first(s, c->pt);
  s->main_pt = c->pt;
  close_run(c);
  return done;
}

unsigned ct_segment_split(struct ct_changes *all, struct ct_stream *s, const struct ct_rtp_opts *o,
                          struct ct_rtp_closed *out) {
  struct ct_change *c = change_of(all, s);
  if (c == NULL || c->run == 0 || c->window_seq != s->window_seq || c->mark.packets < RUN) return 0;
  if (!ct_stream_cut(s, o, c, &out->window[out->windows])) return 0;
  out->windows++;
  const int lanes = s->lane_mode == CT_LANES_ONE ? 1 : CT_RTP_LANES;
  for (int i = 0; i < lanes; i++) {
    float *window = i == 0 ? &s->jitter0_wsum : &s->jitter_wsum[i - 1];
    s->jitter_sum[i] += (double)c->window_sum[i];
    *window -= c->window_sum[i];
    c->window_sum[i] = 0;
  }
  c->window_seq = s->window_seq;
  return CT_UPDATE_CUT;
}

unsigned ct_segment_after(struct ct_changes *all, struct ct_stream *s, const struct ct_rtp_opts *o,
                          uint8_t pt, bool counts, struct ct_rtp_closed *out) {
  struct ct_change *c = change_of(all, s);
  if (c == NULL) return 0;
  if (pt != c->pt) {
    if (pt == s->main_pt && counts) resume(s, c);
    return 0;
  }
  if (counts && ++c->run == 1) {
    static const float fresh[CT_RTP_LANES];
    set_running(s, fresh);
    s->ts_step = s->ts_step_seen = 0;
  } else if (!counts && c->run == 0) {
    close_run(c);
  }
  return c->run < RUN ? 0 : begin_segment(s, o, c, out);
}
