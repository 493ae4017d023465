/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_filter.h - decides which connections carry SIP, so that no other plaintext leaves the kernel.
 *
 * A call that begins with a SIP start line (RFC 3261 s7) marks its connection for good: what follows may be
 * the middle of a message. So does one that begins like HTTP, to the contrary: its bodies may quote SIP. SIP
 * over WebSocket (RFC 7118) begins with an HTTP upgrade that names a subprotocol; the agent reads it and says
 * yes or no, and until then a few KB may pass. No notice of a dropped connection leaves the kernel either.
 */
#ifndef CALLTAP_TLS_FILTER_H
#define CALLTAP_TLS_FILTER_H
#include "tls_emit.h"

#define WORD(a, b, c, d) ((u32)(a) | (u32)(b) << 8 | (u32)(c) << 16 | (u32)(d) << 24)
#define TEXT8(a, b, c, d, e, f, g, h) ((u64)WORD(a, b, c, d) | (u64)WORD(e, f, g, h) << 32)
#define LOWER4 0x20202020u
#define METHOD_MAX 32u
#define LINE_ENDS_MAX 8u /* in front of a start line, RFC 3261 s7.5 */

/* RFC 3261 token characters as two sets of 64. */
#define CHAR_BIT(c) (1ull << ((c)&63))
#define TOKEN_LOW                                                                                            \
  (CHAR_BIT('!') | CHAR_BIT('%') | CHAR_BIT('\'') | CHAR_BIT('*') | CHAR_BIT('+') | CHAR_BIT('-') |          \
   CHAR_BIT('.') | 0x3ffull << '0')
#define TOKEN_HIGH                                                                                           \
  (0x3ffffffull << ('A' & 63) | 0x3ffffffull << ('a' & 63) | CHAR_BIT('_') | CHAR_BIT('`') | CHAR_BIT('~'))

#define HEAD_BYTES (METHOD_MAX + 8)

/* The scheme of a Request-URI. HTTP's targets begin with a slash, a star, or "http". */
CT_INLINE int is_sip_scheme(const u8 *c) {
  u32 head = WORD(c[0], c[1], c[2], c[3]) | LOWER4; /* ':' has that bit already */
  if (head == WORD('s', 'i', 'p', ':') || head == WORD('t', 'e', 'l', ':') ||
      head == WORD('u', 'r', 'n', ':'))
    return 1;
  if (c[4] != ':') return (head & 0xffffff) == WORD('i', 'm', ':', 0);
  return head == WORD('s', 'i', 'p', 's') || head == WORD('p', 'r', 'e', 's');
}

enum look { LOOKS_UNKNOWN = 0, LOOKS_SIP = 1, LOOKS_HTTP = 2 };

/* A target of HTTP/1 behind its method: "/...", "*" or "http...". */
CT_INLINE int is_http_target(const u8 *c) {
  return c[0] == '/' || c[0] == '*' || (WORD(c[0], c[1], c[2], c[3]) | LOWER4) == WORD('h', 't', 't', 'p');
}

/* What does the user's memory begin like? `mask` is of a WebSocket frame, 0 when there is none.
 * A global function, so that the verifier checks it once. */
__attribute__((noinline)) int ct_look(u64 src, u64 n, u32 mask) {
  u8 h[HEAD_BYTES] = {};
  if (n < 12) return 0; /* no start line is shorter */
  if (n > sizeof h) n = sizeof h;
  if (bpf_probe_read_user(h, n, (const void *)src)) return 0;
  if (mask) {
#pragma unroll
    for (u32 i = 0; i < HEAD_BYTES; i++) h[i] ^= mask >> (i & 3) * 8;
  }
  u64 first = *(u64 *)h;
  if (first == TEXT8('S', 'I', 'P', '/', '2', '.', '0', ' ')) return LOOKS_SIP;
  if ((first & 0xffffffffffff) == TEXT8('H', 'T', 'T', 'P', '/', '1', 0, 0)) return LOOKS_HTTP;
#pragma unroll
  for (u32 i = 0; i <= METHOD_MAX; i++) {
    u8 c = h[i];
    if (c == ' ')
      return i == 0                      ? LOOKS_UNKNOWN
             : is_sip_scheme(h + i + 1)  ? LOOKS_SIP
             : is_http_target(h + i + 1) ? LOOKS_HTTP
                                         : 0;
    u64 set = c & 64 ? TOKEN_HIGH : TOKEN_LOW;
    if (c >= 128 || !((set >> (c & 63)) & 1)) return 0;
  }
  return 0;
}

