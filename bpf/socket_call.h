/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * socket_call.h - a system call on a socket that has ended: which socket, which way, and where its bytes lie.
 *
 * The kernel's signals name the socket and a count of bytes; the bytes themselves lie where the system call's
 * arguments say. Those are in the registers that the task saved when it entered the kernel.
 */
#ifndef CALLTAP_SOCKET_CALL_H
#define CALLTAP_SOCKET_CALL_H
#include "tls_kern.h"

#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define MSG_PEEK 2

#if defined(__TARGET_ARCH_x86)
#define USER_SP(r) (r)->sp
#else
#define USER_SP(r) (r)->user_regs.sp
#endif

/* Those of the system call that the task is in. */
CT_INLINE const struct pt_regs *saved_registers(void) {
  return (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

#if defined(__TARGET_ARCH_x86)
#define SYS_NR(r) (r)->orig_ax
#define SYS_FD(r) (r)->di
#define RECVFROM_FLAGS(r) (r)->r10
#define RECVMSG_FLAGS(r) (r)->dx
#else
#define SYS_NR(r) (r)->syscallno
#define SYS_FD(r) (r)->orig_x0
#define RECVFROM_FLAGS(r) (r)->user_regs.regs[3]
#define RECVMSG_FLAGS(r) (r)->user_regs.regs[2]
#endif

#if defined(__TARGET_ARCH_x86)
enum { NR_READ = 0, NR_READV = 19, NR_RECVFROM = 45, NR_RECVMSG = 47 };
enum { NR_WRITE = 1, NR_WRITEV = 20, NR_SENDTO = 44, NR_SENDMSG = 46 };
#define USER_CS 0x33 /* 64-bit code; system calls of 32-bit code have other numbers */
#else
enum { NR_READ = 63, NR_READV = 65, NR_RECVFROM = 207, NR_RECVMSG = 212 };
enum { NR_WRITE = 64, NR_WRITEV = 66, NR_SENDTO = 206, NR_SENDMSG = 211 };
#define PSTATE_32BIT 0x10
#endif

#define S_IFMT 0170000
#define S_IFSOCK 0140000

CT_INLINE struct sock *socket_of_fd(u32 fd) {
  struct task_struct *task = (struct task_struct *)bpf_get_current_task();
  struct fdtable *table = BPF_CORE_READ(task, files, fdt);
  if (!table || fd >= BPF_CORE_READ(table, max_fds)) return NULL;
  struct file **files = BPF_CORE_READ(table, fd), *file = NULL;
  if (bpf_probe_read_kernel(&file, sizeof file, files + fd) || !file) return NULL;
  if ((BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK) return NULL;
  struct socket *s = BPF_CORE_READ(file, private_data);
  return s ? BPF_CORE_READ(s, sk) : NULL;
}

/* The socket of a system call with these registers, and whether it sends; NULL when it is no such call, or only looks. */
CT_INLINE struct sock *socket_of_call(const struct pt_regs *r, u32 *is_send) {
  switch ((u32)SYS_NR(r)) {
  case NR_RECVFROM:
    if (RECVFROM_FLAGS(r) & MSG_PEEK) return NULL;
    break;
  case NR_RECVMSG:
    if (RECVMSG_FLAGS(r) & MSG_PEEK) return NULL;
    break;
  case NR_READ:
  case NR_READV: break;
  case NR_WRITE:
  case NR_WRITEV:
  case NR_SENDTO:
  case NR_SENDMSG: *is_send = 1; break;
  default: return NULL;
  }
  return socket_of_fd((u32)SYS_FD(r));
}

struct user_iovec {
  u64 base, len;
};

/* The number of the system call and its second argument; -1 when it is not one of 64-bit code. */
CT_INLINE s32 call_of(const struct pt_regs *regs, u64 *second) {
#if defined(__TARGET_ARCH_x86)
  struct {
    u64 si, di, orig_ax, ip, cs;
  } r;
  if (bpf_probe_read_kernel(&r, sizeof r, &regs->si) || r.cs != USER_CS) return -1;
  *second = r.si;
  return (s32)r.orig_ax;
#else
  struct {
    u64 pstate, orig_x0;
    s32 number;
  } r;
  if (bpf_probe_read_kernel(&r, sizeof r, &regs->user_regs.pstate) || (r.pstate & PSTATE_32BIT)) return -1;
  if (bpf_probe_read_kernel(second, 8, &regs->user_regs.regs[1])) return -1;
  return r.number;
#endif
}

/* Where the first bytes of a socket call lie, and how many of its `bytes` lie there together: 0 when that cannot be
 * told (io_uring, sendfile, sendmmsg, 32-bit code). */
CT_INLINE u32 find_bytes(const struct pt_regs *regs, u32 bytes, u64 *at) {
  u64 second = 0;
  struct user_iovec v = {};
  switch (call_of(regs, &second)) {
  case NR_READ:
  case NR_WRITE:
  case NR_RECVFROM:
  case NR_SENDTO: *at = second; return bytes;
  case NR_RECVMSG:
  case NR_SENDMSG: /* struct user_msghdr: a pointer, its length, then the vector */
    if (bpf_probe_read_user(&second, 8, (const void *)(second + 16))) return 0;
    break;
  case NR_READV:
  case NR_WRITEV: break;
  default: return 0;
  }
  if (bpf_probe_read_user(&v, sizeof v, (const void *)second)) return 0;
  *at = v.base;
  return v.len < bytes ? (u32)v.len : bytes;
}

#endif
