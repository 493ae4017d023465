/* SPDX-License-Identifier: Apache-2.0
 * clock.h - the clocks of the system in nanoseconds, and short sleeps.
 */
#ifndef CALLTAP_CLOCK_H
#define CALLTAP_CLOCK_H
#include <stdint.h>
#include <time.h>

static inline int64_t ct_clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void ct_nap_us(uint32_t us) {
  struct timespec t = {.tv_sec = 0, .tv_nsec = us * 1000l};
  nanosleep(&t, NULL);
}

#endif
