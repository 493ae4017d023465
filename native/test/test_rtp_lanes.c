/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_lanes.c - lateness at a clock that is known late, and the packet time of who is silent at times.
 */
#define _GNU_SOURCE
#include "rtp_harness.h"

enum { LANE_16000 = 0, LANE_48000 = 1, LANE_90000 = 2 };

static void one(int64_t at, int i, uint32_t ts, uint8_t pt) {
  push(SEND(.at = T0 + at, .ssrc = 7, .host = 1, .port = 4000, .seq = (uint16_t)(1000 + i), .ts = ts, .pt = pt));
}

/* The first `burst` packets come at one time, as after a path was opened; then one each 20 ms. */
static void with_burst(int burst, uint32_t ticks, uint8_t pt) {
  start(100);
  for (int i = 0; i < 600; i++) one(i < burst ? i * MS / 10 : (i - burst) * 20 * MS, i, (uint32_t)i * ticks, pt);
}

static void a_burst_at_the_start_is_not_late(void) {
  for (int burst = 1; burst <= 30; burst++) {
    with_burst(burst, 960, 96);
    CHECK_EQ(stream(0)->discarded_in[LANE_48000], 0);
    with_burst(burst, 320, 97);
    CHECK_EQ(stream(0)->discarded_in[LANE_16000], 0);
    with_burst(burst, 160, 98); /* G726-32 */
    CHECK_EQ(stream(0)->discarded, 0);
    CHECK_EQ(lost(stream(0)), 0);
  }
}

/* Whether the description's clock comes never, at once or amid the stream, the count is the same. */
static void late_packets_of_a_late_clock(void) {
  for (int told = 0; told <= 600; told += 100) {
    start(100);
    for (int i = 0; i < 600; i++) {
      if (i > 0 && i == told + 1) stream(0)->clock_hint = 48000;
      one(i * 20 * MS + (i % 100 == 50 ? 150 * MS : 0), i, (uint32_t)i * 960, 111);
    }
    CHECK_EQ(stream(0)->discarded_in[LANE_48000], 6);
    uint32_t in_windows = 0;
    for (uint32_t w = 0; w < windows; w++) in_windows += window_log[w].discarded[LANE_48000 + 1];
    CHECK_EQ(in_windows, 5); /* the sixth lies in the open one */
  }
  /* A stream that began with a type of known clock has what was counted then in each lane. */
  start(100);
  for (int i = 0; i < 100; i++) one(i * 20 * MS + (i % 10 == 5 ? 90 * MS : 0), i, (uint32_t)i * 160, 0);
  for (int i = 100; i < 200; i++) one(i * 20 * MS + (i % 50 == 25 ? 90 * MS : 0), i, (uint32_t)i * 960, 111);
  CHECK_EQ(stream(0)->discarded_in[LANE_48000], 12);
}

/* 500 packets of speech each `step`, then a frame now and then for a minute, and so on; ends in a silence. */
static double packet_ticks(uint32_t step, uint32_t silence, int64_t ns_per_tick, uint8_t pt) {
  start(100);
  uint32_t ts = 0;
  int n = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 100; i++, ts += step) one(ts * ns_per_tick, n++, ts, pt);
    for (int i = 0; i < 60; i++, ts += silence) one(ts * ns_per_tick, n++, ts, pt);
  }
  return stream(0)->ts_step;
}

static void packet_time_is_that_of_speech(void) {
  CHECK_NEAR(packet_ticks(160, 40000, 125000, 0), 160, 0);   /* a softphone's keep-alive each 5 s */
  CHECK_NEAR(packet_ticks(960, 19200, 20833, 111), 960, 0);  /* Opus: 400 ms */
  CHECK_NEAR(packet_ticks(160, 1280, 125000, 96), 160, 0);   /* AMR: SID each 160 ms */
  CHECK_NEAR(packet_ticks(320, 2560, 62500, 97), 320, 0);    /* AMR-WB */
  /* Neighbours that swap teach none. */
  start(100);
  for (int i = 0; i < 200; i++) {
    const int k = i % 4 == 1 ? i + 1 : i % 4 == 2 ? i - 1 : i;
    one(i * 20 * MS, k, (uint32_t)k * 160, 0);
  }
  CHECK_EQ(stream(0)->ts_step, 160);
  /* It changes both ways without a word, and is found when a stream begins in silence. */
  CHECK_NEAR(packet_ticks(160, 480, 125000, 0), 480, 0);
  CHECK_NEAR(packet_ticks(480, 160, 125000, 0), 160, 0);
  start(100);
  for (int i = 0; i < 20; i++) one(i * 400 * MS, i, (uint32_t)i * 19200, 111);
  for (int i = 0; i < 20; i++) one((20 * 400 + i * 20) * MS, 20 + i, 20 * 19200u + (uint32_t)i * 960, 111);
  CHECK_EQ(stream(0)->ts_step, 960);
}

int main(void) {
  a_burst_at_the_start_is_not_late();
  late_packets_of_a_late_clock();
  packet_time_is_that_of_speech();
  return rtp_report("rtp lanes");
}
