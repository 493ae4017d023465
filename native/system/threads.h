/* SPDX-License-Identifier: Apache-2.0
 * threads.h - which thread of this process is served first.
 */
#ifndef CALLTAP_THREADS_H
#define CALLTAP_THREADS_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Makes every thread of this process but the calling one `nicer` steps nicer than that one, where it is not so already:
 * what they do is for its sake. A wish, which the kernel may refuse. Number of threads that are. */
uint32_t ct_threads_yield(int nicer);

/* Gives every thread of this process this nice value, below 0, where it does not come before others so already; one
 * that was told to come behind them (above 0) stays. Threads that are made later have their maker's. Number of threads
 * that were changed; the kernel lets it be with CAP_SYS_NICE or a limit (RLIMIT_NICE). */
uint32_t ct_threads_hasten(int nice);

#ifdef __cplusplus
}
#endif
#endif
