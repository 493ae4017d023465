// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// scan.bpf.c - lists every executable file mapping of every process, with the real inode after it.
//
// A task_vma iterator (bpf_iter): under overlayfs stat() and /proc/PID/maps show another inode than the one
// whose pages are mapped, and probes count by that one. The whole host takes a few milliseconds.
#include "tls_event.h"
#include "tls_kern.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("iter/task_vma") int calltap_scan(struct bpf_iter__task_vma *ctx) {
  struct vm_area_struct *vma = ctx->vma;
  struct task_struct *task = ctx->task;
  if (!vma || !task || !(vma->vm_flags & VM_EXEC)) return 0;
  struct file *file = vma->vm_file;
  if (!file) return 0;
  struct inode *inode = file->f_inode;
  struct ct_tls_mapping row = {
      .start = vma->vm_start,
      .end = vma->vm_end,
      .ino = inode->i_ino,
      .dev = inode->i_sb->s_dev,
      .pid = (u32)task->tgid,
      .nlink = inode->i_nlink,
  };
  row.mntns = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
  BPF_CORE_READ_INTO(&row.comm, task, group_leader, comm);
  row.path_len = (__s32)bpf_d_path(&file->f_path, row.path, sizeof row.path);
  bpf_seq_write(ctx->meta->seq, &row, sizeof row);
  return 0;
}
