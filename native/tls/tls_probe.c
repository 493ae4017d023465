/* SPDX-License-Identifier: Apache-2.0
 * tls_probe.c - see tls_probe.h. tls_load.c loads, tls_link.c makes the links; here are the maps.
 */
#define _GNU_SOURCE
#include "tls/tls_probe.h"
#include "system/bpf_late.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef CT_HAVE_TLS_PROBES
#include "tls.skel.h"
#include <bpf/bpf.h>

#define TIDY_MAX 256u

/* Processes are seen for as long as the programs are loaded; sockets only while something is attached. */
static int attach_process_events(struct ct_tls_probe *p) {
  struct tls_bpf *skel = p->loaded.skel;
  if (!p->loaded.has_process_events) return 0;
  skel->links.calltap_exec = bpf_program__attach(skel->progs.calltap_exec);
  if (skel->links.calltap_exec == NULL) return -errno;
  skel->links.calltap_exit = bpf_program__attach(skel->progs.calltap_exit);
  if (skel->links.calltap_exit == NULL) return -errno;
  /* Without it a forked process is found by looking, as before. */
  if (p->loaded.has_forks) skel->links.calltap_fork = bpf_program__attach(skel->progs.calltap_fork);
  return 0;
}

bool ct_tls_probe_open(struct ct_tls_probe *p, const struct ct_tls_opts *o, char why[CT_TLS_WHY]) {
  memset(p, 0, sizeof *p);
  p->loaded.mode = CT_TLS_NO_PROBES;
  p->loaded.sockets = CT_TLS_NO_SOCKETS;
  p->ring_bytes = o->ring_bytes;
  if (*ct_bpf_refusal() != 0) {
    snprintf(why, CT_TLS_WHY, "%s", ct_bpf_refusal());
    return false;
  }
  libbpf_print_fn_t before = libbpf_set_print(NULL);
  bool ok = ct_tls_load(&p->loaded, o, why);
  if (ok) {
    int err = attach_process_events(p);
    p->links = err == 0 ? ct_tls_links_new() : NULL;
    if (p->links == NULL) {
      ct_tls_explain(err == 0 ? ENOMEM : -err, "watching processes start and end", why);
      ok = false;
    }
  }
  if (!ok) ct_tls_probe_close(p);
  libbpf_set_print(before);
  if (!ok) return false;
  struct tls_bpf *skel = p->loaded.skel;
  p->ring_fd = bpf_map__fd(skel->maps.ring);
  p->reader_waits = &skel->bss->reader_waits;
  return true;
}

void ct_tls_probe_close(struct ct_tls_probe *p) {
  ct_tls_links_free(p->links);
  p->links = NULL;
  ct_tls_unload(&p->loaded);
  p->attachments = 0;
  p->sockets_on = false;
}

/* ---- Attaching ---- */

static int turn_sockets(struct ct_tls_probe *p, bool on) {
  struct tls_bpf *skel = p->loaded.skel;
  struct bpf_program *program[2] = {skel->progs.calltap_sys_exit, NULL};
  struct bpf_link **link[2] = {&skel->links.calltap_sys_exit, NULL};
  if (p->loaded.sockets == CT_TLS_SOCK_TP) {
    program[0] = skel->progs.calltap_send;
    link[0] = &skel->links.calltap_send;
    program[1] = skel->progs.calltap_recv;
    link[1] = &skel->links.calltap_recv;
  }
  if (p->sockets_on == on) return 0;
  p->sockets_on = on;
  for (int i = 0; i < 2 && program[i] != NULL; i++) {
    if (!on) {
      bpf_link__destroy(*link[i]);
      *link[i] = NULL;
      continue;
    }
    *link[i] = bpf_program__attach(program[i]);
    if (*link[i] == NULL) {
      int err = -errno;
      turn_sockets(p, false);
      return err;
    }
  }
  return 0;
}

/* Begins the proofs of these sites. 0 or -errno: without cookies a probe does not know which site it is at. */
static int begin_proofs(const struct ct_tls_probe *p, const struct ct_tls_site *sites, uint32_t n) {
  struct tls_bpf *skel = p->loaded.skel;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t row = sites[i].proof & (CT_TLS_PROOFS - 1);
    struct ct_tls_proof fresh = {0};
    if (row == 0) continue;
    if (!p->loaded.has_helpers) return -EOPNOTSUPP;
    if (bpf_map_update_elem(bpf_map__fd(skel->maps.proofs), &row, &fresh, BPF_ANY) != 0) return -errno;
    __atomic_store_n(&skel->bss->has_proofs, 1u, __ATOMIC_RELAXED);
  }
  return 0;
}

