// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tls.bpf.c - observes TLS libraries: the plaintext of each call when it returns, and the connection it is of.
//
// Entry remembers the arguments, return reads what was moved (a buffer that nobody touched yet cannot be read
// earlier, and a retry would be seen twice), socket tracepoints give the addresses (tls_tuple.h). The entry
// points at the end come in variants; the agent loads those that the kernel takes.
#include "tls_go.h"
#include "tls_process.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- What a call has done ---- */

/* Wrappers of one library call each other with the same buffer; only the outermost counts. Another buffer is
 * another message: node writes from callbacks inside a read. How many calls there enclose `f` so, itself included. */
CT_INLINE u64 wrappers(const struct frames *fr, const struct frame *f) {
  u64 found = 0;
#pragma unroll
  for (u64 i = 0; i < FRAMES; i++) {
    const struct frame *g = &fr->f[i];
    u64 differs = (g->buf ^ f->buf) | (g->key.object ^ f->key.object) | (g->key.tgid ^ f->key.tgid);
    u64 is_open = (i - fr->depth) >> 63, is_below = (g->sp - f->sp) >> 63;
    found += is_zero(differs | (is_write(g->op) ^ is_write(f->op)) | (is_open ^ 1) | is_below);
  }
  return found;
}

CT_INLINE int is_repeated_outside(const struct frames *fr, const struct ct_tls_stack *place,
                                  const struct frame *f) {
  if (wrappers(fr, f) > 1) return 1;
  struct ct_tls_stack above = *place;
  above.page++;
  const struct frames *next = bpf_map_lookup_elem(&frames, &above);
  return next && wrappers(next, f);
}

/* ---- Entry ---- */

/* What the arguments of the call mean. */
CT_INLINE void read_arguments(struct frame *f, struct pt_regs *ctx) {
  f->buf = PT_REGS_PARM2(ctx);
  f->len = PT_REGS_PARM3(ctx);
  f->out = f->op == CT_TLS_OP_NEW_OUT ? f->key.object : out_of(f->op, ctx);
  if (f->op != CT_TLS_OP_READ && f->op != CT_TLS_OP_WRITE) return;
  s32 len = (s32)f->len;
  f->len = len > 0 ? len : 0;
}

/* OpenSSL's handshake begins by clearing its object: what the thread was about to send is of the new connection. */
CT_CALL int keep_pending(u64 object, u64 id) {
  struct thread *th = bpf_map_lookup_elem(&threads, &id);
  if (!th || !th->tx_conn || th->tx_plain || th->tx_key.object != object) return 0;
  const struct conn *c = conn_of(&th->tx_key);
  if (c) th->tx_conn = c->id;
  return 0;
}

CT_CALL int enter(struct pt_regs *ctx, u64 cookie) {
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  u8 op = cookie & 0xff;
  if (enter_apart(ctx, op) || !is_allowed(tgid)) return 0;
  struct process *p = observed(tgid);
  if (!p) return 0;
  if (!(p->runs & RUNS_C)) p->runs |= RUNS_C;
  /* Whatever it begins: a read that was under way when the probes came is not. */
  struct thread *th = thread_of(id);
  if (th) th->is_met = 1;
  u64 object = PT_REGS_PARM1(ctx);
  if (object == 0) return 0; /* a new one has its context there */
  if (op == CT_TLS_OP_FREE || op == CT_TLS_OP_RESET) {
    forget(object, tgid, p->epoch);
    if (op == CT_TLS_OP_RESET) keep_pending(object, id);
    return 0;
  }
  struct entered at = {.sp = PT_REGS_SP(ctx),
                       .ip = PT_REGS_IP(ctx),
                       .back = return_address(ctx),
                       .object = object,
                       .buf = PT_REGS_PARM2(ctx)};
  struct ct_tls_stack place = stack_of(p, id, at.sp);
  if (op == CT_TLS_OP_HANDSHAKE) {
    const struct frames *around = bpf_map_lookup_elem(&frames, &place);
    if (!th) return 0;
    th->call = (struct call){
        .key = {.object = object, .tgid = tgid, .epoch = p->epoch},
        .op = op,
        .library = cookie >> 8 & 0xff,
        .in_call = around && around->depth && around->in_call,
    };
    look_again(&th->call.key);
    canonical(&th->call.key);
    ct_weigh_around(id);
    return 0;
  }
  struct frames *fr = frames_of(p, &place, STACK_PAGES_MAX);
  if (!fr) return 0;
  drop_passed(fr, &at);
  struct frame *f = push(fr);
  if (th) th->apart.is_over = 1;
  f->sp = at.sp;
  f->key = (struct key){.object = object, .tgid = tgid, .epoch = p->epoch};
  f->ip = at.ip;
  f->back = at.back;
  f->ts = bpf_ktime_get_ns();
  f->op = op;
  f->library = cookie >> 8 & 0xff;
  f->proof = cookie >> 16 & 0xffff;
  read_arguments(f, ctx);
  if (op != CT_TLS_OP_NEW && op != CT_TLS_OP_NEW_OUT) canonical(&f->key); /* those have no object yet */
  return 0;
}

