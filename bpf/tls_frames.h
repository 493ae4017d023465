/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_frames.h - the open calls: which call a return belongs to, and which one a socket call lies in.
 *
 * Stacks are not threads: a coroutine leaves its stack in the middle of a call, and a green thread continues in another
 * kernel thread. A call is known by its process and by the stack pointer at its entry, which is the same at its return.
 */
#ifndef CALLTAP_TLS_FRAMES_H
#define CALLTAP_TLS_FRAMES_H
#include "tls_state.h"

/* A call whose entry lies farther above than this does not enclose what runs now. */
#define PAGES_ABOVE 4

#if defined(__TARGET_ARCH_x86)
/* Where the call at whose first instruction or RET the thread stands will continue. */
CT_INLINE u64 return_address(struct pt_regs *ctx) {
  u64 back = 0;
  bpf_probe_read_user(&back, 8, (const void *)PT_REGS_SP(ctx));
  return back;
}
/* What lies there now says whether a call was left without a return, once its stack was used again. */
CT_INLINE int is_left(u64 sp, u64 back) {
  u64 now = 0;
  return bpf_probe_read_user(&now, 8, (const void *)sp) || now != back;
}
#else
/* RETAA finds it signed (PAC) in the bits above an address. */
CT_INLINE u64 return_address(struct pt_regs *ctx) { return PT_REGS_RET(ctx) & 0xffffffffffffull; }
CT_INLINE int is_left(u64 sp, u64 back) {
  (void)sp;
  (void)back;
  return 0;
}
#endif

/* What a call is known by: where it began, which function, where it continues, its first two arguments. */
struct entered {
  u64 sp, ip, back, object, buf;
};

/* A frame by a number the verifier does not know: one state for all four. */
CT_INLINE struct frame *frame_at(struct frames *fr, u64 at) {
  asm volatile("%0 &= 3" : "+r"(at)); /* the bound, where clang would find it needless */
  return &fr->f[at];
}

CT_INLINE struct ct_tls_stack stack_of(const struct process *p, u64 id, u64 sp) {
  return (struct ct_tls_stack){.page = sp >> STACK_PAGE_SHIFT, .tgid = id >> 32, .epoch = p->epoch};
}

/* What a goroutine's structure begins with: the bounds of its stack. */
struct goroutine {
  u64 low, high;
};

CT_INLINE struct ct_tls_stack goroutine_of(const struct process *p, u32 tgid, u64 g) {
  return (struct ct_tls_stack){.page = g | CT_TLS_GOROUTINE, .tgid = tgid, .epoch = p->epoch};
}

/* By which a goroutine has an entry as threads have: no thread has such a number, since processes have 22 bits. */
CT_INLINE u64 goroutine_id(u32 tgid, u64 g) {
  return CT_TLS_GOROUTINE | (u64)tgid << 41 | (g >> 5 & ((1ull << 41) - 1));
}

/* The entry of a page; made without one. */
CT_INLINE struct frames *frames_of(struct process *p, const struct ct_tls_stack *k, u32 most) {
  struct frames *fr = bpf_map_lookup_elem(&frames, k);
  if (!fr) {
    if ((s32)p->pages >= (s32)most) {
      ct_count(CT_TLS_N_FRAMES_FULL, 1);
      return NULL;
    }
    if (bpf_map_update_elem(&frames, k, &no_frames, BPF_NOEXIST) == 0) __sync_fetch_and_add(&p->pages, 1);
    fr = bpf_map_lookup_elem(&frames, k);
    if (!fr) {
      ct_count(CT_TLS_N_NO_ROOM, 1);
      return NULL;
    }
  }
  return fr;
}

/* A page without open calls is given back at once. */
CT_INLINE void release(struct process *p, struct frames *fr, const struct ct_tls_stack *k) {
  if (fr->depth) return;
  if (bpf_map_delete_elem(&frames, k) == 0) __sync_fetch_and_add(&p->pages, -1);
}

CT_INLINE void drop_ended(struct frames *fr) {
#pragma unroll
  for (int i = FRAMES - 1; i >= 0; i--) {
    if (fr->depth == (u32)i + 1 && fr->f[i].sp == 0) fr->depth = i;
  }
}

