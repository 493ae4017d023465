/* SPDX-License-Identifier: Apache-2.0
 * tls_movers.c - see tls_movers.h.
 */
#define _GNU_SOURCE
#include "tls/tls_movers.h"
#include "system/bpf_late.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef CT_HAVE_TLS_PROBES
#include "movers.skel.h"
#include "system/bpf_load.h"
#include <bpf/bpf.h>

/* The stop is looked at this often. */
#define STEP_MS 50u

/* By the socket tracepoints where the kernel has them, or by all system calls. */
static int open_by(bool by_sockets, struct movers_bpf **out) {
  int err = -EAGAIN;
  struct movers_bpf *skel = NULL;
  *out = NULL;
  for (int tries = 0; err == -EAGAIN && tries < CT_BPF_TRIES; tries++) {
    movers_bpf__destroy(skel);
    skel = movers_bpf__open();
    if (skel == NULL) return -errno;
    bpf_program__set_autoload(skel->progs.calltap_movers_send, by_sockets);
    bpf_program__set_autoload(skel->progs.calltap_movers_recv, by_sockets);
    bpf_program__set_autoload(skel->progs.calltap_movers_exit, !by_sockets);
    err = ct_bpf_load(skel->skeleton);
  }
  *out = skel;
  return err;
}

static int attach(const struct bpf_program *program, struct bpf_link **link) {
  *link = bpf_program__attach(program);
  return *link == NULL ? -errno : 0;
}

/* Nothing is added any more: a walk over a table that changes may go round in it. */
static void detach(struct movers_bpf *skel) {
  struct bpf_link **links[] = {&skel->links.calltap_movers_send, &skel->links.calltap_movers_recv,
                               &skel->links.calltap_movers_exit};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    bpf_link__destroy(*links[i]);
    *links[i] = NULL;
  }
}

static void wait_for(uint32_t ms, const ct_atomic_u32 *stop) {
  for (uint32_t waited = 0; waited < ms && atomic_load_explicit(stop, memory_order_relaxed) == 0;
       waited += STEP_MS) {
    const struct timespec step = {0, STEP_MS * 1000000l};
    nanosleep(&step, NULL);
  }
}

static int64_t read_rows(int map, struct ct_tls_mover **rows) {
  struct ct_tls_mover *found = calloc(CT_TLS_MOVERS, sizeof *found);
  uint32_t key = 0, next = 0, n = 0;
  if (found == NULL) return -ENOMEM;
  for (uint32_t steps = 0, *from = NULL; steps < CT_TLS_MOVERS && bpf_map_get_next_key(map, from, &next) == 0;
       steps++) {
    key = next;
    from = &key;
    if (bpf_map_lookup_elem(map, &key, &found[n]) == 0) n++;
  }
  *rows = found;
  return n;
}

int64_t ct_tls_watch_movers(uint32_t ms, const ct_atomic_u32 *stop, struct ct_tls_mover **rows,
                            char why[CT_TLS_WHY]) {
  *rows = NULL;
  if (*ct_bpf_refusal() != 0) {
    snprintf(why, CT_TLS_WHY, "%s", ct_bpf_refusal());
    return -ENOSYS;
  }
  libbpf_print_fn_t before = libbpf_set_print(NULL);
  struct movers_bpf *skel = NULL;
  bool by_sockets = true;
  int64_t result = open_by(by_sockets, &skel);
  if (result != 0) {
    movers_bpf__destroy(skel);
    by_sockets = false;
    result = open_by(by_sockets, &skel);
  }
  if (result == 0 && by_sockets) {
    result = attach(skel->progs.calltap_movers_send, &skel->links.calltap_movers_send);
    if (result == 0) result = attach(skel->progs.calltap_movers_recv, &skel->links.calltap_movers_recv);
  } else if (result == 0) {
    result = attach(skel->progs.calltap_movers_exit, &skel->links.calltap_movers_exit);
  }
  libbpf_set_print(before);
  if (result == 0) {
    wait_for(ms, stop);
    detach(skel);
    result = read_rows(bpf_map__fd(skel->maps.movers), rows);
  }
  movers_bpf__destroy(skel);
  if (result < 0) ct_tls_explain((int)-result, "watching who moves TLS records", why);
  return result;
}
#else
int64_t ct_tls_watch_movers(uint32_t ms, const ct_atomic_u32 *stop, struct ct_tls_mover **rows,
                            char why[CT_TLS_WHY]) {
  (void)ms;
  (void)stop;
  *rows = NULL;
  snprintf(why, CT_TLS_WHY, "this calltap was built without eBPF");
  return -ENOSYS;
}
#endif
