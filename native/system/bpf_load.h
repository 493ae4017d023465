/* SPDX-License-Identifier: Apache-2.0
 * bpf_load.h - loads eBPF programs although the process is sent signals, and says why the verifier refused one.
 *
 * The verifier gives up with EAGAIN when its thread gets a signal, and libbpf tries a program five times only: a
 * profiler sends a thousand signals a second, and a stop (SIGSTOP, a frozen container) is one that cannot be blocked.
 */
#ifndef CT_BPF_LOAD_H
#define CT_BPF_LOAD_H

#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* An object that could not be loaded is made again so often, after a pause. */
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

/* What the verifier said last in this thread; empty when it said nothing. */
static _Thread_local char ct_bpf_reason[128];

/* Takes the reason out of a program's log: its last line but the one that counts instructions. */
static inline void ct_bpf_take_reason(char *text) {
  char *log = strstr(text, "BEGIN PROG LOAD LOG"), *save = NULL;
  if (log == NULL) return;
  for (char *line = strtok_r(log, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    if (strncmp(line, "processed ", 10) == 0 || strstr(line, "PROG LOAD LOG") != NULL) continue;
    snprintf(ct_bpf_reason, sizeof ct_bpf_reason, "%s", line);
  }
  for (char *c = ct_bpf_reason; *c != 0; c++) {
    if (*c < ' ' || *c > '~') *c = '?';
  }
}

/* For libbpf_set_print(): prints nothing, and keeps the reason. The log is for `bpftool prog load`. */
static int __attribute__((format(printf, 2, 0), unused))
ct_bpf_listen(enum libbpf_print_level level, const char *format, va_list args) {
  if (level == LIBBPF_DEBUG || strstr(format, "PROG LOAD LOG") == NULL) return 0;
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0) return 0;
  ct_bpf_take_reason(text);
  free(text);
  return 0;
}

#endif
