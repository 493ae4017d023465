/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_go.h - the calls of Go programs, which run on goroutines: crypto/tls.(*Conn).Read, Write and Close.
 *
 * A goroutine goes from thread to thread, and its stack moves when it grows. A call is known by its goroutine and by how
 * far below the end of that stack it began, which a move leaves as it is. Arguments are in registers (ABIInternal, since
 * Go 1.17), the goroutine's own structure among them; that begins with the bounds of its stack.
 *
 * A connection on TCP says itself which file descriptor it is on: (*Conn).conn is an interface; when the method it reads by
 * is that of *net.TCPConn, what it points to is one. Anything else (a connection that another one wraps) gets its address
 * from what its goroutine does on sockets inside the call.
 */
#ifndef CALLTAP_TLS_GO_H
#define CALLTAP_TLS_GO_H
#include "tls_tell.h"

#if defined(__TARGET_ARCH_x86)
#define GO_OBJECT(r) (r)->ax
#define GO_BUFFER(r) (r)->bx
#define GO_LENGTH(r) (r)->cx
#define GO_RESULT(r) (r)->ax
#define GO_ROUTINE(r) (r)->r14
#else
#define GO_OBJECT(r) (r)->user_regs.regs[0]
#define GO_BUFFER(r) (r)->user_regs.regs[1]
#define GO_LENGTH(r) (r)->user_regs.regs[2]
#define GO_RESULT(r) (r)->user_regs.regs[0]
#define GO_ROUTINE(r) (r)->user_regs.regs[28]
#endif

/* Where fields lie, the same in all versions that are tried: method Read in a table of net.Conn, Sysfd in a netFD. */
#define GO_METHOD_READ 40
#define GO_SYSFD 16

/* In frame.out: `buf` counts from the end of the goroutine's stack. */
#define GO_BUFFER_ON_STACK 1

#define MARKED 16u /* bytes at each of four places */

/* Tells a buffer from what lies there later; 0 when it is too short, or cannot be read now. */
CT_CALL u64 go_mark(u64 buf, u64 len) {
  u64 part[MARKED / 8], mark = len;
  if (len < MARKED) return 0;
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    if (bpf_probe_read_user(part, sizeof part, (const void *)(buf + (len - MARKED) * i / 3))) return 0;
    mark = ((mark ^ part[0]) * 0x9e3779b97f4a7c15ull >> 1 ^ part[1]) * 0x9e3779b97f4a7c15ull;
  }
  return mark | 1;
}

/* Where the call's buffer lies now. When a write returns nobody needs its buffer any more: Go's garbage collector may have
 * given the memory to something else, and that is not what was written. */
CT_INLINE u64 go_buffer(const struct frame *f, u64 high) {
  u64 buf = f->out == GO_BUFFER_ON_STACK ? f->buf + high : f->buf;
  return f->mark && go_mark(buf, f->len) != f->mark ? 0 : buf;
}

/* Binds the connection of a call to the socket of its file descriptor. `distance`: of the method from the probe; 0
 * when it is not known. */
CT_CALL int go_address(const struct frame *f, s64 distance) {
  if (!f || !distance) return 0;
  u64 conn[2], method, net_fd, id = bpf_get_current_pid_tgid();
  s32 fd = -1;
  if (bpf_probe_read_user(conn, sizeof conn, (const void *)f->key.object)) return 0;
  if (bpf_probe_read_user(&method, 8, (const void *)(conn[0] + GO_METHOD_READ))) return 0;
  if ((s64)(method - f->ip) != distance) return 0;
  if (bpf_probe_read_user(&net_fd, 8, (const void *)conn[1])) return 0;
  if (bpf_probe_read_user(&fd, sizeof fd, (const void *)(net_fd + GO_SYSFD)) || fd < 0) return 0;
  struct sock *sk = socket_of_fd((u32)fd);
  struct thread *th = thread_of(id);
  if (!sk || !th || BPF_CORE_READ(sk, sk_type) != SOCK_STREAM || !tuple_of(sk, &th->now.t)) return 0;
  th->now.grade = GRADE_PROOF;
  th->now.evidence = CT_TLS_BY_FD;
  weigh(&f->key, &th->now);
  return 0;
}

