/* SPDX-License-Identifier: Apache-2.0
 * tls_load.c - loads bpf/tls.bpf.c in the best way that this kernel takes; see tls_load.h.
 */
#define _GNU_SOURCE
#include "tls/tls_load.h"
#ifdef CT_HAVE_TLS_PROBES
#include "core/clock.h"
#include "system/bpf_load.h"
#include "tls.skel.h"
#include "tls/tls_names.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
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

static struct ct_tls_programs choose(const struct ct_tls_loaded *l, const struct tls_bpf *skel) {
  struct ct_tls_programs programs = {.leave = skel->progs.calltap_return,
                                     .go_leave = skel->progs.calltap_go_return};
  if (l->has_helpers) {
    programs.enter = skel->progs.calltap_enter;
    programs.go_enter = skel->progs.calltap_go_enter;
  } else {
    find_copies(skel, &programs);
  }
  return programs;
}

/* Which entry points, and what they may use. */
static void configure(struct tls_bpf *skel, struct ct_tls_loaded *l, const struct ct_tls_opts *o) {
  skel->rodata->sip_only = o->sip_only;
  skel->rodata->has_find_vma = skel->rodata->has_cookies = l->has_helpers;
  skel->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
  skel->rodata->max_call = o->max_call;
  skel->rodata->wake_at = o->ring_bytes / WAKE_PART;
  skel->rodata->share_bytes = o->ring_bytes / SHARES;
  skel->rodata->part_shift = (uint32_t)__builtin_ctz(o->ring_bytes / SHARE_PARTS);
  skel->rodata->start_ns = (uint64_t)ct_clock_ns(CLOCK_MONOTONIC);
  bpf_map__set_max_entries(skel->maps.ring, o->ring_bytes);
  bpf_map__set_max_entries(skel->maps.conns, o->max_conns);
  bpf_map__set_max_entries(skel->maps.aliases, o->max_conns);
  struct ct_tls_programs programs = choose(l, skel);
  struct bpf_program *const shared[] = {programs.leave, programs.go_leave, programs.enter, programs.go_enter};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    if (shared[i] == NULL) continue;
    want(shared[i]);
    if (l->mode == CT_TLS_MULTI) bpf_program__set_expected_attach_type(shared[i], CT_ATTACH_MULTI);
  }
  for (uint32_t i = 0; i < CT_TLS_LIBRARIES * CT_TLS_OPS; i++) {
    struct bpf_program *each = programs.enter_of[i / CT_TLS_OPS][i % CT_TLS_OPS];
    if (each != NULL) want(each);
  }
  if (l->sockets == CT_TLS_SOCK_TP) {
    want(skel->progs.calltap_send);
    want(skel->progs.calltap_recv);
  } else {
    want(skel->progs.calltap_sys_exit);
  }
  if (l->has_process_events) {
    want(skel->progs.calltap_exec);
    want(skel->progs.calltap_exit);
  }
  if (l->has_forks) want(skel->progs.calltap_fork);
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

/* Loads for l->mode and attaches once to this process. 0 or -errno; `what` is the step that failed. */
static int try_mode(struct ct_tls_loaded *l, const struct ct_tls_opts *o, const char **what) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct tls_bpf *skel = NULL;
  int err = -EAGAIN;
  pthread_once(&once, register_handler);
  for (int tries = 0; err == -EAGAIN && tries < CT_BPF_TRIES; tries++) {
    tls_bpf__destroy(skel);
    *what = "opening the eBPF object";
    skel = tls_bpf__open();
    if (skel == NULL) return -errno;
    configure(skel, l, o);
    *what = "loading the eBPF programs";
    hides_callbacks = !l->has_helpers;
    err = ct_bpf_load(skel->skeleton);
  }
  if (err == 0) {
    *what = "attaching a probe";
    struct ct_tls_programs programs = choose(l, skel);
    err = ct_tls_link_trial(l->mode, &programs);
  }
  if (err != 0) {
    tls_bpf__destroy(skel);
    return err;
  }
  l->skel = skel;
  return 0;
}

/* Whether the kernel has this tracepoint with types (tp_btf). */
static bool has_tracepoint(const struct btf *kernel, const char *name) {
  char type[64];
  snprintf(type, sizeof type, "btf_trace_%s", name);
  return kernel != NULL && btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) > 0;
}

/* What it has of what the programs would use. */
static void find_out(struct ct_tls_loaded *l, const struct ct_tls_opts *o) {
  struct btf *kernel = btf__load_vmlinux_btf();
  if (libbpf_get_error(kernel) != 0) kernel = NULL;
  bool has_sock_tp = has_tracepoint(kernel, "sock_send_length") && has_tracepoint(kernel, "sock_recv_length");
  l->has_process_events =
      has_tracepoint(kernel, "sched_process_exec") && has_tracepoint(kernel, "sched_process_exit");
  l->has_forks = l->has_process_events && has_tracepoint(kernel, "sched_process_fork");
  btf__free(kernel);
  l->sockets = has_sock_tp && !o->force_sys_exit ? CT_TLS_SOCK_TP : CT_TLS_SYS_EXIT;
  if (o->force_sys_exit)
    snprintf(l->sockets_why, sizeof l->sockets_why, "sys_exit was asked for");
  else if (!has_sock_tp)
    snprintf(l->sockets_why, sizeof l->sockets_why,
             "the kernel has no tracepoints sock_send_length and sock_recv_length (Linux 6.3)");
  l->has_helpers = !o->force_old_helpers &&
                   libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_get_attach_cookie, NULL) == 1 &&
                   libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_find_vma, NULL) == 1;
  if (!l->has_helpers)
    snprintf(l->mode_why, sizeof l->mode_why,
             o->force_old_helpers ? "as on an older kernel, which was asked for"
                                  : "the kernel is older than Linux 5.17");
  else if (o->best_mode != CT_TLS_MULTI)
    snprintf(l->mode_why, sizeof l->mode_why, "another one was asked for");
}

bool ct_tls_load(struct ct_tls_loaded *l, const struct ct_tls_opts *o, char why[CT_TLS_WHY]) {
  static const char *const mode_names[] = {"RET instructions by multi links",
                                           "RET instructions by perf events"};
  int err = -EINVAL;
  const char *what = "";
  size_t used = 0;
  find_out(l, o);
  /* What has no helpers has no links either. */
  for (l->mode = l->has_helpers ? o->best_mode : CT_TLS_PERF; l->mode < CT_TLS_NO_PROBES; l->mode++) {
    err = try_mode(l, o, &what);
    if (err == 0) return true;
    ct_tls_explain(-err, what, why);
    if (used < sizeof l->mode_why)
      used += (size_t)snprintf(l->mode_why + used, sizeof l->mode_why - used, "%s%s: %s",
                               used == 0 ? "" : "; ", mode_names[l->mode], why);
  }
  return false;
}

void ct_tls_unload(struct ct_tls_loaded *l) {
  if (l->skel != NULL) tls_bpf__destroy(l->skel);
  l->skel = NULL;
}

struct ct_tls_programs ct_tls_programs_of(const struct ct_tls_loaded *l) {
  return choose(l, l->skel);
}
#endif