/* The same after line ends, RFC 3261 s7.5. */
CT_INLINE int look_behind_line_ends(u64 src, u32 n) {
  for (u32 i = 0; i < LINE_ENDS_MAX; i++) {
    u8 c = 0;
    if (n < 12 || bpf_probe_read_user(&c, 1, (const void *)src)) return 0;
    if (c != '\r' && c != '\n') break;
    src++;
    n--;
  }
  return ct_look(src, n, 0);
}

/* ---- WebSocket ---- */

#define UPGRADE_SCAN 3072u /* where the header that names the subprotocol must begin */

/* | fin rsv opcode | mask length | 0, 2 or 8 more of length | masking key, when masked | text |  RFC 6455 s5.2
 * A message of SIP in one WebSocket frame, for connections whose upgrade was not seen. */
CT_CALL int is_websocket_sip(u64 src, u32 n) {
  u8 h[14] = {};
  if (n < 26 || bpf_probe_read_user(h, sizeof h, (const void *)src)) return 0;
  if ((h[0] & 0x7f) != 1 && (h[0] & 0x7f) != 2) return 0;
  u32 length = h[1] & 0x7f, mask = 0;
  u32 at = length == 127 ? 10 : length == 126 ? 4 : 2;
  if (h[1] & 0x80) {
    if (bpf_probe_read_user(&mask, 4, (const void *)(src + at))) return 0;
    at += 4;
  }
  return ct_look(src + at, n - at, mask) == LOOKS_SIP;
}

struct header_search {
  const u8 *text;
  u64 before, last; /* the 16 characters in front of the next, in lower case */
  u64 found;
};

static long look_at_letter(u32 i, struct header_search *s) {
  if (i >= UPGRADE_SCAN) return 1;
  s->before = s->before << 8 | s->last >> 56;
  s->last = s->last << 8 | s->text[i] | 0x20;
  if (s->before != 0x736f636b65742d70ull || s->last != 0x726f746f636f6c3aull)
    return 0; /* "socket-p" "rotocol:" */
  s->found = 1;
  return 1;
}

/* Finds "sec-websocket-protocol:" by its last 16 letters, of either case. */
CT_INLINE int names_subprotocol(const u8 *text, u32 n) {
  struct header_search s = {.text = text};
  if (n > UPGRADE_SCAN) n = UPGRADE_SCAN;
  if (has_loop) bpf_loop(n, look_at_letter, &s, 0);
  return s.found != 0;
}

/* An HTTP upgrade goes to the agent as far as it may; anything else is taken back. 1 when it went, 0 when it
 * is none, -1 when the ring had no room. */
CT_CALL int emit_upgrade(const struct conn *c, struct call *x) {
  if (!c || !x) return 0;
  struct ct_tls_event *e = bpf_ringbuf_reserve(&ring, sizeof *e + CT_TLS_PROBATION, 0);
  if (!e) return -1;
  u8 *text = (u8 *)e + sizeof *e;
  u64 n = x->total;
  asm volatile("" : "+r"(n)); /* clang would drop the check that the verifier needs */
  if (n > CT_TLS_PROBATION) n = CT_TLS_PROBATION;
  if (bpf_probe_read_user(text, n, (const void *)x->buf) || !names_subprotocol(text, (u32)n)) {
    bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
    return 0;
  }
  x->limit = (u32)n;
  put_data(e, c, x, 0, (u32)n);
  bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
  return 1;
}