bool ct_tls_read_proof(const struct ct_tls_probe *p, uint32_t row, struct ct_tls_proof *out) {
  const struct tls_bpf *skel = p->loaded.skel;
  return skel != NULL && row > 0 && bpf_map_lookup_elem(bpf_map__fd(skel->maps.proofs), &row, out) == 0;
}

int64_t ct_tls_attach(struct ct_tls_probe *p, const char *path, uint32_t pid, const struct ct_tls_site *sites,
                      uint32_t n, char why[CT_TLS_WHY]) {
  if (p->loaded.skel == NULL || n == 0 || n > CT_TLS_SITES) {
    ct_tls_explain(EINVAL, "attach: no programs, or no or too many sites", why);
    return -EINVAL;
  }
  int err = begin_proofs(p, sites, n);
  if (err != 0) {
    snprintf(why, CT_TLS_WHY, "functions that the file does not name need Linux 5.17");
    return err;
  }
  err = turn_sockets(p, true);
  if (err != 0) {
    ct_tls_explain(-err, "attaching to the socket tracepoints", why);
    return err;
  }
  struct ct_tls_programs programs = ct_tls_programs_of(&p->loaded);
  int64_t id = ct_tls_link_make(p->links, p->loaded.mode, &programs, path, pid, sites, n);
  if (id < 0) {
    char what[CT_TLS_WHY];
    snprintf(what, sizeof what, "attaching to %.200s", path);
    ct_tls_explain((int)-id, what, why);
    if (p->attachments == 0) turn_sockets(p, false);
    return id;
  }
  p->attachments++;
  return id;
}

bool ct_tls_detach(struct ct_tls_probe *p, uint32_t id) {
  if (p->loaded.skel == NULL || !ct_tls_link_drop(p->links, id)) return false;
  p->attachments--;
  if (p->attachments == 0) turn_sockets(p, false);
  return true;
}

/* ---- Maps ---- */

bool ct_tls_observes(const struct ct_tls_probe *p, uint32_t pid) {
  const struct tls_bpf *skel = p->loaded.skel;
  uint32_t process[CT_TLS_PROCESS_WORDS];
  return skel != NULL && bpf_map_lookup_elem(bpf_map__fd(skel->maps.processes), &pid, process) == 0;
}

int ct_tls_allow(struct ct_tls_probe *p, const uint32_t *pids, uint32_t n) {
  struct tls_bpf *skel = p->loaded.skel;
  if (skel == NULL) return -EINVAL;
  int fd = bpf_map__fd(skel->maps.allowed);
  uint8_t generation = p->allow_generation == 255 ? 1 : (uint8_t)(p->allow_generation + 1);
  int err = 0;
  for (uint32_t i = 0; pids != NULL && i < n; i++) {
    if (bpf_map_update_elem(fd, &pids[i], &generation, BPF_ANY) != 0) err = -errno;
  }
  /* Those of an earlier list go after the new ones are in, so that no process drops out in between. */
  uint32_t key, next, max = bpf_map__max_entries(skel->maps.allowed);
  bool has = bpf_map_get_next_key(fd, NULL, &next) == 0;
  /* The walk begins again when the kernel drops the process it has come to: it must not do so for ever. */
  for (uint32_t turn = 0; has && turn < 4 * max; turn++) {
    uint8_t of = generation;
    key = next;
    has = bpf_map_get_next_key(fd, &key, &next) == 0;
    if (bpf_map_lookup_elem(fd, &key, &of) != 0 || of == generation) continue;
    /* Born after the list was made, perhaps: it stays until the next, which must name it. */
    if (of == CT_TLS_BORN && pids != NULL)
      bpf_map_update_elem(fd, &key, &generation, BPF_EXIST);
    else
      bpf_map_delete_elem(fd, &key);
  }
  p->allow_generation = generation;
  __atomic_store_n(&skel->bss->allow_listed, pids != NULL ? 1u : 0u, __ATOMIC_RELAXED);
  return err;
}

int ct_tls_starts(struct ct_tls_probe *p, uint32_t rule, const struct ct_tls_program *programs, uint32_t n) {
  struct tls_bpf *skel = p->loaded.skel;
  if (skel == NULL) return -EINVAL;
  uint8_t one = 1;
  int err = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (bpf_map_update_elem(bpf_map__fd(skel->maps.programs), &programs[i], &one, BPF_ANY) != 0) err = -errno;
  }
  __atomic_store_n(&skel->bss->start_rule, rule, __ATOMIC_RELAXED);
  return err;
}

