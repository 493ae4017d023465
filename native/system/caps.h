/* SPDX-License-Identifier: Apache-2.0
 * caps.h - gives up the privileges of a process that has opened what needed them (capabilities(7)).
 *
 * setresuid() of the C library reaches every thread; capset() is a matter of one thread alone. So a start as root
 * loses everything in every thread by the change of user, and a start with capabilities is walked through thread by
 * thread: each gives up its own in the handler of a signal. What is to be kept stays with the calling thread, which
 * is the one that attaches, binds and loads.
 */
#ifndef CALLTAP_CAPS_H
#define CALLTAP_CAPS_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

struct ct_caps_result {
  int err;               /* errno, 0 when all went well */
  const char *step;      /* what failed */
  uint64_t kept;         /* bit n: capability n, in the calling thread */
  uint32_t threads_left; /* that could not be reached and have what they had */
  uint32_t uid;          /* of the process now */
};

/* `user` is a name or a number; NULL stays who we are. `keep` has a bit for each capability to be kept in the calling
 * thread; what it does not have is not kept. As root without a user nothing is given up. */
void ct_caps_drop(const char *user, uint64_t keep, struct ct_caps_result *out);
/* The calling thread's effective capabilities; 0 when the kernel does not say. */
uint64_t ct_caps_effective(void);
/* Sets aside the calling thread's effective capabilities, or takes them up again as they were: to try whether
 * something works without. False when that is not possible. */
bool ct_caps_set_aside(uint64_t *before);
void ct_caps_take_up(uint64_t before);

#ifdef __cplusplus
}
#endif
#endif