/* ---- Return ---- */

/* A RET whose entry was not seen. Code that functions share has such RETs all the time: only the first that a thread
 * is seen to do is one that was under way when the probes came. */
CT_CALL int return_without_entry(u64 id) {
  u32 tgid = id >> 32;
  struct thread *th = bpf_map_lookup_elem(&threads, &id);
  if (!is_allowed(tgid) || (th && th->is_met)) return 0;
  ct_count(CT_TLS_N_NO_ENTRY, 1);
  if (!observed(tgid)) return 0;
  th = thread_of(id);
  if (th) th->is_met = 1;
  return 0;
}

/* `sp`: what the stack pointer was at the entry of the call. */
CT_CALL int leave(struct pt_regs *ctx, u64 sp) {
  u64 id = bpf_get_current_pid_tgid(), ret = PT_REGS_RC(ctx);
  u32 tgid = id >> 32;
  if (leave_apart(id, sp, ret)) return 0;
  struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  if (!p) {
    return_without_entry(id);
    return 0;
  }
  struct ct_tls_stack place = stack_of(p, id, sp);
  struct frames *fr = bpf_map_lookup_elem(&frames, &place);
  struct frame *f = fr ? find_returning(fr, sp) : NULL;
  if (f && f->back != return_address(ctx)) return 0; /* another function's RET */
  if (!f) {
    return_without_entry(id);
    return 0;
  }
  if (f->op == CT_TLS_OP_NEW) {
    if (ret) forget(ret, tgid, f->key.epoch);
  } else if (f->op == CT_TLS_OP_NEW_OUT) {
    u64 object = 0;
    if (bpf_probe_read_user(&object, 8, (const void *)f->out) == 0 && object)
      forget(object, tgid, f->key.epoch);
  } else if (!is_repeated_outside(fr, &place, f)) {
    struct thread *th = thread_of(id);
    if (th) {
      th->call.key = f->key;
      th->call.buf = f->buf;
      th->call.len = f->len;
      th->call.ts = f->ts;
      th->call.moved = moved_by(f->op, f->out, ret);
      th->call.op = f->op;
      th->call.library = f->library;
      th->call.in_call = fr->in_call != 0;
      th->call.proof = f->proof;
      if (!f->proof || ct_prove(id)) {
        if (f->proof) ct_prove_object(id);
        ct_weigh_around(id);
        ct_tell(id);
      }
    }
  } else {
    ct_count(CT_TLS_N_NESTED, 1);
  }
  f->sp = 0;
  struct entered end = {.sp = sp};
  drop_passed(fr, &end);
  release(p, fr, &place);
  return 0;
}

/* ---- Entry points: probes ---- */

/* They must return 0: 1 would take the probe away. */
SEC("?uprobe") int calltap_enter(struct pt_regs *ctx) {
  use_kernel_stack(ctx);
  enter(ctx, has_cookies ? bpf_get_attach_cookie(ctx) : 0);
  return 0;
}

/* At a RET instruction the stack pointer is what it was at the entry. */
SEC("?uprobe") int calltap_return(struct pt_regs *ctx) {
  use_kernel_stack(ctx);
  leave(ctx, PT_REGS_SP(ctx));
  return 0;
}

SEC("?uprobe") int calltap_go_enter(struct pt_regs *ctx) {
  use_kernel_stack(ctx);
  go_enter(ctx, has_cookies ? bpf_get_attach_cookie(ctx) : 0);
  return 0;
}