/* ---- The verdict over a call ---- */

enum judgement { JUDGE_DROP, JUDGE_PASS, JUDGE_UPGRADE };

/* Whether a call begins with SIP, LOOKS_SIP then, in a WebSocket frame or without. */
CT_INLINE int look_at_call(const struct call *x) {
  int look = look_behind_line_ends(x->buf, x->total);
  return look == LOOKS_UNKNOWN && is_websocket_sip(x->buf, x->total) ? LOOKS_SIP : look;
}

/* May shorten the call to what an undecided connection is still allowed. */
CT_INLINE int judge(struct conn *c, struct call *x) {
  if (!sip_only || c->filter == FILTER_PASS) return JUDGE_PASS;
  if (c->filter == FILTER_UNDECIDED) {
    u64 id = c->id;
    u8 *verdict = bpf_map_lookup_elem(&verdicts, &id);
    if (verdict) {
      c->filter = *verdict == FILTER_PASS ? FILTER_PASS : FILTER_DROP;
      bpf_map_delete_elem(&verdicts, &id);
      return c->filter == FILTER_PASS ? JUDGE_PASS : JUDGE_DROP;
    }
    x->flags |= CT_TLS_F_UNDECIDED;
    /* Without waiting for the agent, who may be late: a burst of messages is longer than what may pass. */
    if (x->buf != 0 && look_at_call(x) == LOOKS_SIP) {
      c->filter = FILTER_PASS;
      return JUDGE_PASS;
    }
    u32 left = c->probation < CT_TLS_PROBATION ? CT_TLS_PROBATION - c->probation : 0;
    if (left == 0) {
      count(CT_TLS_N_PROBATION_OVER, 1);
      return JUDGE_DROP;
    }
    if (x->limit > left) x->limit = left;
    c->probation += x->limit;
    x->wake = 1;
    return JUDGE_PASS;
  }
  if (c->filter == FILTER_DROP || x->buf == 0) return JUDGE_DROP;
  int look = look_at_call(x);
  if (look == LOOKS_SIP) {
    c->filter = FILTER_PASS;
    return JUDGE_PASS;
  }
  if (look != LOOKS_HTTP) return JUDGE_DROP;
  /* For good: a body may quote SIP. An upgrade is let in again below. */
  c->filter = FILTER_DROP;
  u32 method = 0;
  if (x->total < 64 || bpf_probe_read_user(&method, 4, (const void *)x->buf)) return JUDGE_DROP;
  return method == WORD('G', 'E', 'T', ' ') ? JUDGE_UPGRADE : JUDGE_DROP;
}

/* Hands over one SSL call, or drops it, and says so in the counters. */
CT_CALL int deliver(struct conn *c, struct call *x) {
  if (!c || !x) return 0;
  int what = judge(c, x);
  if (what == JUDGE_PASS) {
    tell(c);
    emit_call(c, x);
    return 0;
  }
  if (what == JUDGE_UPGRADE) {
    x->flags |= CT_TLS_F_UNDECIDED;
    int went = emit_upgrade(c, x);
    if (went) {
      tell(c);
      c->filter = FILTER_UNDECIDED;
      c->probation = x->limit;
      count(CT_TLS_N_CALLS, 1);
      count(CT_TLS_N_UPGRADES, 1);
      if (went > 0) {
        count(CT_TLS_N_EVENTS, 1);
        count(CT_TLS_N_BYTES, x->limit);
      } else {
        count(CT_TLS_N_LOST_CALLS, 1);
        count(CT_TLS_N_LOST_EVENTS, 1);
        count(CT_TLS_N_LOST_BYTES, x->total);
      }
      return 0;
    }
  }
  count(CT_TLS_N_FILTERED, 1);
  count(CT_TLS_N_FILTERED_BYTES, x->total);
  return 0;
}

#endif
