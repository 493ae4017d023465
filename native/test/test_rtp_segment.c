/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_segment.c - a stream that changes its payload type: what belongs to which of its segments.
 */
#define _GNU_SOURCE
#include "rtp_harness.h"

enum { PCMU = 0, PCMA = 8, CN = 13, G729 = 18, OPUS = 111, EVENT = 101 };

static int64_t at; /* of the next packet, since T0 */
static uint32_t ts;
static uint16_t seq;

static uint32_t ticks_of(uint8_t pt) { return pt == OPUS ? 960 : 160; }

static void one(uint8_t pt, int64_t late, uint16_t size) {
  push(SEND(.at = T0 + at + late, .ssrc = 7, .host = 1, .port = 4000, .seq = seq, .ts = ts, .pt = pt, .size = size));
}
static void next(uint8_t pt) { at += 20 * MS, ts += ticks_of(pt), seq++; }
/* `n` packets, each late by up to `jitter`. */
static void send(uint8_t pt, int n, int64_t jitter) {
  for (int i = 0; i < n; i++, next(pt)) one(pt, jitter == 0 ? 0 : (int64_t)(uniform() * (double)jitter), 0);
}
static void begin(void) {
  start(100);
  at = 0, ts = 1000, seq = 65500;
}

static void check_segment(uint32_t i, uint8_t pt, uint32_t packets, uint32_t expected, uint32_t unique) {
  CHECK(i < segments);
  CHECK_EQ(segment_log[i].pt, pt);
  CHECK_EQ(segment_log[i].mark.packets, packets);
  CHECK_EQ(segment_log[i].mark.expected, expected);
  CHECK_EQ(segment_log[i].mark.unique, unique);
}

static void one_change(void) {
  begin();
  send(G729, 100, 0);
  send(PCMU, 500, 0);
  const struct ct_stream *s = stream(0);
  CHECK_EQ(segments, 1);
  check_segment(0, G729, 100, 100, 100);
  CHECK_NEAR(segment_log[0].start_us, (double)T0 / 1000 + 2e6, 0.5);
  CHECK_NEAR(segment_log[0].end_us, (double)T0 / 1000 + 1.98e6, 0.5);
  CHECK_EQ(segment_log[0].ts_step, 160);
  CHECK_EQ(s->main_pt, PCMU);
  CHECK_EQ(s->plain, PCMU + 1); /* the short way again */
  CHECK_EQ(s->pt[0], PCMU);
  CHECK_EQ(s->pt0_count, 500);
  CHECK_EQ(s->pt[1], G729);
  CHECK_EQ(s->pt_count[0], 100);
  /* The window ends with the segment, and the next begins with the other. */
  CHECK_EQ(windows, 2);
  CHECK_EQ(window_log[0].packets, 100);
  CHECK_EQ(window_log[0].pt, G729);
  CHECK_NEAR(window_log[0].length_us, 2e6, 0.5);
  CHECK_EQ(window_log[1].packets, 250);
  CHECK_EQ(window_log[1].pt, PCMU);
  CHECK_NEAR(window_log[1].start_us, (double)T0 / 1000 + 2e6, 0.5);
}

/* Wherever in a window it changes, the window ends there. */
static void a_change_at_the_end_of_a_window(void) {
  for (int n = 240; n <= 255; n++) {
    begin();
    send(G729, n, 4 * MS);
    send(PCMU, 300, 4 * MS);
    CHECK_EQ(segments, 1);
    check_segment(0, G729, (uint32_t)n, (uint32_t)n, (uint32_t)n);
    uint32_t before = 0, i = 0;
    for (; i < windows && window_log[i].pt == G729; i++) before += window_log[i].packets;
    CHECK_EQ(before, n);
    CHECK_EQ(window_log[i].pt, PCMU);
    CHECK_NEAR(jitter_mean(stream(0), 0), 1.3, 0.4);
  }
}

static void many_changes(void) {
  static const uint8_t types[] = {PCMU, OPUS, PCMA, OPUS, G729, PCMU};
  begin();
  for (int i = 0; i < 6; i++) send(types[i], 50 + i, 0);
  CHECK_EQ(segments, 5);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 5; i++) {
    sum += 50 + i;
    check_segment(i, types[i], sum, sum, sum);
    CHECK_EQ(segment_log[i].ts_step, ticks_of(types[i]));
  }
  CHECK_EQ(stream(0)->main_pt, PCMU);
  CHECK_EQ(lost(stream(0)), 0);
}

