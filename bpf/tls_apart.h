/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_apart.h - calls of connections that are told to be no SIP: a look at the name of the object, and nothing is read.
 *
 * Such a call has no frame. Its thread remembers where it began, so that its return is known and what is sent and received
 * inside it is nobody else's. Its name is forgotten with the object (forget()), when a handshake begins, and for one call
 * of many: where no end of an object is seen, its socket may show that it is another connection.
 */
#ifndef CALLTAP_TLS_APART_H
#define CALLTAP_TLS_APART_H
#include "tls_tuple.h"

#define APART_CALLS 256u /* passed over, until one is looked at again */
#define APART_ID ~0ull   /* of all these connections, where a thread remembers whose turn it was */

/* Where the call leaves its count; 0 when it returns it. */
CT_INLINE u64 out_of(u8 op, struct pt_regs *ctx) {
  u64 fourth = PT_REGS_PARM4(ctx), fifth = PT_REGS_PARM5(ctx);
  asm volatile(""
               : "+r"(fourth),
                 "+r"(fifth)); /* clang would choose the register's place, which the verifier refuses */
  if (op == CT_TLS_OP_WRITE_EX2) return fifth;
  return is_one_of(OP(READ_EX) | OP(WRITE_EX), op) ? fourth : 0;
}

/* Bytes the call moved by its own account; 0 or less when none. */
CT_INLINE s64 moved_by(u8 op, u64 out, u64 ret) {
  u64 n = 0;
  switch (op) {
  case CT_TLS_OP_READ:
  case CT_TLS_OP_WRITE: return (s32)ret;
  case CT_TLS_OP_READ_LONG:
  case CT_TLS_OP_WRITE_LONG: return (s64)ret;
  case CT_TLS_OP_READ_EX:
  case CT_TLS_OP_WRITE_EX:
  case CT_TLS_OP_WRITE_EX2:
    if ((s32)ret <= 0 || bpf_probe_read_user(&n, 8, (const void *)out)) return 0;
    return (s64)n;
  default: return 0;
  }
}

/* Calls of this connection are passed over from now on. Not in shared memory: another process may end the object. */
CT_INLINE void set_apart(const struct key *k) {
  if (k->tgid == 0) return;
  struct alias *a = bpf_map_lookup_elem(&aliases, k);
  struct alias fresh = {.real = *k, .passes = APART_CALLS};
  if (a)
    a->passes = APART_CALLS;
  else if (!has_find_vma) /* else it could not be looked up: it may be shared */
    bpf_map_update_elem(&aliases, k, &fresh, BPF_NOEXIST);
}

CT_INLINE void look_again(const struct key *k) {
  struct alias *a = bpf_map_lookup_elem(&aliases, k);
  if (a) a->passes = 0;
}

/* 1 when the call is passed over. */
CT_CALL int enter_apart(struct pt_regs *ctx, u8 op) {
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  const struct process *p = is_read(op) | is_write(op) ? bpf_map_lookup_elem(&processes, &tgid) : NULL;
  if (!p) return 0;
  struct key k = {.object = PT_REGS_PARM1(ctx), .tgid = tgid, .epoch = p->epoch};
  struct alias *a = bpf_map_lookup_elem(&aliases, &k);
  u32 passes = a ? a->passes : 0;
  struct thread *th = passes ? bpf_map_lookup_elem(&threads, &id) : NULL;
  if (!th || !th->is_met) return 0;
  a->passes = passes - 1;
  th->apart.sp = PT_REGS_SP(ctx);
  th->apart.back = return_address(ctx);
  th->apart.out = out_of(op, ctx);
  th->apart.op = op;
  th->apart.in_call = th->apart.is_over = 0;
  return 1;
}

/* 1 when it was the return of a call that is passed over. */
CT_CALL int leave_apart(u64 id, u64 sp, u64 ret) {
  static const struct key nobody;
  struct thread *th = bpf_map_lookup_elem(&threads, &id);
  if (!th || th->apart.sp != sp) return 0;
  u32 written = is_write(th->apart.op), in_call = th->apart.in_call;
  s64 moved = moved_by(th->apart.op, th->apart.out, ret);
  u64 n = moved > 0 ? moved : 0;
  th->apart.sp = 0;
  ct_count(n ? CT_TLS_N_FILTERED : CT_TLS_N_NO_PLAINTEXT, 1);
  if (n) ct_count(CT_TLS_N_FILTERED_BYTES, n);
  /* What was received before it was its own, and so is what is sent next. */
  if (!written && !in_call && th->rx_conn == 0 && !th->rx_in_call) th->rx_conn = APART_ID;
  note_pending(th, &nobody, APART_ID, in_call, written, n);
  return 1;
}

#endif
