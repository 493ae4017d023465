/* SPDX-License-Identifier: Apache-2.0
 * test_clock_proof.c - what proves that the clock of the capturing host was set, and what disproves it.
 */
#define _GNU_SOURCE
#include "file/clock_proof.h"
#include "rtp_harness.h"

#define BEFORE 200u
#define STEP 20 * MS

static struct ct_clock_proof proof;

/* Who sends, and what becomes of it behind the gap. */
struct flow {
  uint32_t host, ssrc;
  bool named;
  int64_t skipped;    /* of its own time, in the gap */
  int64_t caught_up;  /* by which each packet behind the gap is nearer to the one before it */
  int64_t paused;     /* by so much longer than the gap */
  uint32_t packets;   /* behind the gap; 0: 100 */
};

/* Flow i sends a packet each 20 ms, i ms behind the first. */
static int64_t sent(uint32_t i, uint32_t k) { return T0 + i * MS + k * STEP; }

static void before(const struct flow *f, uint32_t n) {
  start(100);
  for (uint32_t k = 0; k < BEFORE; k++)
    for (uint32_t i = 0; i < n; i++)
      push(SEND(.at = sent(i, k), .ssrc = f[i].ssrc, .host = f[i].host, .port = (uint16_t)(4000 + 2 * i),
                .seq = (uint16_t)k, .ts = k * 160));
  for (uint32_t i = 0; i < n; i++) stream(i)->claimed = f[i].named;
}

/* What is said of a gap of `size` beyond the 20 ms that pass anyway. */
static int64_t asked(const struct flow *f, uint32_t n, int64_t size) {
  before(f, n);
  const int64_t last = sent(n - 1, BEFORE - 1);
  ct_clock_ask(&proof, sent(0, BEFORE) + size - last, last);
  for (uint32_t k = 0; k < 100; k++)
    for (uint32_t i = 0; i < n; i++) {
      if (k >= (f[i].packets == 0 ? 100 : f[i].packets)) continue;
      const struct ct_rtp_header h = {.ssrc = f[i].ssrc,
                                      .ts = (BEFORE + k) * 160 + (uint32_t)(f[i].skipped / MS * 8),
                                      .seq = (uint16_t)(BEFORE + k),
                                      .octets = 160};
      if (!ct_clock_take(&proof, stream(i), &h, sent(i, BEFORE + k) + size + f[i].paused - k * f[i].caught_up)) return -1;
    }
  return ct_clock_may_be(&proof) ? ct_clock_step(&proof) : 0;
}

static bool is_about(int64_t a, int64_t b) { return a > b - 25 * MS && a < b + 25 * MS; }

static void three_streams_prove_it(void) {
  static const int64_t sizes[] = {200, 1000, 60000, 3600000, -200, -3000, -3600000, 1741078800000};
  static const struct flow flows[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = true}, {.host = 2, .ssrc = 3, .named = true}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    CHECK(is_about(asked(flows, 3, sizes[i] * MS), sizes[i] * MS));
  CHECK_EQ(asked(flows, 3, 100 * MS), 0);
}

static void less_does_not(void) {
  static const struct flow two[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 2, .ssrc = 2, .named = true}};
  CHECK_EQ(asked(two, 2, 3 * SECOND), 0);
  CHECK(is_about(asked(two, 2, -3 * SECOND), -3 * SECOND));
  CHECK_EQ(asked(two, 1, -3 * SECOND), 0);
  static const struct flow one_host[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = true}, {.host = 1, .ssrc = 3, .named = true}};
  CHECK_EQ(asked(one_host, 3, 3 * SECOND), 0);
  CHECK_EQ(asked(one_host, 3, -3 * SECOND), 0);
  static const struct flow unnamed[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = false}, {.host = 2, .ssrc = 3, .named = true}, {.host = 3, .ssrc = 4, .named = false}};
  CHECK_EQ(asked(unnamed, 4, 3 * SECOND), 0);
}

static void one_disproves_it(void) {
  /* Its timestamps went on through the gap: packets were lost, or it was silent. */
  static const struct flow outage[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = true}, {.host = 2, .ssrc = 3, .named = true}, {.host = 3, .ssrc = 4, .named = false, .skipped = 3 * SECOND}};
  CHECK_EQ(asked(outage, 4, 3 * SECOND), -1);
  /* It makes up for the delay: at once, or by 5 % of the time. */
  struct flow late[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = true}, {.host = 2, .ssrc = 3, .named = true}, {.host = 3, .ssrc = 4, .named = true}};
  for (int i = 0; i < 4; i++) late[i].caught_up = 19 * MS;
  CHECK_EQ(asked(late, 4, SECOND), -1);
  for (int i = 0; i < 4; i++) late[i].caught_up = MS;
  CHECK_EQ(asked(late, 4, 3 * SECOND), 0);
  /* It paused for another time. */
  static const struct flow pause[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = true}, {.host = 2, .ssrc = 3, .named = true}, {.host = 3, .ssrc = 4, .named = true, .paused = 2 * SECOND}};
  CHECK_EQ(asked(pause, 4, 3 * SECOND), -1);
}

/* A stream of which little came is a member where it agrees, and nothing where it does not. */
static void few_packets_say_little(void) {
  static const struct flow flows[] = {{.host = 1, .ssrc = 1, .named = true}, {.host = 1, .ssrc = 2, .named = true}, {.host = 2, .ssrc = 3, .named = true, .packets = 3}};
  CHECK(is_about(asked(flows, 3, SECOND), SECOND));
  static const struct flow all[] = {{.host = 1, .ssrc = 1, .named = true, .packets = 3}, {.host = 1, .ssrc = 2, .named = true, .packets = 3}, {.host = 2, .ssrc = 3, .named = true, .packets = 3}};
  CHECK_EQ(asked(all, 3, SECOND), 0);
}

/* Nobody can make it run out of places, or of numbers. */
static void many_are_compared(void) {
  static struct flow flows[64];
  for (uint32_t i = 0; i < 64; i++) flows[i] = (struct flow){.host = 1 + i % 7, .ssrc = 1 + i, .named = true};
  for (uint32_t i = 0; i < 20; i++) CHECK(is_about(asked(flows, 19, SECOND), SECOND));
  proof.round = UINT32_MAX;
  CHECK(is_about(asked(flows, 3, SECOND), SECOND));
  before(flows, 3);
  static struct ct_stream others[2 * CT_CLOCK_FLOWS];
  ct_clock_ask(&proof, 3 * SECOND, sent(2, BEFORE - 1));
  for (uint32_t i = 0; i < 2 * CT_CLOCK_FLOWS; i++) {
    others[i] = *stream(0);
    others[i].self = i + 1;
    const struct ct_rtp_header h = {.ts = BEFORE * 160, .seq = (uint16_t)BEFORE, .octets = 160};
    CHECK(ct_clock_take(&proof, &others[i], &h, sent(0, BEFORE) + 3 * SECOND));
  }
  CHECK_EQ(ct_clock_step(&proof), 0);
}

int main(void) {
  three_streams_prove_it();
  less_does_not();
  one_disproves_it();
  few_packets_say_little();
  many_are_compared();
  return rtp_report("clock proof");
}
