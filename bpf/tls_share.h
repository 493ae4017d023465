/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_share.h - what of the ring one process may take: a quarter, so that who floods it takes the room of nobody else.
 *
 * What waits is known without a word of the reader: a process notes how much it put into each part of the ring's
 * positions, and the parts that the reader has passed count no more. That is exact but for the part that the reader is
 * in, which counts whole; so a process has at least three sixteenths.
 */
#ifndef CALLTAP_TLS_SHARE_H
#define CALLTAP_TLS_SHARE_H
#include "tls_state.h"

#define SHARE_PARTS 32u /* twice those of the ring: all that can wait has a place of its own */

const volatile __u32 part_shift = 20; /* a part is a sixteenth of the ring: so many bits of a position */
const volatile __u32 share_bytes = 4u << 20;

/* Which part, in the upper half, and the bytes of the process in it. */
struct share {
  u64 part[SHARE_PARTS];
};
static const struct share no_share;

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 2048);
  __type(key, u32);
  __type(value, struct share);
} shares SEC(".maps");

CT_INLINE struct share *share_of_process(void) {
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  struct share *s = bpf_map_lookup_elem(&shares, &tgid);
  if (s) return s;
  bpf_map_update_elem(&shares, &tgid, &no_share, BPF_NOEXIST); /* another thread may be first */
  return bpf_map_lookup_elem(&shares, &tgid);
}

/* What a record of so many bytes takes of the ring. */
CT_INLINE u32 record_bytes(u32 bytes) { return (bytes + BPF_RINGBUF_HDR_SZ + 7) & ~7u; }

/* 1 when the process may put a record of so many bytes into the ring; else it is counted. What is larger than a share
 * passes alone. */
CT_GLOBAL int ct_may_take(u32 bytes) {
  u32 need = record_bytes(bytes), most = need < share_bytes ? share_bytes - need : 0;
  if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) <= most) return 1; /* of all processes together */
  const struct share *s = share_of_process();
  if (!s) return 1;
  u32 read = bpf_ringbuf_query(&ring, BPF_RB_CONS_POS) >> part_shift, waiting = 0;
#pragma clang loop unroll(disable) /* in registers: unrolled it would take stack */
  for (u32 i = 0; i < SHARE_PARTS; i++) {
    u64 p = s->part[i];
    u32 is_passed = ((u32)(p >> 32) - read) >> 31;
    waiting += (u32)p & (is_passed - 1);
  }
  if (waiting <= most) return 1;
  /* As ct_count() does: a call more would take more stack than kernels before 6.12 have. */
  u32 what = CT_TLS_N_OVER_SHARE;
  u64 *n = bpf_map_lookup_elem(&counts, &what);
  if (n) __sync_fetch_and_add(n, 1);
  return 0;
}

/* It is in the ring. Threads that begin a part at the same instant may forget one record of each other. */
CT_GLOBAL int ct_took(u32 bytes) {
  struct share *s = share_of_process();
  if (!s) return 0;
  u32 now = bpf_ringbuf_query(&ring, BPF_RB_PROD_POS) >> part_shift;
  u64 *part = &s->part[now & (SHARE_PARTS - 1)];
  if ((u32)(*part >> 32) == now)
    __sync_fetch_and_add(part, record_bytes(bytes));
  else
    *part = (u64)now << 32 | record_bytes(bytes);
  return 0;
}

/* A reservation of constant size, within the share of the process; NULL when there is no room. Who has looked whether it
 * is NULL says ct_took(): a look here would make clang remember it beside the record, which the verifier does not know. */
#define RESERVE(SIZE) (ct_may_take(SIZE) ? bpf_ringbuf_reserve(&ring, SIZE, 0) : NULL)

#endif
