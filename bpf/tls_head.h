/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_head.h - reads the head of an HTTP request (RFC 9112 s2.1) where it is, call by call, for one question: does it
 * name a subprotocol of WebSocket (RFC 6455 s4.1)?
 *
 * A server may read the head in parts of any size, so the search keeps its place in the connection. No byte of the
 * request is handed over: cookies and credentials stand there.
 */
#ifndef CALLTAP_TLS_HEAD_H
#define CALLTAP_TLS_HEAD_H
#include "tls_state.h"

#define HEAD_STEP 64u           /* bytes looked at together */
#define HEAD_STEPS_UNLOOPED 32u /* of one call, where the kernel has no bpf_loop */

enum head_end { HEAD_GOES_ON = 0, HEAD_OTHER = 1, HEAD_UPGRADE = 2 };

struct head_search {
  struct look *l;
  u64 src;
  u32 bytes;
};

/* 1 when `v` is 0. Without a branch: each would double what the verifier must follow. */
CT_INLINE u64 is_zero(u64 v) { return ((v | -v) >> 63) ^ 1; }

/* `there` is all ones for a letter that was read, else nothing changes. */
CT_INLINE u64 step_if(u64 there, u64 now, u64 next) { return now ^ ((now ^ next) & there); }

static long read_step(u32 i, struct head_search *s) {
  struct head *h = &s->l->head;
  u8 *text = s->l->text;
  u32 at = i * HEAD_STEP;
  if (at >= s->bytes) return 1;
  u64 n = s->bytes - at, named = 0, ended = 0;
  if (n > HEAD_STEP) n = HEAD_STEP;
  asm volatile("" : "+r"(n)); /* clang would drop the check that the verifier needs */
  if (n > HEAD_STEP) return 1;
  if (bpf_probe_read_user(text, n, (const void *)(s->src + at))) {
    s->l->failed = 1;
    return 1;
  }
  u64 before = h->before, last = h->last, raw = h->raw;
#pragma clang loop unroll_count(8)
  for (u64 k = 0; k < HEAD_STEP; k++) {
    u64 c = text[k], there = (u64)((s64)(k - n) >> 63);
    before = step_if(there, before, before << 8 | last >> 56);
    last = step_if(there, last, last << 8 | c | 0x20);
    raw = step_if(there, raw, raw << 8 | c);
    /* "socket-p" "rotocol:", the end of "Sec-WebSocket-Protocol:" in either case */
    named |= is_zero((before ^ 0x736f636b65742d70ull) | (last ^ 0x726f746f636f6c3aull));
    ended |= is_zero((raw ^ 0x0d0a0d0a) & 0xffffffff);
  }
  h->before = before;
  h->last = last;
  h->raw = (u32)raw;
  h->named |= named;
  h->ended |= ended;
  return h->ended != 0;
}

/* Reads on in the thread's copy of a head. A global function, so that the verifier checks it once. */
__attribute__((noinline)) int ct_read_head(u64 pid_tgid, u64 src, u32 bytes) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  struct head_search s = {&th->look, src, bytes};
  u32 steps = (bytes + HEAD_STEP - 1) / HEAD_STEP;
  th->look.failed = 0;
  if (has_loop) {
    bpf_loop(steps, read_step, &s, 0);
  } else {
    for (u32 i = 0; i < HEAD_STEPS_UNLOOPED && i < steps; i++) {
      if (read_step(i, &s)) break;
    }
    if (steps > HEAD_STEPS_UNLOOPED && !th->look.head.ended) th->look.failed = 1;
  }
  return 0;
}

/* The next call of a connection whose request has not ended. */
CT_INLINE int read_head(struct conn *c, const struct call *x, struct look *l) {
  /* An answer before the question has ended is none to an upgrade. */
  if (c->head.written != (x->flags & CT_TLS_F_WRITTEN ? 1 : 0)) return HEAD_OTHER;
  u32 n = CT_TLS_HEAD - c->head.bytes;
  if (n > x->total) n = x->total;
  l->head = c->head;
  if (x->buf) ct_read_head(bpf_get_current_pid_tgid(), x->buf, n);
  l->head.bytes += n;
  c->head = l->head;
  if (l->head.ended) return l->head.named ? HEAD_UPGRADE : HEAD_OTHER;
  if (x->buf && !l->failed && l->head.bytes < CT_TLS_HEAD) return HEAD_GOES_ON;
  count(CT_TLS_N_HEADS_OVER, 1);
  return HEAD_OTHER;
}

#endif
