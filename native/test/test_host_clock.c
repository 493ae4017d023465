/* SPDX-License-Identifier: Apache-2.0
 * test_host_clock.c - a clock that is set has made a step, one that is slewed has not; stamps of both sides of a step are
 * told apart.
 */
#include "system/host_clock.h"
#include "check.h"
#include <string.h>

#define S 1000000000ll
#define MS 1000000ll
#define BOOT (1000 * S)
#define REAL (1700000000ll * S)

static struct ct_host_clock c;

/* The clock of a host that has looked once, `real` being right. */
static void begin(void) {
  memset(&c, 0, sizeof c);
  ct_host_clock_note(&c, BOOT, REAL);
}

/* `us` later, when it is ahead by `ahead_ns` of what it should show. */
static void look(int64_t after_ns, int64_t ahead_ns) {
  ct_host_clock_note(&c, BOOT + after_ns, REAL + after_ns + ahead_ns);
}

static void steps_are_found(void) {
  static const int64_t sizes[] = {200 * MS, -200 * MS, 60 * MS, -60 * MS, 3600 * S, -3600 * S, 90 * 86400 * S};
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    begin();
    look(10 * MS, 0);
    look(20 * MS, sizes[i]);
    look(30 * MS, sizes[i]);
    CHECK(c.steps == 1 && c.shift_ns == sizes[i] && c.step[0].size_ns == sizes[i]);
    CHECK(c.step[0].at_ns == REAL + 20 * MS);
  }
}

/* What NTP does to a clock, up to a twelfth of its speed, looked at rarely or often. */
static void slews_are_followed(void) {
  static const int64_t every[] = {1 * MS, 250 * MS, 1 * S, 60 * S};
  for (uint32_t k = 0; k < sizeof every / sizeof *every; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      begin();
      for (int64_t t = every[k]; t < every[k] * 1000; t += every[k]) look(t, sign * t / 12);
      CHECK(c.steps == 0 && c.shift_ns == 0);
    }
}

static void all_steps_are_counted_and_the_newest_known(void) {
  begin();
  for (uint32_t i = 1; i <= 2 * CT_HOST_STEPS + 3; i++) look(i * MS, (int64_t)i * S);
  CHECK(c.steps == 2 * CT_HOST_STEPS + 3 && c.shift_ns == (int64_t)c.steps * S);
  struct ct_host_stamps s = {0};
  /* Who slept through all of them is with the newest at once. */
  ct_host_stamps_settle(&c, &s, REAL + 1 * S, REAL + 1 * S + c.shift_ns - MS);
  CHECK(s.steps == c.steps && s.shift_ns == c.shift_ns);
}

/* Stamps each 10 ms, read `lag_ns` later; the clock is set at 1 s and looked at each 100 ms. */
static void are_told_apart(int64_t size_ns, int64_t lag_ns) {
  struct ct_host_stamps s = {0};
  begin();
  for (int64_t read = 10 * MS; read < 3 * S; read += 10 * MS) {
    int64_t taken = read - lag_ns;
    if (read % (100 * MS) == 0) look(read, read >= 1 * S ? size_ns : 0);
    if (taken < 0) continue;
    /* A block is read after a look at the clock. */
    if (taken >= 1 * S && c.steps == 0) look(read, size_ns);
    int64_t stamp = REAL + taken + (taken >= 1 * S ? size_ns : 0);
    if (s.steps != c.steps) ct_host_stamps_settle(&c, &s, REAL + read, stamp);
    CHECK(stamp - s.shift_ns == REAL + taken);
  }
  CHECK(c.steps == 1 && s.steps == 1);
  CHECK(c.step[0].at_ns == REAL + 1 * S);
}

static void stamps_are_told_apart(void) {
  static const int64_t sizes[] = {200 * MS, 1 * S, 3600 * S};
  static const int64_t lags[] = {1 * MS, 20 * MS, 150 * MS};
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) {
      are_told_apart(sizes[i], lags[k]);
      are_told_apart(-sizes[i], lags[k]);
    }
}

/* Nothing comes for as long as the clock was set back: what comes then is not of before. */
static void a_quiet_interface_is_no_doubt(void) {
  begin();
  struct ct_host_stamps s = {0};
  look(1 * S, -3600 * S);
  ct_host_stamps_settle(&c, &s, REAL + 3600 * S, REAL + 3600 * S - 3600 * S);
  CHECK(s.steps == 1 && s.shift_ns == -3600 * S);
}

/* Forward and back at once: a stamp between is of the first, one after of both. */
static void two_steps_at_once(void) {
  begin();
  struct ct_host_stamps s = {0};
  look(1 * S, 10 * S);
  look(2 * S, 0);
  ct_host_stamps_settle(&c, &s, REAL + 2 * S + MS, REAL + 1500 * MS + 10 * S);
  CHECK(s.steps == 1 && s.shift_ns == 10 * S);
  ct_host_stamps_settle(&c, &s, REAL + 2 * S + 2 * MS, REAL + 2 * S + MS);
  CHECK(s.steps == 2 && s.shift_ns == 0);
}

int main(void) {
  steps_are_found();
  slews_are_followed();
  all_steps_are_counted_and_the_newest_known();
  stamps_are_told_apart();
  a_quiet_interface_is_no_doubt();
  two_steps_at_once();
  /* The clock of this host. */
  int64_t now = ct_host_now_ns(), from = ct_host_from_monotonic_ns();
  CHECK(ct_host_now_ns() >= now && from > 0);
  return report("host clock");
}