CT_CALL int go_enter(struct pt_regs *ctx, u64 cookie) {
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  if (!is_allowed(tgid)) return 0;
  struct process *p = observed(tgid);
  if (!p) return 0;
  u64 object = GO_OBJECT(ctx), g = GO_ROUTINE(ctx);
  u8 op = cookie & 0xff;
  if (op == CT_TLS_OP_FREE) {
    forget(object, tgid, p->epoch);
    return 0;
  }
  struct goroutine stack;
  if (bpf_probe_read_user(&stack, sizeof stack, (const void *)g)) return 0;
  struct entered at = {.sp = PT_REGS_SP(ctx) - stack.high,
                       .ip = PT_REGS_IP(ctx),
                       .back = return_address(ctx),
                       .object = object,
                       .buf = GO_BUFFER(ctx)};
  u64 on_stack = at.buf >= stack.low && at.buf < stack.high;
  if (on_stack) at.buf -= stack.high;
  struct ct_tls_stack place = goroutine_of(p, tgid, g);
  struct frames *fr = frames_of(p, &place, GOROUTINES_MAX);
  if (!fr) return 0;
  drop_passed(fr, &at);
  struct frame *f = push(fr);
  f->sp = at.sp;
  f->key = (struct key){.object = object, .tgid = tgid, .epoch = p->epoch};
  f->ip = at.ip;
  f->back = at.back;
  f->buf = at.buf;
  f->len = GO_LENGTH(ctx);
  f->out = on_stack ? GO_BUFFER_ON_STACK : 0;
  f->mark = is_write(op) ? go_mark(GO_BUFFER(ctx), f->len) : 0;
  f->ts = bpf_ktime_get_ns();
  f->op = op;
  f->library = CT_TLS_GO;
  f->proof = 0;
  if (!(p->runs & RUNS_GO)) p->runs |= RUNS_GO;
  go_address(f, (s64)cookie >> 16);
  return 0;
}

/* A RET belongs to one function, so without an entry the call was under way when the probes came. */
CT_CALL int go_return_without_entry(u32 tgid) {
  if (is_allowed(tgid)) ct_count(CT_TLS_N_NO_ENTRY, 1);
  return 0;
}

/* What the call of a goroutine has done. Where no file descriptor gave the address, what the goroutine received inside the
 * call is weighed: it may have been on another thread. */
CT_INLINE int go_tell(const struct frames *fr, const struct frame *f, u64 ret, u64 high, u64 g) {
  u64 id = bpf_get_current_pid_tgid(), own = goroutine_id(f->key.tgid, g);
  /* A read that waited while another goroutine closed its connection must not make it anew. */
  if ((s64)ret <= 0 && !bpf_map_lookup_elem(&conns, &f->key)) {
    ct_count(CT_TLS_N_NO_PLAINTEXT, 1);
    return 0;
  }
  struct conn *c = conn_of(&f->key);
  struct thread *th = thread_of(id);
  if (!c || !th) return 0;
  c->library = CT_TLS_GO;
  th->call.key = f->key;
  th->call.buf = go_buffer(f, high);
  th->call.len = f->len;
  th->call.ts = f->ts;
  th->call.moved = (s64)ret;
  th->call.op = f->op;
  th->call.library = CT_TLS_GO;
  th->call.proof = 0;
  th->call.in_call = fr->in_call != 0;
  struct thread *of = c->evidence == CT_TLS_BY_FD ? NULL : thread_of(own);
  if (of) {
    of->call = th->call;
    ct_weigh_around(own);
    /* What is sent later, outside of a call, is not known to be of this one. */
    of->tx_conn = of->tx_plain = 0;
  }
  ct_tell(id);
  return 0;
}

CT_CALL int go_leave(struct pt_regs *ctx) {
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  u64 g = GO_ROUTINE(ctx);
  struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  struct goroutine stack = {};
  if (!p || bpf_probe_read_user(&stack, sizeof stack, (const void *)g)) return go_return_without_entry(tgid);
  struct ct_tls_stack place = goroutine_of(p, tgid, g);
  struct frames *fr = bpf_map_lookup_elem(&frames, &place);
  u64 sp = PT_REGS_SP(ctx) - stack.high;
  struct frame *f = fr ? find_returning(fr, sp) : NULL;
  if (!f || f->back != return_address(ctx)) return go_return_without_entry(tgid);
  go_tell(fr, f, GO_RESULT(ctx), stack.high, g);
  f->sp = 0;
  struct entered end = {.sp = sp};
  drop_passed(fr, &end);
  release(p, fr, &place);
  return 0;
}

#endif
