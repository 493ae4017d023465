/* SPDX-License-Identifier: Apache-2.0
 * host_clock.h - the clock on the wall of this host without the steps by which somebody sets it.
 *
 * CLOCK_REALTIME, by which the kernel stamps what it captures, is compared with CLOCK_BOOTTIME, which nobody can set. A
 * jump of one against the other is a step. What changes slowly is followed: NTP slews. Steady time is the real one minus
 * all steps since the process began, so that durations are true across them. One for the process; any thread may ask.
 */
#ifndef CALLTAP_HOST_CLOCK_H
#define CALLTAP_HOST_CLOCK_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_HOST_STEPS 64u /* the newest ones that are told apart */
#define CT_HOST_STEP_NS                                                                                      \
  50000000ll                /* a jump of at least this, and of more after a long time without a look: */
#define CT_HOST_SLEW_PART 8 /* a clock that runs by less than an eighth wrong is followed */
#define CT_HOST_READING_NS 5000000ll /* readings of both clocks that took longer tell nothing */

struct ct_host_step {
  int64_t at_ns;   /* steady time when it was seen, or of the first frame after it where that is known */
  int64_t size_ns; /* above 0 the clock was set forward */
};

/* The comparison itself, without a clock of its own. */
struct ct_host_clock {
  bool is_set;
  int64_t boot_ns, ahead_ns; /* at the last look: CLOCK_BOOTTIME, and CLOCK_REALTIME minus it */
  int64_t shift_ns;          /* sum of all steps */
  uint32_t steps;            /* ever; step i lies at i % CT_HOST_STEPS */
  uint32_t changes;          /* of what is known of steps */
  struct ct_host_step step[CT_HOST_STEPS];
};
void ct_host_clock_note(struct ct_host_clock *c, int64_t boot_ns, int64_t real_ns);

/* Stamps of CLOCK_REALTIME that come in the order in which they were taken: of one socket. */
struct ct_host_stamps {
  uint32_t steps; /* those that its newest stamp lies behind */
  int64_t shift_ns;
};
/* Tells which steps a stamp lies behind that was read at steady time `now_ns`. Until the first one behind a step a stamp is
 * of the clock by which it is youngest; none is of a time to come. */
void ct_host_stamps_settle(struct ct_host_clock *c, struct ct_host_stamps *s, int64_t now_ns,
                           int64_t stamp_ns);

/* Compares the clocks of this host; steps so far. */
uint32_t ct_host_clock_look(void);
/* A copy of what is known, after a look. */
void ct_host_clock_read(struct ct_host_clock *out);
/* Its count of changes, without a look. */
uint32_t ct_host_clock_changes(void);
/* Steady time now, after a look. */
int64_t ct_host_now_ns(void);
/* What CLOCK_MONOTONIC lacks to be steady time, after a look. */
int64_t ct_host_from_monotonic_ns(void);

/* Takes the steps so far as known. */
void ct_host_stamps_begin(struct ct_host_stamps *s);
/* Steady time of a stamp that was taken before the last look at the clocks. */
int64_t ct_host_steady_ns(struct ct_host_stamps *s, int64_t stamp_ns);

#ifdef __cplusplus
}
#endif
#endif
