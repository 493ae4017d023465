/* SPDX-License-Identifier: Apache-2.0
 * tls_scan.c - runs bpf/scan.bpf.c: every file that a process of the host maps executable, in a few milliseconds.
 */
#define _GNU_SOURCE
#include "tls/tls_scan.h"
#include "system/bpf_late.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef CT_HAVE_TLS_PROBES
#include "scan.skel.h"
#include "system/bpf_load.h"
#include <bpf/bpf.h>

#define SCAN_MAX (64u * 1024u * 1024u) /* bytes of rows at most; they double, so 131,072 files of processes */
/* Where these are too many, a process has fewer: a program has some ten, and one that has more is taken with its first. */
#define SCAN_LESS 4u
#define SCAN_LEAST 64u
#define SCAN_READ 64u /* rows that a read has room for at least */

/* Reads rows until the iterator ends. Their number or -errno. Without room what comes is read to the end, and counted in
 * `cut`: processes come by their numbers, so that those that were there first keep their rows. */
static int64_t read_rows(struct ct_tls_scanner *s, int fd, struct ct_tls_mapping **rows, uint64_t *cut,
                         bool *is_full) {
  size_t used = 0, room = 0;
  uint8_t *buf = NULL;
  s->seen = (struct ct_tls_seen){.most = s->seen.most};
  for (;;) {
    if (room - used < sizeof **rows * SCAN_READ && room * 2 > SCAN_MAX) {
      *is_full = true;
      const size_t most = room - sizeof **rows * SCAN_READ;
      *cut += (used - most) / sizeof **rows;
      used = most;
    } else if (room - used < sizeof **rows * SCAN_READ) {
      room = room == 0 ? sizeof **rows * 2048 : room * 2;
      uint8_t *more = realloc(buf, room);
      if (more == NULL) {
        free(buf);
        return -ENOMEM;
      }
      buf = more;
    }
    ssize_t n = read(fd, buf + used, room - used);
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      int err = errno;
      free(buf);
      return -err;
    }
    /* A read ends with a row. */
    struct ct_tls_mapping *fresh = (struct ct_tls_mapping *)(void *)(buf + used);
    used += ct_tls_once_each(&s->seen, fresh, (size_t)n / sizeof *fresh, cut) * sizeof *fresh;
    if (atomic_load(&s->stop) == 0) continue;
    free(buf);
    return -ECANCELED;
  }
  *rows = (struct ct_tls_mapping *)(void *)buf;
  return (int64_t)(used / sizeof **rows);
}

static int load(struct ct_tls_scanner *s) {
  libbpf_print_fn_t before = libbpf_set_print(NULL);
  int err = -EAGAIN;
  struct scan_bpf *skel = NULL;
  for (int tries = 0; err == -EAGAIN && tries < CT_BPF_TRIES; tries++) {
    scan_bpf__destroy(skel);
    skel = scan_bpf__open();
    if (skel == NULL) {
      err = -errno;
      break;
    }
    err = ct_bpf_load(skel->skeleton);
  }
  if (err == 0) {
    s->link = bpf_program__attach_iter(skel->progs.calltap_scan, NULL);
    if (s->link == NULL) err = -errno;
  }
  if (err != 0) scan_bpf__destroy(skel);
  if (err == 0) s->skel = skel;
  libbpf_set_print(before);
  return err;
}

int64_t ct_tls_scan(struct ct_tls_scanner *s, struct ct_tls_mapping **rows, uint64_t *cut,
                    char why[CT_TLS_WHY]) {
  *rows = NULL;
  bool is_full = false;
  if (*ct_bpf_refusal() != 0) {
    snprintf(why, CT_TLS_WHY, "%s", ct_bpf_refusal());
    return -ENOSYS;
  }
  int64_t result = atomic_load(&s->stop) != 0 ? -ECANCELED : s->skel == NULL ? load(s) : 0;
  if (result == 0) {
    s->seen.most = CT_TLS_PROCESS_FILES;
    do {
      if (is_full) s->seen.most /= SCAN_LESS;
      is_full = false;
      *cut = 0;
      free(*rows);
      *rows = NULL;
      int fd = bpf_iter_create(bpf_link__fd(s->link));
      result = fd < 0 ? -errno : read_rows(s, fd, rows, cut, &is_full);
      if (fd >= 0) close(fd);
    } while (result >= 0 && is_full && s->seen.most > SCAN_LEAST);
  }
  if (result >= 0 && is_full)
    snprintf(why, CT_TLS_WHY, "they map more files than calltap can list (%lld)", (long long)result);
  if (result < 0) ct_tls_explain((int)-result, "looking through the processes", why);
  return result;
}

void ct_tls_scan_close(struct ct_tls_scanner *s) {
  if (s->skel == NULL) return;
  bpf_link__destroy(s->link);
  scan_bpf__destroy(s->skel);
  s->skel = s->link = NULL;
}
#endif
