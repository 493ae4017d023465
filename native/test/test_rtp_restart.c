/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_restart.c - senders that begin anew are no loss, bursts and coarse clocks are no restart, late packets no call.
 */
#define _GNU_SOURCE
#include "rtp_harness.h"

#define BEFORE 100 /* packets until the jump */

/* One packet of 20 ms, as nth() but with its own numbers. */
static void one(int64_t at, uint32_t seq, uint32_t ts, uint8_t pt) {
  push(SEND(.at = T0 + at, .ssrc = 7, .host = 1, .port = 4000, .seq = (uint16_t)(1000 + seq), .ts = ts, .pt = pt));
}
static void begin(uint8_t pt) {
  start(100);
  for (uint32_t i = 0; i < BEFORE; i++) one(i * 20 * MS, i, i * 160, pt);
}
/* A hundred more, the first of them `after` behind the last, `seq` and `ts` further on. */
static void go_on(int64_t after, uint32_t seq, uint32_t ts, uint8_t pt) {
  const int64_t at = (BEFORE - 1) * 20 * MS + after;
  for (uint32_t i = 0; i < 100; i++) one(at + i * 20 * MS, BEFORE - 1 + seq + i, (BEFORE - 1) * 160 + ts + i * 160, pt);
}

static void a_sender_that_begins_anew(void) {
  static const uint32_t steps[] = {12, 200, 1500, 2999};
  static const uint32_t stamps[] = {160, 0, 900000, 0x90000000u};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      begin(0);
      go_on(20 * MS, steps[i], stamps[k], 0);
      CHECK_EQ(opened, 1);
      CHECK_EQ(lost(stream(0)), 0);
      CHECK_EQ(stream(0)->resyncs, 1);
      CHECK_EQ(stream(0)->strays, 0);
      CHECK_EQ(stream(0)->unique, 200);
    }
  /* One packet of before comes 60 ms behind the restart. */
  begin(0);
  for (uint32_t i = 0; i < 3; i++) one((BEFORE + i) * 20 * MS, i - 300, 900000 + i * 160, 0);
  one((BEFORE + 3) * 20 * MS - 5 * MS, BEFORE + 29, (BEFORE + 29) * 160, 0);
  for (uint32_t i = 3; i < 100; i++) one((BEFORE + i) * 20 * MS, i - 300, 900000 + i * 160, 0);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->resyncs, 1);
  /* Nobody has told the clock yet. */
  start(100);
  for (uint32_t i = 0; i < 40; i++) one(i * 20 * MS, i < 20 ? i : i + 700, (i < 20 ? 0 : 5000000) + i * 320, 97);
  CHECK_EQ(lost(stream(0)), 0);
  /* With another codec. */
  begin(0);
  go_on(20 * MS, 300, 77777, 18);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->resyncs, 1);
}

static void what_is_lost_stays_lost(void) {
  /* Time passed, and the timestamp moved with it. */
  begin(0);
  go_on(200 * 20 * MS, 200, 200 * 160, 0);
  CHECK_EQ(lost(stream(0)), 199);
  /* A network that stalled, lost a part, and delivers the rest in one go: no time between them, timestamps that fit. */
  begin(0);
  for (uint32_t i = 0; i < 100; i++)
    one(6 * SECOND + i * MS / 10, BEFORE + i + (i >= 20 ? 60 : 0), (BEFORE + i + (i >= 20 ? 60 : 0)) * 160, 0);
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(stream(0)), 60);
  CHECK_EQ(stream(0)->resyncs, 0);
  /* Some packets lost within a talk spurt, a sender that paused. */
  begin(0);
  go_on(2 * SECOND, 4, 2 * 8000, 0);
  CHECK_EQ(lost(stream(0)), 3);
  /* A single packet that somebody invents takes nothing. */
  begin(0);
  one((BEFORE - 1) * 20 * MS + MS, BEFORE + 500, 5, 0);
  go_on(20 * MS, 1, 160, 0);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->strays, 1);
}

