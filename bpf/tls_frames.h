/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_frames.h - the open calls: which call a return belongs to, and which one a socket call lies in.
 *
 * Stacks are not threads: a coroutine leaves its stack in the middle of a call, and a green thread goes on in another
 * kernel thread. A call is known by its process and by the stack pointer at its entry, which is the same at its return.
 */
#ifndef CALLTAP_TLS_FRAMES_H
#define CALLTAP_TLS_FRAMES_H
#include "tls_state.h"

/* A call whose entry lies farther above than this does not enclose what runs now. */
#define PAGES_ABOVE 4
#define NEAR 262144u /* bytes from the begin of a stack */

#if defined(__TARGET_ARCH_x86)
#define THREAD_POINTER(task) BPF_CORE_READ(task, thread.fsbase)
/* Where the call at whose first instruction or RET the thread stands will go on. */
CT_INLINE u64 return_address(struct pt_regs *ctx) {
  u64 back = 0;
  bpf_probe_read_user(&back, 8, (const void *)PT_REGS_SP(ctx));
  return back;
}
/* What lies there now says whether a call was left without a return, once its stack was used again. */
CT_INLINE int is_left(const struct frame *f) {
  u64 back = 0;
  return bpf_probe_read_user(&back, 8, (const void *)f->sp) || back != f->back;
}
#else
#define THREAD_POINTER(task) BPF_CORE_READ(task, thread.uw.tp_value)
/* RETAA finds it signed (PAC) in the bits above an address. */
CT_INLINE u64 return_address(struct pt_regs *ctx) { return PT_REGS_RET(ctx) & 0xffffffffffffull; }
CT_INLINE int is_left(const struct frame *f) {
  (void)f;
  return 0;
}
#endif

/* What a call is known by: where it began, which function, where it goes on, its second argument. */
struct entered {
  u64 sp, ip, back, buf;
};

/* A frame by a number the verifier does not know: one state for all four. */
CT_INLINE struct frame *frame_at(struct frames *fr, u64 at) {
  asm volatile("%0 &= 3" : "+r"(at)); /* the bound, where clang would find it needless */
  return &fr->f[at];
}

CT_INLINE struct ct_tls_stack stack_of(const struct process *p, u64 id, u64 sp, u32 by_page) {
  return (struct ct_tls_stack){
      .place = by_page ? sp >> STACK_PAGE_SHIFT : CT_TLS_THREAD_PLACE | (u32)id,
      .tgid = id >> 32,
      .epoch = p->epoch,
  };
}
CT_INLINE u32 is_page(const struct ct_tls_stack *k) { return !(k->place & CT_TLS_THREAD_PLACE); }

/* The entry of a stack; made when there is none. */
CT_INLINE struct frames *frames_of(struct process *p, const struct ct_tls_stack *k) {
  struct frames *fr = bpf_map_lookup_elem(&frames, k);
  if (!fr) {
    if (is_page(k) && (s32)p->pages >= (s32)STACK_PAGES_MAX) {
      count(CT_TLS_N_FRAMES_FULL, 1);
      return NULL;
    }
    if (bpf_map_update_elem(&frames, k, &no_frames, BPF_NOEXIST) == 0 && is_page(k))
      __sync_fetch_and_add(&p->pages, 1);
    fr = bpf_map_lookup_elem(&frames, k);
    if (!fr) {
      count(CT_TLS_N_NO_ROOM, 1);
      return NULL;
    }
  }
  return fr;
}

/* A page without open calls is given back at once; a thread's entry stays until the thread ends. */
CT_INLINE void release(struct process *p, struct frames *fr, const struct ct_tls_stack *k) {
  if (!is_page(k) || fr->depth) return;
  if (bpf_map_delete_elem(&frames, k) == 0) __sync_fetch_and_add(&p->pages, -1);
}

CT_INLINE void drop_ended(struct frames *fr) {
#pragma unroll
  for (int i = FRAMES - 1; i >= 0; i--) {
    if (fr->depth == (u32)i + 1 && fr->f[i].sp == 0) fr->depth = i;
  }
}

/* Calls below that of `by` were passed over: left by a jump, or with their stack. So was one at the same place whose
 * function is entered again; with the same buffer it is the same call, told twice where a file is attached to twice. At
 * RET instructions any other at that place ends too: a tail jump's target returns for both. How many. */
CT_INLINE u32 drop_passed(struct frames *fr, u32 by_page, const struct entered *by) {
  u32 passed = 0;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    struct frame *f = &fr->f[i];
    if (i >= fr->depth || f->sp == 0 || f->sp > by->sp) continue;
    u32 is_same = f->sp == by->sp && f->ip == by->ip && f->buf == by->buf;
    u32 is_jump = f->sp == by->sp && f->ip != by->ip && (!by_page || f->back == by->back);
    if (is_jump && !by_page) continue;
    f->sp = 0;
    if (!is_jump && !is_same) passed++;
  }
  drop_ended(fr);
  if (passed) count(CT_TLS_N_STALE_FRAMES, passed);
  return passed;
}

