/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * kern.h - what every program here shares: fixed-width names, byte order, the few numbers of the wire.
 *
 * There is no vmlinux.h. A kernel structure that a program looks into is declared here with the fields it
 * uses and preserve_access_index, so that the loader relocates them (CO-RE).
 */
#ifndef CALLTAP_KERN_H
#define CALLTAP_KERN_H
#include <linux/types.h>

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define CT_INLINE static __attribute__((always_inline)) inline
/* A function of its own in the program: for what is used often and seldom runs. */
#define CT_CALL static __attribute__((noinline))
/* The same, and verified once for whatever arguments, not once for each way that leads to a call: numbers and the
 * context only. */
#define CT_GLOBAL __attribute__((noinline))

/* 1 when `v` is 0. Without a branch: each would double what the verifier must follow. */
CT_INLINE u64 is_zero(u64 v) {
  v |= -v;
  asm volatile("" : "+r"(v)); /* clang would know what is meant, and compare */
  return (v >> 63) ^ 1;
}

#endif
