/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_filter.h - decides which connections carry SIP, so that no other plaintext leaves the kernel.
 *
 * A call that begins with a SIP start line (RFC 3261 s7) marks its connection for good: what follows may be
 * the middle of a message. So does one that begins like HTTP, to the contrary: its bodies may quote SIP. A call
 * too short to tell is held until the next one; what was held goes out in front of it.
 * SIP over WebSocket (RFC 7118) begins with an HTTP request that names a subprotocol. Its head is read here to
 * its end, however many calls it comes in; then the agent reads the answer and says yes or no, and until then
 * a few KB may pass. No notice of a dropped connection leaves the kernel either.
 */
#ifndef CALLTAP_TLS_FILTER_H
#define CALLTAP_TLS_FILTER_H
#include "tls_apart.h"
#include "tls_emit.h"
#include "tls_head.h"

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

/* The scheme of a Request-URI. HTTP's targets begin with a slash, a star, or "http". */
CT_INLINE int is_sip_scheme(const u8 *c) {
  u32 head = WORD(c[0], c[1], c[2], c[3]) | LOWER4; /* ':' has that bit already */
  if (head == WORD('s', 'i', 'p', ':') || head == WORD('t', 'e', 'l', ':') ||
      head == WORD('u', 'r', 'n', ':'))
    return 1;
  if (c[4] != ':') return (head & 0xffffff) == WORD('i', 'm', ':', 0);
  return head == WORD('s', 'i', 'p', 's') || head == WORD('p', 'r', 'e', 's');
}

enum looks { LOOKS_OTHER = 0, LOOKS_SIP = 1, LOOKS_HTTP = 2, LOOKS_SHORT = 3 };

/* A target of HTTP/1 after its method: "/...", "*" or "http...". */
CT_INLINE int is_http_target(const u8 *c) {
  return c[0] == '/' || c[0] == '*' || (WORD(c[0], c[1], c[2], c[3]) | LOWER4) == WORD('h', 't', 't', 'p');
}

CT_INLINE u8 letter(const struct look *l, u32 at) {
  asm volatile("%0 &= 127" : "+r"(at)); /* the bound, where clang would find it needless */
  return l->text[at];
}

/* Whether 8 letters, of which `n` are there, are those or begin like them. */
CT_INLINE int begins(u64 letters, u64 wanted, u32 n) {
  return ((letters ^ wanted) << (n < 8 ? 64 - 8 * n : 0)) == 0;
}

/* What the letters taken by the thread begin, from l->at on. */
CT_GLOBAL int ct_look_from(u64 pid_tgid) {
  const struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return LOOKS_OTHER;
  const struct look *l = &th->look;
  u32 at = l->at, mask = l->mask;
  if (at >= l->bytes) return LOOKS_SHORT;
  u32 n = l->bytes - at;
  u64 first = 0;
#pragma unroll
  for (u32 i = 0; i < 8; i++) first |= (u64)(u8)(letter(l, at + i) ^ mask >> (i & 3) * 8) << 8 * i;
  if (begins(first, TEXT8('S', 'I', 'P', '/', '2', '.', '0', ' '), n)) return n < 8 ? LOOKS_SHORT : LOOKS_SIP;
  if (begins(first & 0xffffffffffff, TEXT8('H', 'T', 'T', 'P', '/', '1', 0, 0), n < 6 ? n : 8))
    return n < 6 ? LOOKS_SHORT : LOOKS_HTTP;
  u32 space = 0;
#pragma clang loop unroll(disable)
  for (; space <= METHOD_MAX; space++) {
    if (space >= n) return LOOKS_SHORT;
    u8 c = letter(l, at + space) ^ mask >> (space & 3) * 8;
    if (c == ' ') break;
    u64 set = c & 64 ? TOKEN_HIGH : TOKEN_LOW;
    if (c >= 128 || !((set >> (c & 63)) & 1)) return LOOKS_OTHER;
  }
  if (space == 0 || space > METHOD_MAX) return LOOKS_OTHER;
  u8 target[5];
#pragma unroll
  for (u32 j = 0; j < 5; j++) target[j] = letter(l, at + space + 1 + j) ^ mask >> ((space + 1 + j) & 3) * 8;
  return n < space + 6            ? LOOKS_SHORT
         : is_sip_scheme(target)  ? LOOKS_SIP
         : is_http_target(target) ? LOOKS_HTTP
                                  : LOOKS_OTHER;
}

