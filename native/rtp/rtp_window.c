/* SPDX-License-Identifier: Apache-2.0
 * rtp_window.c - the quality windows of a stream: what was counted within each, and what of a gap in the sequence belongs
 * to which.
 *
 * A gap shows with the packet after it. Its packets were due one packet time after the other after the last one
 * received, or spread evenly where there was less time than that. Those due before the open window ends are lost there,
 * those of the windows in between make windows of loss alone, and the rest is the new window's.
 */
#include <string.h>

#include "rtp/rtp_change.h"
#include "rtp/rtp_stream.h"

/* A gap of so few packets may be filled yet: it stays with the window of the packet behind it (RFC 5681 s3.2 has three). */
#define REORDERED 3u

static uint32_t discarded(const struct ct_stream *s, int lane) {
  return lane == 0 ? s->discarded : s->discarded_in[lane - 1];
}

static void set_amid(struct ct_stream *s, bool is) {
  s->flags = (uint8_t)(is ? s->flags | CT_SF_AMID : s->flags & ~CT_SF_AMID);
}

static void begin_window(struct ct_stream *s, int64_t start, int64_t end) {
  s->jitter_sum[0] += (double)s->jitter0_wsum;
  s->jitter0_wsum = 0;
  for (int i = 0; i < CT_RTP_LANES - 1 && s->lane_mode == CT_LANES_ALL; i++) {
    s->jitter_sum[i + 1] += (double)s->jitter_wsum[i];
    s->jitter_wsum[i] = 0;
  }
  s->window_start_ns = start;
  s->window_end_ns = end;
  s->w_packets = (uint32_t)s->packets;
  s->w_expected = ct_stream_expected(s);
  s->w_unique = s->unique;
  s->w_duplicates = s->duplicates;
  s->w_reordered = s->reordered;
  for (int i = 0; i < CT_RTP_LANES; i++) s->w_discarded[i] = (uint16_t)discarded(s, i);
  s->w_loss_runs = s->loss_runs;
  s->w_jitter_n = s->jitter_n;
}

static void set_span(struct ct_rtp_window *w, int64_t start, const struct ct_rtp_opts *o) {
  w->start_us = ct_us(start);
  w->length_us = (double)o->window_ns / 1000.0;
}

static void set_format(struct ct_rtp_window *w, const struct ct_stream *s) {
  w->other_clock = s->other_clock;
  w->clock = s->clock;
  w->pt = s->main_pt;
  w->lane_mode = s->lane_mode;
  w->ts_step = s->ts_step;
  w->amid = (s->flags & CT_SF_AMID) != 0;
}

bool ct_stream_window(const struct ct_stream *s, const struct ct_rtp_opts *o, struct ct_rtp_window *w) {
  memset(w, 0, sizeof(*w));
  w->packets = (uint32_t)s->packets - s->w_packets;
  if (w->packets == 0) return false;
  set_span(w, s->window_start_ns, o);
  w->expected = ct_stream_expected(s) - s->w_expected;
  w->lost = w->expected - (s->unique - s->w_unique);
  w->duplicates = s->duplicates - s->w_duplicates;
  w->reordered = s->reordered - s->w_reordered;
  w->loss_runs = s->loss_runs - s->w_loss_runs;
  w->jitter_n = s->jitter_n - s->w_jitter_n;
  for (int i = 0; i < CT_RTP_LANES; i++) {
    uint32_t n = w->jitter_n;
    /* Lane 4 may have begun within this window. */
    if (i == 4 && s->other_skip > s->w_jitter_n) n = s->jitter_n - s->other_skip;
    w->discarded[i] = (uint16_t)(discarded(s, i) - s->w_discarded[i]);
    w->jitter_ms[i] = n == 0 ? 0 : (i == 0 ? s->jitter0_wsum : s->jitter_wsum[i - 1]) / (float)n;
  }
  set_format(w, s);
  return true;
}

/* Of `missing` packets behind the last one received, each `step_ns` behind the one before it: those due before `at`. */
struct gap {
  uint32_t missing;
  int64_t step_ns;
};

static uint32_t due_before(const struct ct_stream *s, const struct gap *g, int64_t at) {
  if (g->step_ns <= 0) return 0;
  int64_t n = (ct_ns_diff(at, s->last_ns) - 1) / g->step_ns;
  return n <= 0 ? 0 : n < (int64_t)g->missing ? (uint32_t)n : g->missing;
}

static struct gap gap_of(const struct ct_stream *s, uint32_t missing, int64_t now) {
  struct gap g = {missing, 0};
  if (missing <= REORDERED) return g;
  const int64_t packet_ns = (int64_t)((double)s->ts_step * (double)ct_ns_per_tick(s, s->audio_pt));
  g.step_ns = ct_ns_diff(now, s->last_ns) / (int64_t)(missing + 1);
  if (packet_ns > 0 && packet_ns < g.step_ns) g.step_ns = packet_ns;
  return g;
}

