/* SPDX-License-Identifier: Apache-2.0
 * tls_load.c - loads bpf/tls.bpf.c in the best way that this kernel takes; see tls_link.h.
 */
#define _GNU_SOURCE
#include "tls/tls_link.h"
#ifdef CT_HAVE_TLS_PROBES
#include "core/clock.h"
#include "system/bpf_load.h"
#include "tls.skel.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SHARES 4u       /* of the ring: one process takes one at most */
#define SHARE_PARTS 16u /* of the ring: how exactly it is known what waits of a process */
#define WAKE_PART 16u   /* of the ring: the rest holds what comes until the reader has a processor */

static void want(struct bpf_program *program) { bpf_program__set_autoload(program, true); }

static void find_copies(const struct tls_bpf *skel, struct ct_tls_programs *programs) {
  for (uint32_t lib = 1; lib < CT_TLS_LIBRARIES; lib++) {
    for (uint32_t op = 1; op < CT_TLS_OPS; op++) {
      char name[CT_TLS_PROGRAM_NAME];
      ct_tls_program_name(lib, op, name);
      programs->enter_of[lib][op] = bpf_object__find_program_by_name(skel->obj, name);
    }
  }
}

static struct ct_tls_programs choose(const struct ct_tls_probe *p, const struct tls_bpf *skel) {
  struct ct_tls_programs programs = {.leave = skel->progs.calltap_return,
                                     .go_leave = skel->progs.calltap_go_return};
  if (p->has_helpers) {
    programs.enter = skel->progs.calltap_enter;
    programs.go_enter = skel->progs.calltap_go_enter;
  } else {
    find_copies(skel, &programs);
  }
  return programs;
}

/* Which entry points, and what they may use. */
static void configure(struct tls_bpf *skel, struct ct_tls_probe *p, const struct ct_tls_opts *o) {
  skel->rodata->sip_only = o->sip_only;
  skel->rodata->has_find_vma = skel->rodata->has_cookies = p->has_helpers;
  skel->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
  skel->rodata->max_call = o->max_call;
  skel->rodata->wake_at = p->ring_bytes / WAKE_PART;
  skel->rodata->share_bytes = p->ring_bytes / SHARES;
  skel->rodata->part_shift = (uint32_t)__builtin_ctz(p->ring_bytes / SHARE_PARTS);
  skel->rodata->start_ns = (uint64_t)ct_clock_ns(CLOCK_MONOTONIC);
  bpf_map__set_max_entries(skel->maps.ring, p->ring_bytes);
  bpf_map__set_max_entries(skel->maps.conns, o->max_conns);
  bpf_map__set_max_entries(skel->maps.aliases, o->max_conns);
  struct ct_tls_programs programs = choose(p, skel);
  struct bpf_program *const shared[] = {programs.leave, programs.go_leave, programs.enter, programs.go_enter};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    if (shared[i] == NULL) continue;
    want(shared[i]);
    if (p->mode == CT_TLS_MULTI) bpf_program__set_expected_attach_type(shared[i], CT_ATTACH_MULTI);
  }
  for (uint32_t i = 0; i < CT_TLS_LIBRARIES * CT_TLS_OPS; i++) {
    struct bpf_program *each = programs.enter_of[i / CT_TLS_OPS][i % CT_TLS_OPS];
    if (each != NULL) want(each);
  }
  if (p->sockets == CT_TLS_SOCK_TP) {
    want(skel->progs.calltap_send);
    want(skel->progs.calltap_recv);
  } else {
    want(skel->progs.calltap_sys_exit);
  }
  if (p->has_process_events) {
    want(skel->progs.calltap_exec);
    want(skel->progs.calltap_exit);
  }
  if (p->has_forks) want(skel->progs.calltap_fork);
}

static _Thread_local bool hides_callbacks;

/* Before 5.13 the kernel does not know the address of a callback. Nothing runs there that takes one: a constant says
 * so to the verifier, which removes that code, once it has been able to read it. So the address becomes a call, which it
 * knows, and which keeps the callback from being code that nothing leads to. */
static int hide_callbacks(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie) {
  (void)opts;
  (void)cookie;
  if (!hides_callbacks) return 0;
  struct bpf_insn *insn = (struct bpf_insn *)bpf_program__insns(program);
  for (size_t i = 0, n = bpf_program__insn_cnt(program); i + 1 < n; i++) {
    if (insn[i].code != (BPF_LD | BPF_IMM | BPF_DW)) continue;
    if (insn[i].src_reg == BPF_PSEUDO_FUNC) {
      insn[i] = (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = insn[i].imm};
      insn[i + 1] = (struct bpf_insn){.code = BPF_JMP | BPF_JA};
    }
    i++;
  }
  return 0;
}

/* Called by libbpf for each of our programs, once its instructions are put together. Before an object is opened, and for
 * good: libbpf 1.1 takes its last handler away wrongly. */
static void register_handler(void) {
  LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = hide_callbacks);
  libbpf_register_prog_handler("uprobe", BPF_PROG_TYPE_KPROBE, 0, &opts);
}

/* Loads for p->mode and attaches once to this process. 0 or -errno; `what` is the step that failed. */
static int try_mode(struct ct_tls_probe *p, const struct ct_tls_opts *o, const char **what) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct tls_bpf *skel = NULL;
  int err = -EAGAIN;
  pthread_once(&once, register_handler);
  for (int tries = 0; err == -EAGAIN && tries < CT_BPF_TRIES; tries++) {
    tls_bpf__destroy(skel);
    *what = "opening the eBPF object";
    skel = tls_bpf__open();
    if (skel == NULL) return -errno;
    configure(skel, p, o);
    *what = "loading the eBPF programs";
    hides_callbacks = !p->has_helpers;
    err = ct_bpf_load(skel->skeleton);
  }
  if (err == 0) {
    *what = "attaching a probe";
    struct ct_tls_programs programs = choose(p, skel);
    err = ct_tls_link_trial(p->mode, &programs);
  }
  if (err != 0) {
    tls_bpf__destroy(skel);
    return err;
  }
  p->skel = skel;
  return 0;
}

bool ct_tls_load(struct ct_tls_probe *p, const struct ct_tls_opts *o, char why[CT_TLS_WHY]) {
  static const char *const mode_names[] = {"RET instructions by multi links",
                                           "RET instructions by perf events"};
  int err = -EINVAL;
  const char *what = "";
  size_t used = 0;
  /* What has no helpers has no links either. */
  for (p->mode = p->has_helpers ? o->best_mode : CT_TLS_PERF; p->mode < CT_TLS_NO_PROBES; p->mode++) {
    err = try_mode(p, o, &what);
    if (err == 0) return true;
    ct_tls_explain(-err, what, why);
    if (used < sizeof p->mode_why)
      used += (size_t)snprintf(p->mode_why + used, sizeof p->mode_why - used, "%s%s: %s",
                               used == 0 ? "" : "; ", mode_names[p->mode], why);
  }
  return false;
}

struct ct_tls_programs ct_tls_programs_of(const struct ct_tls_probe *p) {
  return choose(p, p->skel);
}
#endif