void ct_tls_tidy(struct ct_tls_probe *p) {
  struct tls_bpf *skel = p->loaded.skel;
  if (skel == NULL) return;
  int calls = bpf_map__fd(skel->maps.frames), processes = bpf_map__fd(skel->maps.processes);
  struct ct_tls_stack *at = &p->tidied, next;
  for (uint32_t n = 0; n < TIDY_MAX; n++) {
    /* From the beginning again when the one it has come to is gone. */
    if (bpf_map_get_next_key(calls, p->is_tidying ? at : NULL, &next) != 0) {
      p->is_tidying = false;
      return;
    }
    uint32_t process[CT_TLS_PROCESS_WORDS] = {0};
    bool lives = bpf_map_lookup_elem(processes, &next.tgid, process) == 0 && process[0] == next.epoch;
    p->is_tidying = lives;
    *at = next;
    if (!lives) bpf_map_delete_elem(calls, &next);
  }
}

int ct_tls_verdict(struct ct_tls_probe *p, uint64_t conn, bool is_sip) {
  struct tls_bpf *skel = p->loaded.skel;
  if (skel == NULL) return -EINVAL;
  uint8_t verdict = is_sip ? 1 : 3; /* enum filter of bpf/tls_state.h */
  return bpf_map_update_elem(bpf_map__fd(skel->maps.verdicts), &conn, &verdict, BPF_ANY) == 0 ? 0 : -errno;
}

/* Since 7.0 a program at a tracepoint can be preempted; one of another task that comes there meanwhile is skipped. The
 * field stands behind run_cnt, since 5.12: the headers of 5.10 have no name for it. */
static uint64_t skipped_runs(const struct bpf_program *program) {
  struct {
    struct bpf_prog_info info;
    uint64_t behind[4];
  } said;
  memset(&said, 0, sizeof said);
  const size_t at = offsetof(struct bpf_prog_info, run_cnt) + sizeof(uint64_t);
  __u32 length = (__u32)(at + sizeof(uint64_t));
  int fd = bpf_program__fd(program);
  if (fd < 0 || bpf_obj_get_info_by_fd(fd, &said, &length) != 0 || length < at + sizeof(uint64_t)) return 0;
  uint64_t runs = 0;
  memcpy(&runs, (const uint8_t *)&said + at, sizeof runs);
  return runs;
}

bool ct_tls_counts(const struct ct_tls_probe *p, uint64_t out[CT_TLS_N_COUNT]) {
  const struct tls_bpf *skel = p->loaded.skel;
  memset(out, 0, CT_TLS_N_COUNT * sizeof *out);
  int cpus = skel == NULL ? 0 : libbpf_num_possible_cpus();
  uint64_t *each = cpus > 0 ? calloc((size_t)cpus, sizeof *each) : NULL;
  if (each == NULL) return false;
  bool ok = true;
  for (uint32_t i = 0; i < CT_TLS_N_COUNT && ok; i++) {
    ok = bpf_map_lookup_elem(bpf_map__fd(skel->maps.counts), &i, each) == 0;
    for (int cpu = 0; ok && cpu < cpus; cpu++) out[i] += each[cpu];
  }
  free(each);
  const struct bpf_program *const tracing[] = {skel->progs.calltap_send,     skel->progs.calltap_recv,
                                               skel->progs.calltap_sys_exit, skel->progs.calltap_exec,
                                               skel->progs.calltap_fork,     skel->progs.calltap_exit};
  for (size_t i = 0; i < sizeof tracing / sizeof *tracing; i++)
    out[CT_TLS_N_SKIPPED] += skipped_runs(tracing[i]);
  return ok;
}

int32_t ct_tls_started(const struct ct_tls_probe *p, uint64_t from, uint32_t pids[CT_TLS_STARTED]) {
  const struct tls_bpf *skel = p->loaded.skel;
  const uint64_t until = ct_tls_execs(p);
  /* Half of the room is left for those that start meanwhile. */
  if (skel == NULL || from > until || until - from > CT_TLS_STARTED / 2) return -1;
  for (uint64_t i = from; i < until; i++)
    pids[i - from] = __atomic_load_n(&skel->bss->started[i % CT_TLS_STARTED], __ATOMIC_RELAXED);
  return (int32_t)(until - from);
}

uint64_t ct_tls_execs(const struct ct_tls_probe *p) {
  const struct tls_bpf *skel = p->loaded.skel;
  return skel == NULL ? 0 : __atomic_load_n(&skel->bss->execs, __ATOMIC_RELAXED);
}
#endif
