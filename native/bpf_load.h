/* SPDX-License-Identifier: Apache-2.0
 * bpf_load.h - loads libbpf when it is needed, and eBPF programs although the process is sent signals.
 *
 * The verifier gives up with EAGAIN when its thread gets a signal, and libbpf tries a program five times only: a
 * profiler sends a thousand signals a second, and a stop (SIGSTOP, a frozen container) is one that cannot be blocked.
 */
#ifndef CT_BPF_LOAD_H
#define CT_BPF_LOAD_H
#ifdef __cplusplus
extern "C" {
#endif

#define CT_BPF_WHY 256

/* bpf_late.c: loads libbpf the first time. Empty, else why it is not there and what to do; then no function of libbpf may
 * be called. */
const char *ct_bpf_refusal(void);

#ifdef __cplusplus
}
#elif defined(CT_HAVE_LIBBPF)
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

/* An object that could not be loaded is made anew so often, after a pause. */
enum { CT_BPF_TRIES = 20, CT_BPF_PAUSE_MS = 100 };

/* Signals wait for the half second that this takes. 0 or -errno; -EAGAIN: a stop came in between, try another object. */
static inline int ct_bpf_load(struct bpf_object_skeleton *skeleton) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int err = bpf_object__load_skeleton(skeleton);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  struct timespec pause = {0, CT_BPF_PAUSE_MS * 1000000l};
  if (err == -EAGAIN) nanosleep(&pause, NULL);
  return err;
}
#endif
#endif