/* The next free frame. */
CT_INLINE struct frame *push(struct frames *fr) {
  if (fr->depth >= FRAMES) {
    count(CT_TLS_N_FRAMES_FULL, fr->depth);
    fr->depth = 0;
  }
  if (fr->depth == 0) fr->in_call = 0;
  fr->depth++;
  return frame_at(fr, fr->depth - 1);
}

/* The call that returns at `sp`. A tail jump shares its caller's place; under return probes the inner returns first. */
CT_INLINE struct frame *find_returning(struct frames *fr, u64 sp) {
  u64 found = FRAMES;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    if (i < fr->depth && fr->f[i].sp == sp) found = i;
  }
  asm volatile("" : "+r"(found));
  return found < FRAMES ? frame_at(fr, found) : NULL;
}

/* ---- May a return probe be planted? ---- */

/* The kernel keeps the return addresses it replaced in one list a thread, and takes them back in the order of stack
 * pointers. A call that yields and is overtaken, or that returns in another thread, finds no address there, and its
 * process dies. So they are planted on the stack alone that the thread was born with, which no other thread runs on:
 * the main thread's own, or the mapping that holds the thread's control block (pthreads puts it on top of the stack). */
struct bounds {
  u64 from, to;
};

static long take_bounds(struct task_struct *task, struct vm_area_struct *vma, struct bounds *b) {
  (void)task;
  b->from = vma->vm_start;
  b->to = vma->vm_end;
  return 0;
}

enum own_stack { STACK_OTHER = 0, STACK_OWN = 1, STACK_UNKNOWN = 2 };

CT_INLINE int is_within(const struct frames *fr, u64 sp) { return fr->stack_from <= sp && sp < fr->stack_to; }

CT_CALL int find_own_stack(struct frames *fr, u64 sp) {
  if (!fr) return STACK_UNKNOWN;
  u64 id = bpf_get_current_pid_tgid();
  struct task_struct *task = bpf_get_current_task_btf();
  u64 at = (u32)id == (u32)(id >> 32) ? BPF_CORE_READ(task, mm, start_stack) : THREAD_POINTER(task);
  struct bounds b = {};
  long err = bpf_find_vma(task, at, take_bounds, &b, 0);
  if (err == -EBUSY) { /* a thread is mapping memory: what lies this near is no other stack in practice */
    count(CT_TLS_N_VMA_BUSY, 1);
    return at - sp < NEAR ? STACK_OWN : STACK_UNKNOWN;
  }
  fr->stack_from = b.from;
  fr->stack_to = b.to;
  return is_within(fr, sp) ? STACK_OWN : STACK_OTHER;
}

/* For a call that enters at `sp`. A stack that was switched inside a call may be switched again in any other one. */
CT_INLINE int may_plant(struct process *p, struct frames *fr, u64 sp, u32 passed) {
  if (p->flags & PROCESS_SWITCHES) return 0;
  int whose = is_within(fr, sp) ? STACK_OWN : find_own_stack(fr, sp);
  if (whose == STACK_OTHER || passed) p->flags |= PROCESS_SWITCHES;
  return whose == STACK_OWN && !passed;
}

/* ---- Which call does a socket call lie in? ---- */

/* The one entered nearest above `sp`; NULL when none encloses it. */
CT_INLINE struct frame *nearest_above(struct frames *fr, u64 sp) {
  u64 found = FRAMES, at = ~0ull;
#pragma unroll
  for (u32 i = 0; i < FRAMES; i++) {
    u64 s = fr->f[i].sp;
    if (i >= fr->depth || s < sp || s > at) continue;
    found = i;
    at = s;
  }
  asm volatile("" : "+r"(found));
  return found < FRAMES ? frame_at(fr, found) : NULL;
}

/* `sp`: the thread's stack pointer in its program. Notes in all that enclose it that there was a socket call. */
CT_INLINE struct frame *call_around(const struct process *p, u64 id, u64 sp, u32 by_page) {
  struct ct_tls_stack k = stack_of(p, id, sp, by_page);
  struct frame *found = NULL;
  if (!by_page) {
    struct frames *fr = bpf_map_lookup_elem(&frames, &k);
    if (!fr || !fr->depth || !is_within(fr, sp)) return NULL;
    found = nearest_above(fr, sp);
    if (found) fr->in_call = 1;
    return found;
  }
#pragma unroll
  for (u32 i = 0; i <= PAGES_ABOVE; i++) {
    struct frames *fr = bpf_map_lookup_elem(&frames, &k);
    struct frame *f = fr && fr->depth ? nearest_above(fr, sp) : NULL;
    k.place++;
    if (!f || is_left(f)) continue;
    fr->in_call = 1;
    if (!found) found = f;
  }
  return found;
}

#endif
