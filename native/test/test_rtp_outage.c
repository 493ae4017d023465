/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_outage.c - which window a gap in the sequence belongs to, and how little a forged one can take.
 */
#define _GNU_SOURCE
#include "rtp_harness.h"

/* Packets `from` to `to` - 1 of a stream of `n` never arrive. */
static const struct ct_stream *with_gap(int n, int from, int to) {
  start(100);
  for (int i = 0; i < n; i++)
    if (i < from || i >= to) push(nth(i, 1000));
  return stream(0);
}

static void check_window(uint32_t i, uint32_t packets, uint32_t expected, uint32_t lost, uint32_t runs) {
  CHECK_EQ(window_log[i].packets, packets);
  CHECK_EQ(window_log[i].expected, expected);
  CHECK_EQ(window_log[i].lost, lost);
  CHECK_EQ(window_log[i].loss_runs, runs);
}

static void open_window(const struct ct_stream *s, uint32_t expected, uint32_t lost, uint32_t runs) {
  CHECK_EQ(ct_stream_expected(s) - s->w_expected, expected);
  CHECK_EQ(ct_stream_expected(s) - s->w_expected - (s->unique - s->w_unique), lost);
  CHECK_EQ(s->loss_runs - s->w_loss_runs, runs);
}

/* Windows of 250: 200 and 50 lost, one of nothing but loss, 30 lost and 20. */
static void over_three_windows(void) {
  const struct ct_stream *s = with_gap(550, 200, 530);
  CHECK_EQ(opened, 1);
  CHECK_EQ(windows, 2);
  check_window(0, 200, 250, 50, 1);
  check_window(1, 0, 250, 250, 1);
  CHECK_NEAR(window_log[1].start_us, (double)T0 / 1000 + 5e6, 0.5);
  CHECK_EQ(window_log[1].ts_step, 160);
  open_window(s, 50, 30, 1);
  CHECK_NEAR((double)s->window_start_ns, (double)(T0 + 10 * SECOND), 1);
}

/* The gap ends where a window does: the next one begins without loss and without a run. */
static void up_to_the_end(void) {
  const struct ct_stream *s = with_gap(800, 200, 750);
  CHECK_EQ(windows, 2);
  check_window(0, 200, 250, 50, 1);
  check_window(1, 0, 500, 500, 2);
  open_window(s, 50, 0, 0);
}

/* What may be reordering yet is not torn apart: 249 and 250 come in turned order, on the edge of two windows. */
static void reordered_on_the_edge(void) {
  start(100);
  for (int i = 0; i < 300; i++) {
    struct send x = nth(i == 249 ? 250 : i == 250 ? 249 : i, 1000);
    x.at = T0 + i * 20 * MS + (i == 249 ? 20 * MS : 0);
    push(x);
  }
  CHECK_EQ(windows, 1);
  CHECK_EQ(window_log[0].lost, 0);
  CHECK_EQ(lost(stream(0)), 0);
}

/* A hold of 100 s, and 300 packets that got lost right after its beginning: by packet time, not spread over the hold. */
static void hold_with_loss(void) {
  start(100);
  for (int i = 0; i < 250; i++) push(nth(i, 1000));
  struct send x = nth(550, 1000);
  x.at = T0 + 5 * SECOND + 100 * SECOND;
  x.ts = 5000u + 160u * (250 + 5000);
  push(x);
  CHECK_EQ(opened, 1);
  CHECK_EQ(windows, 2);
  check_window(0, 250, 250, 0, 0);
  check_window(1, 0, 300, 300, 2);
  open_window(stream(0), 1, 0, 0);
}

/* 60,000 packets, 20 minutes: sequence and timestamp moved with the time. One record says 239 windows. */
static void twenty_minutes(void) {
  const struct ct_stream *s = with_gap(60400, 300, 60300);
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(s), 60000);
  CHECK_EQ(s->strays + s->resyncs, 0);
  CHECK_EQ(windows, 3);
  check_window(1, 50, 250, 200, 1);
  check_window(2, 0, 59750, 59750, 239);
  open_window(s, 150, 50, 1);
}

/* Of the same length, but one of three did not move with the time: a restart or the next call, no loss. */
static void no_outage(void) {
  for (int which = 0; which < 3; which++) {
    start(100);
    for (int i = 0; i < 300; i++) push(nth(i, 1000));
    for (int i = 10300; i < 10400; i++) {
      struct send x = nth(i, which == 0 ? 15000 : 1000);
      if (which == 1) x.ts += 160 * 20000;
      if (which == 2) x.at -= 150 * SECOND;
      push(x);
    }
    uint32_t gone = 0;
    for (uint32_t i = 0; i < opened; i++) gone += lost(stream(i));
    CHECK_EQ(gone, 0);
    CHECK_EQ(opened, 2);
  }
}

/* Whatever an attacker sends, a packet makes two records at most, and a record no more windows than packets it lost. */
static void forged_jumps(void) {
  start(100);
  int64_t at = T0;
  uint16_t seq = 0;
  uint32_t ts = 0, before = 0;
  rng_state = 7;
  for (int i = 0; i < 20000; i++) {
    at += (int64_t)(rnd() % 8 == 0 ? (uint64_t)rnd() * rnd() % (1000 * SECOND) : rnd() % (40 * MS));
    seq = (uint16_t)(seq + (rnd() % 4 == 0 ? rnd() : 1));
    ts += rnd() % 4 == 0 ? rnd() : 160;
    struct ct_rtp_events ev = push(SEND(.at = at, .ts = ts, .seq = seq));
    CHECK(windows - before <= 2 && ev.n <= 4);
    for (uint32_t w = before; w < windows; w++) {
      const struct ct_rtp_window *x = &window_log[w % 4096];
      CHECK(x->lost <= x->expected);
      if (x->packets == 0) CHECK(x->loss_runs >= 1 && x->loss_runs <= x->lost && x->lost < 65536);
    }
    before = windows;
  }
}

int main(void) {
  over_three_windows();
  up_to_the_end();
  reordered_on_the_edge();
  hold_with_loss();
  twenty_minutes();
  no_outage();
  forged_jumps();
  return rtp_report("rtp_outage");
}