static void clocks_that_prove_nothing(void) {
  /* All at one time; whole seconds. */
  for (int64_t unit = 0; unit <= SECOND; unit += SECOND) {
    start(100);
    for (uint32_t i = 0; i < 100; i++) {
      uint32_t seq = i < 60 ? i : i + 30;
      one(unit == 0 ? 0 : i * 20 * MS / unit * unit, seq, i < 60 ? i * 160 : 255555 + i * 160, 0);
    }
    CHECK_EQ(lost(stream(0)), 30);
  }
  /* Video: one picture lost, whose packets shared a timestamp. */
  start(100);
  for (uint32_t i = 0; i < 50; i++) one(i * 40 * MS, i, i * 3600, 31);
  for (uint32_t i = 50; i < 90; i++) one(i * 40 * MS, i + 30, (i + 1) * 3600, 31);
  CHECK_EQ(lost(stream(0)), 30);
}

static void late_after_a_pause(void) {
  /* 95 to 99 come two seconds behind 120, which came without them, and then it goes on. */
  start(100);
  for (uint32_t i = 0; i < 121; i++)
    if (i < 95 || i > 99) one(i * 20 * MS, i, i * 160, 0);
  for (uint32_t i = 95; i < 100; i++) one(120 * 20 * MS + 2 * SECOND + i * MS, i, i * 160, 0);
  for (uint32_t i = 121; i < 300; i++) one(2 * SECOND + i * 20 * MS, i, i * 160, 0);
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->reordered, 5);
  /* A repeat of the last one, and of one before. */
  one(600 * SECOND, 299, 299 * 160, 0);
  one(700 * SECOND, 290, 290 * 160, 0);
  CHECK_EQ(opened, 1);
  CHECK_EQ(stream(0)->duplicates, 2);
  /* The next call happens to begin near: its timestamps are others. */
  for (uint32_t i = 0; i < 20; i++) one(800 * SECOND + i * 20 * MS, 280 + i, 0x70000000u + i * 160, 0);
  CHECK_EQ(opened, 2);
}

/* A hundred more of the first source, each with one of another behind it, `after` later: `seq` and `ts` beyond it. */
static const struct ct_stream *mixed(int64_t after, uint32_t seq, uint32_t ts) {
  begin(0);
  for (uint32_t i = BEFORE; i < 2 * BEFORE; i++) {
    one(i * 20 * MS, i, i * 160, 0);
    one(i * 20 * MS + after, i + seq, i * 160 + ts, 0);
  }
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(stream(0)), 0);
  return stream(0);
}

static void two_sources_as_one(void) {
  static const int32_t apart[] = {-20000, -3000, -127, -20, -1, 0, 1, 2, 17, 200, 2999, 20000};
  for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
    const struct ct_stream *s = mixed(5 * MS, (uint32_t)apart[i], 0x60000000u);
    CHECK(s->others >= 98 && s->others <= 100);
    CHECK_EQ(s->duplicates + s->reordered, 0);
  }
  /* The same time, other numbers. */
  CHECK(mixed(5 * MS, -100u, 40)->others >= 98);
  CHECK(mixed(5 * MS, -150u, 40)->others >= 98);
  /* Two of the one, two of the other. */
  begin(0);
  for (uint32_t i = BEFORE; i < 2 * BEFORE; i++)
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t n = (i & ~1u) + k, other = 5000 * (i & 1);
      one(i * 20 * MS + k * MS, n + other, n * 160 + 400000 * other, 0);
    }
  CHECK(stream(0)->others >= 90);
  CHECK_EQ(lost(stream(0)), 0);
  /* What a second tap saw of the first source, some seconds later. */
  CHECK_EQ(mixed(5 * MS, -150u, -150u * 160)->others, 0);
  CHECK_EQ(mixed(5 * MS, -3000u, -3000u * 160)->others, 0);
  /* Nobody's numbers: each stray begins anew. */
  begin(0);
  for (uint32_t i = BEFORE; i < 2 * BEFORE; i++) {
    one(i * 20 * MS, i, i * 160, 0);
    one(i * 20 * MS + MS, i * 7919 + 20000, i * 104729, 0);
  }
  CHECK_EQ(stream(0)->others, 0);
}

int main(void) {
  a_sender_that_begins_anew();
  what_is_lost_stays_lost();
  clocks_that_prove_nothing();
  late_after_a_pause();
  two_sources_as_one();
  return rtp_report("rtp restarts");
}