/* | fin rsv opcode | mask length | 0, 2 or 8 more of length | masking key, when masked | text |  RFC 6455 s5.2
 * 1 when a frame of text begins there; l->at and l->mask are those of its text then. */
CT_INLINE int enter_frame(struct look *l) {
  u8 opcode = l->text[0] & 0x7f, length = l->text[1];
  if (opcode != 1 && opcode != 2) return 0;
  u32 at = (length & 0x7f) == 127 ? 10 : (length & 0x7f) == 126 ? 4 : 2, mask = 0;
  if (length & 0x80) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) mask |= (u32)letter(l, at + i) << 8 * i;
    at += 4;
  }
  l->at = l->bytes < 2 ? 2 : at;
  l->mask = mask;
  return 1;
}

/* What the letters taken by the thread begin: as they are after line ends (RFC 3261 s7.5), or in a WebSocket frame, for
 * connections whose upgrade was not seen. */
CT_GLOBAL int ct_look(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return LOOKS_OTHER;
  struct look *l = &th->look;
  l->at = l->mask = 0;
#pragma unroll
  for (u32 i = 0; i < LINE_ENDS_MAX; i++) {
    u8 c = letter(l, l->at);
    if (l->at == i && (c == '\r' || c == '\n')) l->at = i + 1;
  }
  if (l->at >= l->bytes) return LOOKS_OTHER;
  int looks = LOOKS_OTHER;
#pragma clang loop unroll(disable)
  for (u32 turn = 0; turn < 2; turn++) {
    looks = ct_look_from(pid_tgid);
    if (looks != LOOKS_OTHER || l->at || !enter_frame(l)) break;
  }
  return looks == LOOKS_HTTP && l->mask ? LOOKS_OTHER : looks;
}

/* ---- The verdict over a call ---- */

enum judgement { JUDGE_DROP, JUDGE_PASS, JUDGE_HOLD, JUDGE_HEAD, JUDGE_UPGRADE };

/* What a call begins like, after what is held of its direction. */
CT_CALL int look_at_call(struct look *l, const struct conn *c, const struct call *x) {
  if (!l || !c || !x) return LOOKS_OTHER;
  u64 n = x->total, at = x->flags & CT_TLS_F_WRITTEN ? c->held[1] : c->held[0];
  if (at) __builtin_memcpy(l->text, x->flags & CT_TLS_F_WRITTEN ? c->first[1] : c->first[0], HELD);
  if (n > HELD) n = HELD;
  asm volatile("" : "+r"(n), "+r"(at)); /* clang would drop the checks that the verifier needs */
  if (at > HELD || n > HELD) return LOOKS_OTHER;
  l->bytes = (u32)(at + n);
  if (bpf_probe_read_user(l->text + at, n, (const void *)x->buf)) return LOOKS_OTHER;
  return ct_look(bpf_get_current_pid_tgid());
}

/* A connection that is waiting for the agent's word; it may shorten the call to what it is still allowed. */
CT_INLINE int judge_undecided(struct conn *c, struct call *x, int looks) {
  u64 id = c->id;
  u8 *verdict = bpf_map_lookup_elem(&verdicts, &id);
  if (verdict) {
    c->filter = *verdict == FILTER_PASS ? FILTER_PASS : FILTER_DROP;
    bpf_map_delete_elem(&verdicts, &id);
    return c->filter == FILTER_PASS ? JUDGE_PASS : JUDGE_DROP;
  }
  x->flags |= CT_TLS_F_UNDECIDED;
  /* Without waiting for the agent, who may be late: a burst of messages is longer than what may pass. */
  if (looks == LOOKS_SIP) {
    c->filter = FILTER_PASS;
    return JUDGE_PASS;
  }
  u32 left = c->probation < CT_TLS_PROBATION ? CT_TLS_PROBATION - c->probation : 0;
  if (left == 0) {
    ct_count(CT_TLS_N_PROBATION_OVER, 1);
    return JUDGE_DROP;
  }
  if (x->limit > left) x->limit = left;
  c->probation += x->limit;
  x->wake = 1;
  return JUDGE_PASS;
}

