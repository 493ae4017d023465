/* SPDX-License-Identifier: Apache-2.0
 * host_clock.c - see host_clock.h.
 */
#define _GNU_SOURCE
#include "system/host_clock.h"
#include "core/clock.h"
#include <pthread.h>

#define READINGS 5
#define YOUNGEST_NS                                                                                          \
  (-5000000ll) /* a stamp may be this much younger than what the clocks said at the last look */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ct_host_clock host;
static uint32_t known_steps; /* host.steps, for who holds no lock */

void ct_host_clock_note(struct ct_host_clock *c, int64_t boot_ns, int64_t real_ns) {
  int64_t ahead = real_ns - boot_ns, size = ahead - c->ahead_ns;
  int64_t least = CT_HOST_STEP_NS + (boot_ns - c->boot_ns) / CT_HOST_SLEW_PART;
  if (c->is_set && (size >= least || size <= -least)) {
    c->shift_ns += size;
    c->step[c->steps++ % CT_HOST_STEPS] = (struct ct_host_step){real_ns - c->shift_ns, size};
    c->changes++;
  }
  c->is_set = true;
  c->boot_ns = boot_ns;
  c->ahead_ns = ahead;
}

/* The lock is held: two threads must not tell what they read in another order. */
static void look(void) {
  for (int i = 0; i < READINGS; i++) {
    int64_t boot = ct_clock_ns(CLOCK_BOOTTIME), real = ct_clock_ns(CLOCK_REALTIME);
    if (ct_clock_ns(CLOCK_BOOTTIME) - boot > CT_HOST_READING_NS) continue;
    ct_host_clock_note(&host, boot, real);
    /* Who takes stamps reads it without the lock. */
    __atomic_store_n(&known_steps, host.steps, __ATOMIC_RELAXED);
    return;
  }
}

uint32_t ct_host_clock_look(void) {
  pthread_mutex_lock(&lock);
  look();
  uint32_t steps = host.steps;
  pthread_mutex_unlock(&lock);
  return steps;
}

void ct_host_clock_read(struct ct_host_clock *out) {
  pthread_mutex_lock(&lock);
  look();
  *out = host;
  pthread_mutex_unlock(&lock);
}

uint32_t ct_host_clock_changes(void) {
  pthread_mutex_lock(&lock);
  uint32_t changes = host.changes;
  pthread_mutex_unlock(&lock);
  return changes;
}

static int64_t steady_at(int64_t boot_ns) {
  pthread_mutex_lock(&lock);
  look();
  int64_t ns = boot_ns + host.ahead_ns - host.shift_ns;
  pthread_mutex_unlock(&lock);
  return ns;
}

int64_t ct_host_now_ns(void) { return steady_at(ct_clock_ns(CLOCK_BOOTTIME)); }

int64_t ct_host_from_monotonic_ns(void) {
  /* They differ by the time that the host was suspended. */
  int64_t mono = ct_clock_ns(CLOCK_MONOTONIC);
  return steady_at(ct_clock_ns(CLOCK_BOOTTIME)) - mono;
}

void ct_host_stamps_begin(struct ct_host_stamps *s) {
  pthread_mutex_lock(&lock);
  look();
  *s = (struct ct_host_stamps){host.steps, host.shift_ns};
  pthread_mutex_unlock(&lock);
}

/* How long ago the stamp was taken if `shift_ns` was in force; INT64_MAX: it cannot have been. */
static int64_t age(int64_t now_ns, int64_t stamp_ns, int64_t shift_ns) {
  int64_t ns = now_ns - (stamp_ns - shift_ns);
  return ns < YOUNGEST_NS ? INT64_MAX : ns;
}

/* What was in force before the oldest step that is remembered, if `s` lies before that. */
static struct ct_host_stamps oldest_of(const struct ct_host_clock *c, const struct ct_host_stamps *s) {
  if (c->steps - s->steps <= CT_HOST_STEPS) return *s;
  struct ct_host_stamps at = {c->steps - CT_HOST_STEPS, c->shift_ns};
  for (uint32_t i = 0; i < CT_HOST_STEPS; i++) at.shift_ns -= c->step[i].size_ns;
  return at;
}

void ct_host_stamps_settle(struct ct_host_clock *c, struct ct_host_stamps *s, int64_t now_ns,
                           int64_t stamp_ns) {
  struct ct_host_stamps at = oldest_of(c, s), chosen = at;
  int64_t least = age(now_ns, stamp_ns, at.shift_ns);
  while (at.steps != c->steps) {
    at.shift_ns += c->step[at.steps++ % CT_HOST_STEPS].size_ns;
    int64_t then = age(now_ns, stamp_ns, at.shift_ns);
    if (then >= least) continue;
    least = then;
    chosen = at;
  }
  if (chosen.steps != s->steps) {
    struct ct_host_step *step = &c->step[(chosen.steps - 1) % CT_HOST_STEPS];
    int64_t ns = stamp_ns - chosen.shift_ns;
    if (ns < step->at_ns) {
      step->at_ns = ns;
      c->changes++;
    }
  }
  *s = chosen;
}

int64_t ct_host_steady_ns(struct ct_host_stamps *s, int64_t stamp_ns) {
  if (s->steps != __atomic_load_n(&known_steps, __ATOMIC_RELAXED)) {
    pthread_mutex_lock(&lock);
    int64_t now = ct_clock_ns(CLOCK_BOOTTIME) + host.ahead_ns - host.shift_ns;
    ct_host_stamps_settle(&host, s, now, stamp_ns);
    pthread_mutex_unlock(&lock);
  }
  return stamp_ns - s->shift_ns;
}