/* Calls below that of `by` were passed over: left by a jump, or with their stack. So was one at the same place whose
 * function is entered again; with the same arguments it is the same call, told twice where a file is attached to twice. Any
 * other at that place ends too: a tail jump's target returns for both. Where stacks are copied in and out of one place, two
 * calls of one function are told apart by nothing at their RET: the one that returns first is taken for the other, so both
 * are counted. */
CT_INLINE void drop_passed(struct frames *fr, const struct entered *by) {
  u32 passed = 0;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    struct frame *f = &fr->f[i];
    if (i >= fr->depth || f->sp == 0 || f->sp > by->sp) continue;
    /* What lies in shared memory is named by its place there. */
    u32 is_object = f->key.object == by->object || f->key.tgid == 0;
    u32 is_again = f->sp == by->sp && f->ip == by->ip, is_same = is_again && f->buf == by->buf && is_object;
    u32 is_jump = f->sp == by->sp && f->ip != by->ip && f->back == by->back;
    f->sp = 0;
    if (!is_jump && !is_same) passed += is_again && !is_object ? 2 : 1;
  }
  drop_ended(fr);
  if (passed) ct_count(CT_TLS_N_STALE_FRAMES, passed);
}

/* The next free frame. */
CT_INLINE struct frame *push(struct frames *fr) {
  if (fr->depth >= FRAMES) {
    ct_count(CT_TLS_N_FRAMES_FULL, fr->depth);
    fr->depth = 0;
  }
  if (fr->depth == 0) fr->in_call = 0;
  fr->depth++;
  return frame_at(fr, fr->depth - 1);
}

/* The call that returns at `sp`. */
CT_INLINE struct frame *find_returning(struct frames *fr, u64 sp) {
  u64 found = FRAMES;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    if (i < fr->depth && fr->f[i].sp == sp) found = i;
  }
  asm volatile("" : "+r"(found));
  return found < FRAMES ? frame_at(fr, found) : NULL;
}

/* ---- Which call does a socket call lie in? ---- */

/* Of the calls of one page the number, from 1, of the nearest that encloses `sp`; 0 when none does. Notes there that there
 * was a socket call. `base`: what places on the stack count from. */
CT_GLOBAL int ct_enclosing(u64 page, u64 sp, u32 tgid, u32 epoch, u64 base) {
  struct ct_tls_stack k = {.page = page, .tgid = tgid, .epoch = epoch};
  struct frames *fr = bpf_map_lookup_elem(&frames, &k);
  if (!fr || !fr->depth) return 0;
  u64 found = FRAMES, at = ~0ull;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    u64 s = fr->f[i].sp;
    if (i >= fr->depth || s < sp || s > at) continue;
    found = i;
    at = s;
  }
  asm volatile("" : "+r"(found));
  if (found >= FRAMES) return 0;
  const struct frame *f = frame_at(fr, found);
  if (is_left(base + f->sp, f->back)) return 0;
  fr->in_call = 1;
  return (int)found + 1;
}

/* The nearest call that encloses `sp`, the thread's stack pointer in its program; NULL when none does. */
CT_INLINE struct frame *call_around(const struct process *p, u64 id, u64 sp) {
  struct ct_tls_stack k = stack_of(p, id, sp);
  u64 found = 0, page = k.page;
#pragma unroll
  for (u32 i = 0; i <= PAGES_ABOVE; i++) {
    if (found) continue;
    found = (u32)ct_enclosing(page + i, sp, k.tgid, k.epoch, 0);
    k.page = page + i;
  }
  struct frames *fr = found ? bpf_map_lookup_elem(&frames, &k) : NULL;
  return fr ? frame_at(fr, found - 1) : NULL;
}

/* The same of a goroutine, whose number `id` becomes. */
CT_INLINE struct frame *call_around_go(const struct process *p, u64 *id, u64 g, u64 sp) {
  struct ct_tls_stack k = goroutine_of(p, *id >> 32, g);
  struct goroutine stack;
  if (!bpf_map_lookup_elem(&frames, &k) || bpf_probe_read_user(&stack, sizeof stack, (const void *)g))
    return NULL;
  u32 found = ct_enclosing(k.page, sp - stack.high, k.tgid, k.epoch, stack.high);
  struct frames *fr = found ? bpf_map_lookup_elem(&frames, &k) : NULL;
  if (!fr) return NULL;
  *id = goroutine_id(k.tgid, g);
  return frame_at(fr, found - 1);
}

#endif