/* Four of another type are none, however often; neither are those that carry no media of their own. */
static void what_makes_none(void) {
  begin();
  send(PCMU, 100, 3 * MS);
  const double before = jitter_mean(stream(0), 0);
  for (int run = 1; run <= 4; run++) {
    send(OPUS, run, 0);
    send(PCMU, 1, 0);
  }
  CHECK_EQ(segments, 0);
  CHECK_NEAR(jitter_mean(stream(0), 0), before, 1e-4);
  CHECK_EQ(stream(0)->ts_step, 160);
  for (int i = 0; i < 20; i++, next(PCMU)) one(CN, 0, 1);
  for (int i = 0; i < 20; i++, seq++, at += 20 * MS) one(EVENT, 0, 4);
  for (int i = 0; i < 20; i++, next(PCMU)) one(G729, 0, 2);
  CHECK_EQ(segments, 0);
  CHECK_EQ(stream(0)->main_pt, PCMU);
  /* The first of all neither, when they are so few. */
  begin();
  send(OPUS, 4, 0);
  send(PCMU, 300, 0);
  CHECK_EQ(segments, 0);
  CHECK_EQ(windows, 1);
  CHECK_EQ(stream(0)->main_pt, PCMU);
  begin();
  send(OPUS, 5, 0);
  send(PCMU, 300, 0);
  CHECK_EQ(segments, 1);
  begin();
  send(PCMU, 114 + 60, 0);
  /* They part no run either. */
  for (int i = 0; i < 5; i++) {
    send(PCMA, 1, 0);
    one(EVENT, 0, 4);
    seq++;
  }
  CHECK_EQ(segments, 1);
  check_segment(0, PCMU, 100 + 14 + 60, 174, 174);
}

static void loss_and_repeats_at_the_change(void) {
  begin();
  send(G729, 100, 0);
  seq += 3, at += 60 * MS, ts += 480; /* lost: they were due before the change */
  for (int i = 0; i < 4; i++, next(PCMU)) {
    one(PCMU, 0, 0);
    one(PCMU, MS, 0); /* each twice */
  }
  CHECK_EQ(segments, 0);
  send(PCMU, 100, 0);
  CHECK_EQ(segments, 1);
  check_segment(0, G729, 100, 103, 100);
  CHECK_EQ(lost(stream(0)), 3);
  CHECK_EQ(stream(0)->duplicates, 4);
}

/* The same packets as a stream of their own have the same jitter and lateness. */
static void jitter_is_its_own(void) {
  static const uint8_t types[] = {PCMU, OPUS, G729};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      if (a == b) continue;
      double mean[2];
      uint32_t late[2];
      for (int alone = 0; alone < 2; alone++) {
        begin();
        rng_state = 88172645463325299u;
        if (!alone) send(types[a], 230, 90 * MS);
        rng_state = 88172645463325207u;
        send(types[b], 400, 80 * MS);
        const struct ct_stream *s = stream(0);
        const int lane = types[b] == OPUS ? 2 : 0;
        mean[alone] = jitter_mean(s, lane);
        late[alone] = lane == 0 ? s->discarded : s->discarded_in[lane - 1];
        if (!alone) late[0] -= segment_log[0].mark.discarded[types[b] == OPUS ? 2 : 0];
      }
      CHECK_NEAR(mean[0], mean[1], mean[1] / 1000);
      CHECK_EQ(late[0], late[1]);
    }
}

/* Whoever changes types in a flood, a call's own change is seen. */
static void a_flood_of_changes(void) {
  begin();
  start(20000);
  send(G729, 100, 0);
  for (uint32_t i = 0; i < 2 * 4096; i++) {
    push(SEND(.at = T0 + at, .ssrc = 100 + i, .host = 2, .port = 5000, .seq = 1, .ts = 1, .pt = PCMU));
    push(SEND(.at = T0 + at, .ssrc = 100 + i, .host = 2, .port = 5000, .seq = 2, .ts = 2, .pt = PCMA));
    if (i % 3000 == 2) send(PCMU, 2, 0);
  }
  send(PCMU, 100, 0);
  CHECK_EQ(segments, 1);
  CHECK_EQ(stream(0)->main_pt, PCMU);
}

int main(void) {
  one_change();
  a_change_at_the_end_of_a_window();
  many_changes();
  what_makes_none();
  loss_and_repeats_at_the_change();
  jitter_is_its_own();
  a_flood_of_changes();
  return rtp_report("rtp segments");
}
