/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_process.h - entry points that follow processes: who is observed from its start, and what ends with a process.
 */
#ifndef CALLTAP_TLS_PROCESS_H
#define CALLTAP_TLS_PROCESS_H
#include "tls_emit.h"

/* A process, or the program it ran until now, is gone with all private connections. Its pages of stacks with calls that
 * were left open go by ct_tls_tidy(). */
CT_INLINE int end_process(u32 tgid) {
  const struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  if (!p) return 0;
  u32 told = p->told;
  bpf_map_delete_elem(&processes, &tgid);
  if (!sip_only || told) notify(&no_conn, CT_TLS_EV_CLOSE, tgid);
  return 1;
}

/* Whether the calling process is meant, which has just become the program of `bprm`. */
CT_INLINE int is_start_meant(const struct linux_binprm *bprm, u32 was_listed) {
  u32 rule = start_rule;
  int meant = (rule & CT_TLS_START_ANY) || (was_listed && (rule & CT_TLS_START_BORN));
  struct ct_tls_program program = {};
  if (!meant && (rule & CT_TLS_START_FILE)) {
    const struct file *file = BPF_CORE_READ(bprm, file);
    program.ino = BPF_CORE_READ(file, f_inode, i_ino);
    bpf_probe_read_kernel_str(program.name, sizeof program.name,
                              BPF_CORE_READ(file, f_path.dentry, d_name.name));
    meant = bpf_map_lookup_elem(&programs, &program) != NULL;
  }
  if (!meant || !(rule & CT_TLS_START_NAME)) return meant;
  program.ino = 0;
  bpf_get_current_comm(program.name, sizeof program.name);
  if (bpf_map_lookup_elem(&programs, &program)) return 1;
  /* Or by its file: who started it by a link has the link's name. */
  __builtin_memset(program.name, 0, sizeof program.name);
  bpf_probe_read_kernel_str(program.name, sizeof program.name,
                            BPF_CORE_READ(bprm, file, f_path.dentry, d_name.name));
  return bpf_map_lookup_elem(&programs, &program) != NULL;
}

/* (struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm), before the program's first instruction. */
SEC("?tp_btf/sched_process_exec") int calltap_exec(u64 *ctx) {
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  /* Of two that start at the same instant one may be forgotten: the next regular look finds it. */
  started[execs & (CT_TLS_STARTED - 1)] = tgid;
  __sync_fetch_and_add(&execs, 1);
  /* Another program: its objects are others, wherever they lie. */
  bpf_map_delete_elem(&threads, &id);
  end_process(tgid);
  if (!allow_listed) return 0;
  /* And another name: who was born of a listed process is not observed for that alone any more. */
  const u8 *how = bpf_map_lookup_elem(&allowed, &tgid);
  u8 born = CT_TLS_BORN;
  if (how && *how != CT_TLS_BORN) return 0;
  if (!is_start_meant((const struct linux_binprm *)ctx[2], how != NULL))
    bpf_map_delete_elem(&allowed, &tgid);
  else if (bpf_map_update_elem(&allowed, &tgid, &born, BPF_ANY))
    ct_count(CT_TLS_N_NO_ROOM, 1);
  return 0;
}

/* (struct task_struct *parent, struct task_struct *child), before the child runs. Servers fork workers, and a
 * worker's first message does not wait for the agent's next look. */
SEC("?tp_btf/sched_process_fork") int calltap_fork(u64 *ctx) {
  if (!allow_listed) return 0;
  const struct task_struct *parent = (struct task_struct *)ctx[0], *child = (struct task_struct *)ctx[1];
  u32 tgid = child->tgid, from = parent->tgid;
  if ((u32)child->pid != tgid || !bpf_map_lookup_elem(&allowed, &from)) return 0;
  u8 born = CT_TLS_BORN;
  if (bpf_map_update_elem(&allowed, &tgid, &born, BPF_ANY)) ct_count(CT_TLS_N_NO_ROOM, 1);
  return 0;
}

/* (struct task_struct *task) */
SEC("?tp_btf/sched_process_exit") int calltap_exit(u64 *ctx) {
  struct task_struct *task = (struct task_struct *)ctx[0];
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  int is_last = BPF_CORE_READ(task, signal, live.counter) <= 0;
  if (is_last && allow_listed) bpf_map_delete_elem(&allowed, &tgid);
  bpf_map_delete_elem(&threads, &id);
  if (is_last && end_process(tgid)) ct_count(CT_TLS_N_PROCESSES_ENDED, 1);
  return 0;
}

#endif