SEC("?uprobe") int calltap_go_return(struct pt_regs *ctx) {
  use_kernel_stack(ctx);
  go_leave(ctx);
  return 0;
}

/* Without cookies: a program for each kind of site, by the name that tls_probe.c makes of it. */
#define ENTER(LIBRARY, OP)                                                                                   \
  SEC("?uprobe") int calltap_##LIBRARY##_##OP(struct pt_regs *ctx) {                                         \
    use_kernel_stack(ctx);                                                                                   \
    enter(ctx, CT_TLS_OP_##OP | CT_TLS_##LIBRARY << 8);                                                      \
    return 0;                                                                                                \
  }
#define ENTER_COMMON(LIBRARY) ENTER(LIBRARY, HANDSHAKE) ENTER(LIBRARY, FREE)
ENTER_COMMON(OPENSSL)
ENTER(OPENSSL, READ)
ENTER(OPENSSL, WRITE)
ENTER(OPENSSL, READ_EX)
ENTER(OPENSSL, WRITE_EX)
ENTER(OPENSSL, WRITE_EX2)
ENTER(OPENSSL, NEW)
ENTER(OPENSSL, RESET)
ENTER_COMMON(GNUTLS)
ENTER(GNUTLS, READ_LONG)
ENTER(GNUTLS, WRITE_LONG)
ENTER(GNUTLS, NEW_OUT)
ENTER_COMMON(WOLFSSL)
ENTER(WOLFSSL, READ)
ENTER(WOLFSSL, WRITE)
ENTER(WOLFSSL, NEW)
ENTER_COMMON(MBEDTLS)
ENTER(MBEDTLS, READ)
ENTER(MBEDTLS, WRITE)
ENTER(MBEDTLS, RESET)
/* The distance of Go's sites is not known to these: addresses come from socket calls alone. */
#define GO_ENTER(OP)                                                                                         \
  SEC("?uprobe") int calltap_GO_##OP(struct pt_regs *ctx) {                                                  \
    use_kernel_stack(ctx);                                                                                   \
    go_enter(ctx, CT_TLS_OP_##OP);                                                                           \
    return 0;                                                                                                \
  }
GO_ENTER(READ_LONG)
GO_ENTER(WRITE_LONG)
GO_ENTER(FREE)

/* ---- Entry points: sockets ---- */

#define STANDING(process, r)                                                                                 \
  { .p = process, .sp = USER_SP(r), .g = GO_ROUTINE(r) }

/* Datagrams are most of the traffic of a voice server: they cost one look at the socket. */
CT_INLINE void stream_call(struct sock *sk, s32 ret, u32 is_send) {
  const struct process *p = ret > 0 && sk->sk_type == SOCK_STREAM ? this_process() : NULL;
  if (!p) return;
  const struct pt_regs *regs = saved_registers();
  struct standing at = STANDING(p, regs);
  socket_call(sk, (u32)ret, is_send, regs, &at);
}

/* (struct sock *sk, int ret, int flags) */
SEC("?tp_btf/sock_send_length") int calltap_send(u64 *ctx) {
  stream_call((struct sock *)ctx[0], (s32)ctx[1], 1);
  return 0;
}

SEC("?tp_btf/sock_recv_length") int calltap_recv(u64 *ctx) {
  if (!(ctx[2] & MSG_PEEK)) stream_call((struct sock *)ctx[0], (s32)ctx[1], 0);
  return 0;
}

/* Without those tracepoints (before 6.3): every system call is looked at, and the socket found by its number. */
/* (struct pt_regs *regs, long ret) */
SEC("?tp_btf/sys_exit") int calltap_sys_exit(u64 *ctx) {
  s64 ret = (s64)ctx[1];
  if (ret <= 0) return 0;
  const struct process *p = this_process();
  if (!p) return 0;
  struct pt_regs r;
  if (bpf_probe_read_kernel(&r, sizeof r, (const void *)ctx[0])) return 0;
  u32 is_send = 0;
  struct sock *sk = socket_of_call(&r, &is_send);
  struct standing at = STANDING(p, &r);
  if (sk && BPF_CORE_READ(sk, sk_type) == SOCK_STREAM)
    socket_call(sk, (u32)ret, is_send, (const struct pt_regs *)ctx[0], &at);
  return 0;
}
