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

#define HEAD_STEP 64u /* bytes looked at together */

enum head_end { HEAD_GOES_ON = 0, HEAD_OTHER = 1, HEAD_UPGRADE = 2 };

/* `there` is all ones for a letter that was read, else nothing changes. */
CT_INLINE u64 step_if(u64 there, u64 now, u64 next) { return now ^ ((now ^ next) & there); }

/* Reads on in the thread's copy of a head, HEAD_STEP bytes at most. 1 when it has ended, or cannot be read. */
CT_GLOBAL int ct_read_step(u64 pid_tgid, u64 src, u32 bytes) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 1;
  struct look *l = &th->look;
  struct head *h = &l->head;
  u64 n = bytes < HEAD_STEP ? bytes : HEAD_STEP, size = n, named = 0, ended = 0;
  asm volatile("" : "+r"(n)); /* what is known of it would make branches below */
  asm volatile("%0 &= 127"
               : "+r"(size)); /* the bound, right in front of its use: no stack slot keeps it on 5.10 */
  if (bpf_probe_read_user(l->text, size, (const void *)src)) {
    l->failed = 1;
    return 1;
  }
  u64 before = h->before, last = h->last, raw = h->raw;
#pragma clang loop unroll_count(8)
  for (u64 k = 0; k < HEAD_STEP; k++) {
    u64 c = l->text[k], there = (u64)((s64)(k - n) >> 63);
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

CT_GLOBAL int ct_read_head(u64 pid_tgid, u64 src, u32 bytes) {
#pragma clang loop unroll(disable)
  for (u32 at = 0; at < CT_TLS_HEAD; at += HEAD_STEP) {
    if (at >= bytes || ct_read_step(pid_tgid, src + at, bytes - at)) break;
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
  l->failed = 0;
  if (x->buf) ct_read_head(bpf_get_current_pid_tgid(), x->buf, n);
  l->head.bytes += n;
  c->head = l->head;
  if (l->head.ended) return l->head.named ? HEAD_UPGRADE : HEAD_OTHER;
  if (x->buf && !l->failed && l->head.bytes < CT_TLS_HEAD) return HEAD_GOES_ON;
  ct_count(CT_TLS_N_HEADS_OVER, 1);
  return HEAD_OTHER;
}

#endif
