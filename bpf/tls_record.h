/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_record.h - what a socket call moved: whether its bytes begin with TLS records, and how long those are.
 *
 *   | type | 3 | minor version | length, big-endian | that many bytes |   RFC 8446 s5.1, RFC 5246 s6.2.1
 *
 * The kernel's signals name the socket and a count of bytes; the bytes themselves lie where the system call's
 * arguments say. Those are in the registers that the task saved when it entered the kernel.
 */
#ifndef CALLTAP_TLS_RECORD_H
#define CALLTAP_TLS_RECORD_H
#include "tls_state.h"

#define RECORD_HEADER 5u
#define RECORD_DATA 0x17      /* application data; in TLS 1.3 everything that is protected */
#define RECORD_LONGEST 18432u /* 2^14 + 2048, RFC 5246 s6.2.3 */
/* Bytes of a record beside the plaintext: from the type byte and a short tag (TLS 1.3, CCM_8) to the vector, MAC and
 * padding of CBC with SHA-384. */
#define RECORD_ADDS_MIN 9u
#define RECORD_ADDS_MAX 84u

#if defined(__TARGET_ARCH_x86)
enum { NR_READ = 0, NR_READV = 19, NR_RECVFROM = 45, NR_RECVMSG = 47 };
enum { NR_WRITE = 1, NR_WRITEV = 20, NR_SENDTO = 44, NR_SENDMSG = 46 };
#define USER_CS 0x33 /* 64-bit code; system calls of 32-bit code have other numbers */
#else
enum { NR_READ = 63, NR_READV = 65, NR_RECVFROM = 207, NR_RECVMSG = 212 };
enum { NR_WRITE = 64, NR_WRITEV = 66, NR_SENDTO = 206, NR_SENDMSG = 211 };
#define PSTATE_32BIT 0x10
#endif

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

/* Notes the lengths of the first records of a socket call. */
CT_CALL int read_records(const struct pt_regs *regs, u32 bytes, struct records *out) {
  if (!out) return 0;
  __builtin_memset(out, 0, sizeof *out);
  u64 at = 0;
  u32 left = find_bytes(regs, bytes, &at);
  if (left == 0) return 0;
  if (left < RECORD_HEADER) out->shape = SHAPE_OTHER;
#pragma unroll
  for (u32 i = 0; i < RECORDS; i++) {
    u8 h[8] = {};
    if (left < RECORD_HEADER || bpf_probe_read_user(h, RECORD_HEADER, (const void *)at)) return 0;
    u32 length = (u32)h[3] << 8 | h[4];
    if (h[0] < 0x14 || h[0] > 0x18 || h[1] != 3 || h[2] > 4 || length == 0 || length > RECORD_LONGEST) {
      if (i == 0) out->shape = SHAPE_OTHER;
      return 0;
    }
    out->shape = SHAPE_TLS;
    if (h[0] == RECORD_DATA) out->length[i] = out->last = (u16)length;
    at += RECORD_HEADER + length;
    left = left > RECORD_HEADER + length ? left - RECORD_HEADER - length : 0;
  }
  return 0;
}

/* Negative when a record of this length can hold so much plaintext and no more. Without a branch: each would double
 * what the verifier must follow. */
CT_INLINE s64 fitness(u32 length, u64 plain) {
  s64 adds = (s64)length - (s64)plain;
  return ~((adds - RECORD_ADDS_MIN) | (RECORD_ADDS_MAX - adds));
}

CT_INLINE int fits(u32 length, u64 plain) { return fitness(length, plain) < 0; }

/* Whether one of the records can. */
CT_CALL int one_fits(const struct records *r, u64 plain) {
  if (!r) return 0;
  s64 found = 0;
#pragma unroll
  for (u32 i = 0; i < RECORDS; i++) found |= fitness(r->length[i], plain);
  return (int)((u64)found >> 63);
}

#endif