/* A connection nothing is known of. */
CT_INLINE int judge_new(struct conn *c, const struct call *x, const struct look *l, int looks) {
  u32 written = x->flags & CT_TLS_F_WRITTEN ? 1 : 0;
  if (looks == LOOKS_SIP) {
    c->filter = FILTER_PASS;
    return JUDGE_PASS;
  }
  if (looks == LOOKS_SHORT && l->bytes <= HELD) {
    __builtin_memcpy(written ? c->first[1] : c->first[0], l->text, HELD);
    c->held[written] = (u8)l->bytes;
    return JUDGE_HOLD;
  }
  if (looks != LOOKS_HTTP) return JUDGE_DROP;
  /* For good: a body may quote SIP. A request for WebSocket is let in again. */
  c->filter = FILTER_DROP;
  if (WORD(l->text[0], l->text[1], l->text[2], l->text[3]) != WORD('G', 'E', 'T', ' ')) return JUDGE_DROP;
  c->filter = FILTER_HEAD;
  c->held[0] = c->held[1] = 0;
  __builtin_memset(&c->head, 0, sizeof c->head);
  c->head.written = written;
  return JUDGE_HEAD;
}

CT_GLOBAL int ct_judge(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return JUDGE_DROP;
  struct conn *c = conn_of_call(th);
  struct call *x = &th->call;
  struct look *l = &th->look;
  if (!c) return JUDGE_DROP;
  if (!sip_only || c->filter == FILTER_PASS) return JUDGE_PASS;
  if (c->filter == FILTER_DROP) return JUDGE_DROP;
  if (c->filter != FILTER_HEAD) {
    int looks = x->buf ? look_at_call(l, c, x) : LOOKS_OTHER, what;
    if (c->filter == FILTER_UNDECIDED) return judge_undecided(c, x, looks);
    what = judge_new(c, x, l, looks);
    if (what != JUDGE_HEAD) return what;
  }
  u32 end = read_head(c, x, l);
  if (end == HEAD_GOES_ON) return JUDGE_DROP;
  c->filter = end == HEAD_UPGRADE ? FILTER_UNDECIDED : FILTER_DROP;
  c->probation = 0;
  return end == HEAD_UPGRADE ? JUDGE_UPGRADE : JUDGE_DROP;
}

/* Hands over the thread's call, or drops it, and says so in the counters. */
CT_GLOBAL int ct_deliver(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  struct conn *c = conn_of_call(th);
  struct call *x = &th->call;
  if (!c) return 0;
  u32 written = x->flags & CT_TLS_F_WRITTEN ? 1 : 0, held = c->held[written];
  int what = ct_judge(pid_tgid);
  if (held && what == JUDGE_DROP && c->filter == FILTER_NEW) {
    /* What was held ended there. */
    ct_count(CT_TLS_N_FILTERED_BYTES, held);
    c->held[written] = 0;
    what = ct_judge(pid_tgid);
  }
  if (what == JUDGE_PASS) {
    tell(c);
    if (c->held[written]) emit_held(c, x, written);
    c->held[written] = 0;
    ct_emit_call(pid_tgid);
    if (!c->strong) c->owed = 1;
    return 0;
  }
  if (what == JUDGE_HOLD) {
    ct_count(CT_TLS_N_HELD, 1);
    return 0;
  }
  if (what == JUDGE_UPGRADE) {
    tell(c);
    ct_count(CT_TLS_N_UPGRADES, 1);
    ct_count(CT_TLS_N_EVENTS, emit_upgrade(c, x));
  }
  if (c->filter == FILTER_DROP && !x->proof && x->library != CT_TLS_GO) set_apart(&x->key);
  ct_count(CT_TLS_N_FILTERED, 1);
  ct_count(CT_TLS_N_FILTERED_BYTES, x->total);
  return 0;
}

#endif
