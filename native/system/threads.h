/* SPDX-License-Identifier: Apache-2.0
 * threads.h - makes the threads of this process run before those of others.
 */
#ifndef CALLTAP_THREADS_H
#define CALLTAP_THREADS_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Gives every thread of this process this nice value, below 0, where it does not come before others so already; one
 * that was told to come behind them (above 0) stays. Threads that are made later have their maker's. Number of threads
 * that were changed; the kernel lets it be with CAP_SYS_NICE or a limit (RLIMIT_NICE). */
uint32_t ct_threads_hasten(int nice);

#ifdef __cplusplus
}
#endif
#endif
