/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_kern.h - the kernel structures that the TLS programs look into, with the fields they use and no others.
 *
 * preserve_access_index makes the loader put in the offsets of the running kernel (CO-RE).
 */
#ifndef CALLTAP_TLS_KERN_H
#define CALLTAP_TLS_KERN_H
#include "kern.h"

/* The registers of a task, by their names in the kernel; bpf_tracing.h takes those when it believes that
 * vmlinux.h is there. The layout is of the ABI (ptrace) and does not move. */
#define __VMLINUX_H__ 1
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
  unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp,
      ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
  u64 regs[31], sp, pc, pstate;
};
struct pt_regs {
  struct user_pt_regs user_regs;
  u64 orig_x0;
  __s32 syscallno;
};
#else
#error "x86 and arm64 only"
#endif
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct in6_addr {
  union {
    u8 u6_addr8[16];
    u32 u6_addr32[4];
  } in6_u;
};
struct ns_common {
  unsigned int inum;
};
struct net {
  struct ns_common ns;
};
typedef struct {
  struct net *net;
} possible_net_t;
struct sock_common {
  u32 skc_daddr, skc_rcv_saddr;
  u16 skc_dport, skc_num;
  unsigned short skc_family;
  possible_net_t skc_net;
  struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};
struct sock {
  struct sock_common __sk_common;
  u16 sk_type;
};
struct socket {
  struct sock *sk;
};
struct super_block {
  unsigned int s_dev;
};
struct inode {
  unsigned short i_mode;
  unsigned int i_nlink;
  unsigned long i_ino;
  struct super_block *i_sb;
};
struct qstr {
  const unsigned char *name;
};
struct dentry {
  struct qstr d_name;
};
struct path {
  struct dentry *dentry;
};
struct file {
  void *private_data;
  struct inode *f_inode;
  struct path f_path;
};
struct linux_binprm {
  struct file *file;
};
struct vm_area_struct {
  unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
  struct file *vm_file;
};
struct fdtable {
  unsigned int max_fds;
  struct file **fd;
};
struct files_struct {
  struct fdtable *fdt;
};
struct mnt_namespace {
  struct ns_common ns;
};
struct nsproxy {
  struct mnt_namespace *mnt_ns;
};
typedef struct {
  int counter;
} atomic_t;
struct signal_struct {
  atomic_t live;
};
struct task_struct {
  int pid, tgid;
  char comm[16];
  struct task_struct *group_leader;
  struct files_struct *files;
  struct nsproxy *nsproxy;
  struct signal_struct *signal;
};
struct seq_file;
struct bpf_iter_meta {
  struct seq_file *seq;
};
struct bpf_iter__task_vma {
  struct bpf_iter_meta *meta;
  struct task_struct *task;
  struct vm_area_struct *vma;
};
#pragma clang attribute pop

#define VM_EXEC 4
#define VM_SHARED 8

#endif