/* What of a gap was due before the open window's end is lost in it. */
static void lose_more(struct ct_rtp_window *w, uint32_t lost) {
  w->expected += lost;
  w->lost += lost;
  w->loss_runs++;
}

/* `lost` packets over the windows from `start` on, up to the one in which the last of them was due; `here` of the gap lay in
 * front. */
static void outage_windows(const struct ct_stream *s, const struct ct_rtp_opts *o, int64_t start,
                           const struct gap *g, uint32_t here, uint32_t lost, struct ct_rtp_window *w) {
  const int64_t first_due = s->last_ns + (int64_t)(here + 1) * g->step_ns;
  const int64_t last_due = first_due + (int64_t)(lost - 1) * g->step_ns;
  const int64_t len = (int64_t)o->window_ns, count = ct_ns_diff(last_due, start) / len + 1;
  memset(w, 0, sizeof(*w));
  set_span(w, start, o);
  w->expected = w->lost = lost;
  w->loss_runs = count < 1 ? 1 : count < (int64_t)lost ? (uint32_t)count : lost;
  set_format(w, s);
  w->amid = here > 0;
  const double due[2] = {(double)ct_ns_diff(first_due, start), (double)g->step_ns};
  memcpy(w->jitter_ms, due, sizeof(due));
}

unsigned ct_stream_roll(struct ct_stream *s, const struct ct_rtp_opts *o, int64_t now, uint32_t missing,
                        struct ct_rtp_closed *out) {
  struct ct_rtp_window *windows = out->window + out->windows;
  const int64_t len = (int64_t)o->window_ns, old_end = s->window_end_ns;
  const struct gap g = gap_of(s, missing, now);
  int64_t skipped = ct_ns_diff(now, old_end) / len * len;
  int64_t start, end;
  /* Windows stay aligned to the first packet; the end of time itself is never reached by adding. */
  if (__builtin_add_overflow(old_end, skipped, &start)) start = now;
  if (__builtin_add_overflow(start, len, &end)) end = INT64_MAX;
  const uint32_t here = due_before(s, &g, old_end), before = due_before(s, &g, start);
  unsigned done = 0;
  if (ct_stream_window(s, o, &windows[0])) {
    done |= CT_UPDATE_WINDOW;
    if (here > 0) lose_more(&windows[0], here);
  }
  if (done != 0 && before > here) {
    done |= CT_UPDATE_OUTAGE;
    outage_windows(s, o, old_end, &g, here, before - here, &windows[1]);
  }
  out->windows += (done & CT_UPDATE_WINDOW ? 1 : 0) + (done & CT_UPDATE_OUTAGE ? 1 : 0);
  s->window_seq++;
  begin_window(s, start, end);
  /* What the packet is about to add of the gap, and the run it makes, has been told of where none of it is the new window's. */
  s->w_expected += before;
  if (before > 0 && before == missing) s->w_loss_runs++;
  set_amid(s, before > 0 && before < missing);
  return done;
}

bool ct_stream_cut(struct ct_stream *s, const struct ct_rtp_opts *o, const struct ct_change *c,
                   struct ct_rtp_window *w) {
  const struct ct_rtp_mark *m = &c->mark;
  const int64_t start = s->window_start_ns;
  s->window_start_ns = c->start_ns;
  if (__builtin_add_overflow(c->start_ns, (int64_t)o->window_ns, &s->window_end_ns))
    s->window_end_ns = INT64_MAX;
  if (m->packets == s->w_packets && m->expected == s->w_expected) return false;
  memset(w, 0, sizeof(*w));
  set_span(w, start, o);
  w->length_us = (double)ct_ns_diff(c->start_ns, start) / 1000.0;
  w->packets = m->packets - s->w_packets;
  w->expected = m->expected - s->w_expected;
  w->lost = w->expected - (m->unique - s->w_unique);
  w->duplicates = m->duplicates - s->w_duplicates;
  w->reordered = m->reordered - s->w_reordered;
  w->loss_runs = m->loss_runs - s->w_loss_runs;
  w->jitter_n = m->jitter_n - s->w_jitter_n;
  for (int i = 0; i < CT_RTP_LANES; i++) {
    w->discarded[i] = (uint16_t)(m->discarded[i] - s->w_discarded[i]);
    s->w_discarded[i] = (uint16_t)m->discarded[i];
    w->jitter_ms[i] = w->jitter_n == 0 ? 0 : c->window_sum[i] / (float)w->jitter_n;
  }
  set_format(w, s);
  w->ts_step = c->ts_step;
  set_amid(s, false);
  s->window_seq++;
  s->w_packets = m->packets;
  s->w_expected = m->expected;
  s->w_unique = m->unique;
  s->w_duplicates = m->duplicates;
  s->w_reordered = m->reordered;
  s->w_loss_runs = m->loss_runs;
  s->w_jitter_n = m->jitter_n;
  return true;
}
