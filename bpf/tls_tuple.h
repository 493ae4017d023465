/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_tuple.h - finds the addresses of a TLS connection from what its thread does on sockets, without looking
 * into the library.
 *
 * Only bytes that begin with a TLS record are evidence (tls_record.h), and those that cannot be seen. An address is
 * strong when the record's length is that of the plaintext and what TLS adds. Inside the SSL call one record proves
 * it. Around the call, in front of a read or after a write, the socket call might be of another connection whose
 * message is as long: there the socket calls before it must have agreed, in a process whose threads are not seen to
 * receive or send for each other. Weak evidence never replaces strong.
 */
#ifndef CALLTAP_TLS_TUPLE_H
#define CALLTAP_TLS_TUPLE_H
#include "tls_emit.h"
#include "tls_frames.h"
#include "tls_hello.h"
#include "tls_proof.h"
#include "tls_record.h"

#define WEAK_CONTRARY 3u /* so many in a row replace what was only likely */
/* Socket calls in a row that must agree before one around an SSL call proves anything. */
#define AGREED 3u
/* A worker may encrypt what another thread sends, and send for a third; messages of equal length then agree by chance.
 * A process is believed when so many socket calls in a row agreed; each sign of such work asks for four times as many. A
 * connection that is alone cannot be taken for another: once there are several, only turns from one to the next count. */
#define BELIEVED 64u
#define OF_TURN 2u /* a turn counts as much as a message and its answer */
#define SIGNS_MAX 4u
#define RECORD_SMALL 512u /* a library may cut plaintext into records of this (RFC 6066 s4), not of less */

/* 0 when there is no usable address: after a reset the kernel clears the port, and what is left is wrong. */
CT_INLINE int tuple_of(struct sock *sk, struct tuple *t) {
  __builtin_memset(t, 0, sizeof *t);
  u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
  if (family == AF_INET) {
    t->family = 4;
    *(u32 *)t->laddr = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
    *(u32 *)t->raddr = BPF_CORE_READ(sk, __sk_common.skc_daddr);
  } else if (family == AF_INET6) {
    u32 a[4], b[4];
    BPF_CORE_READ_INTO(&a, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32);
    BPF_CORE_READ_INTO(&b, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr32);
    if ((b[0] | b[1]) == 0 && b[2] == bpf_htonl(0xffff)) { /* IPv4 through an IPv6 socket */
      t->family = 4;
      *(u32 *)t->laddr = a[3];
      *(u32 *)t->raddr = b[3];
    } else {
      t->family = 6;
      __builtin_memcpy(t->laddr, a, 16);
      __builtin_memcpy(t->raddr, b, 16);
    }
  } else {
    return 0;
  }
  t->lport = BPF_CORE_READ(sk, __sk_common.skc_num);
  t->rport = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
  t->netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
  return t->lport != 0 && t->rport != 0;
}

CT_INLINE struct process *this_process(void) {
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  return bpf_map_lookup_elem(&processes, &tgid);
}

/* A thread left to others what it received or encrypted, or what it did around its calls contradicts itself. */
CT_INLINE void doubt_process(void) {
  struct process *p = this_process();
  if (!p) return;
  p->agreed = 0;
  if (p->signs < SIGNS_MAX) p->signs++;
}

CT_INLINE void note_agreed(struct conn *c, const struct seen *s) {
  struct process *p = this_process();
  c->contrary = 0;
  if (c->agreed < 255) c->agreed++;
  if (!p || s->grade != GRADE_FITS) return;
  u32 is_turn = p->spoke && p->spoke != c->id;
  if (is_turn && !p->many) {
    p->many = 1;
    p->agreed = 0;
  }
  p->spoke = c->id;
  if (p->agreed < 65535 - OF_TURN) p->agreed += is_turn ? OF_TURN : !p->many;
}

/* Whether `grade` proves an address that stands. */
CT_CALL int is_proof(const struct conn *c, u32 grade) {
  if (!c) return 0;
  if (grade != GRADE_FITS) return grade == GRADE_PROOF;
  if (c->proof & CT_TLS_PROOF_ENDLESS) return 0;
  const struct process *p = this_process();
  return p && c->agreed >= AGREED && p->agreed >= BELIEVED << 2 * p->signs;
}

CT_CALL int become_strong(struct conn *c, u32 owner) {
  if (!c || c->strong) return 0;
  c->strong = 1;
  /* Who waits for the proof need not wait for more plaintext. */
  if (c->owed) notify(c, CT_TLS_EV_BIND, owner);
  c->owed = 0;
  return 0;
}

/* Another address spoke. 1 when it takes the place of the one that stands. */
CT_INLINE int gives_way(struct conn *c, const struct seen *s, u32 owner) {
  ct_count(CT_TLS_N_CONTRARY, 1);
  c->contrary++;
  if (s->grade != GRADE_PROOF) {
    c->agreed = 0;
    if (s->grade == GRADE_FITS || s->evidence == CT_TLS_RX_BEFORE) doubt_process();
    if (s->grade == GRADE_FITS && c->strong && c->evidence != CT_TLS_IN_CALL) {
      ct_count(CT_TLS_N_DOUBTED, 1);
      c->strong = 0;
    }
    if (c->strong || c->contrary < WEAK_CONTRARY) return 0;
  }
  if (c->strong) {
    ct_count(CT_TLS_N_REBOUND, 1);
    if (is_told(c)) notify(c, CT_TLS_EV_CLOSE, owner);
    begin_conn(c);
  } else {
    ct_count(CT_TLS_N_CORRECTED, 1);
  }
  return 1;
}

/* Weighs one piece of evidence for the object `k`. */
CT_CALL int weigh(const struct key *k, const struct seen *s) {
  if (!k || !s) return 0;
  struct conn *c = conn_of(k);
  if (!c || c->evidence == CT_TLS_BY_HELLO) return 0;
  if (c->evidence) {
    if (same_tuple(&c->t, &s->t)) {
      note_agreed(c, s);
      if (!c->strong && is_proof(c, s->grade)) become_strong(c, k->tgid);
      return 0;
    }
    if (!gives_way(c, s, k->tgid)) return 0;
  }
  c->t = s->t;
  c->evidence = s->evidence;
  c->strong = s->grade == GRADE_PROOF;
  c->agreed = 1;
  c->contrary = 0;
  c->rx_record = 0;
  c->owed = 0;
  ct_count(CT_TLS_N_BOUND_IN_CALL - CT_TLS_IN_CALL + c->evidence, 1);
  /* Later plaintext carries the address itself. */
  if (is_told(c)) notify(c, CT_TLS_EV_BIND, k->tgid);
  return 0;
}

/* Notes what was received, for the read that takes it. */
CT_INLINE void note_received(struct thread *th, u32 in_call) {
  u32 is_waiting = th->rx_valid && th->rx_conn == 0;
  /* On the same socket a header was read alone, and the next: the last is the one whose plaintext comes. */
  if (!is_waiting || !same_tuple(&th->rx.t, &th->now.t)) th->rx_mixed = is_waiting && !in_call;
  if (th->rx_mixed && th->call.key.object) doubt_process(); /* of a thread that decrypts */
  th->rx = th->now;
  th->rx.evidence = in_call ? CT_TLS_IN_CALL : CT_TLS_RX_BEFORE;
  th->rx_conn = 0;
  th->rx_in_call = in_call;
  th->rx_valid = 1;
  th->rx_read = th->rx_parts = 0;
}

/* Something was sent after a write that sent nothing itself. */
CT_INLINE void weigh_sent(struct thread *th) {
  const struct conn *c = bpf_map_lookup_elem(&conns, &th->tx_key);
  u64 first = th->tx_plain < CT_TLS_CHUNK ? th->tx_plain : CT_TLS_CHUNK;
  if (th->tx_proof) ct_prove_sent(bpf_get_current_pid_tgid());
  th->now.evidence = CT_TLS_TX_AFTER;
  th->now.grade = GRADE_WEAK;
  if (first && !one_fits(&th->now.records, first))
    ct_count(CT_TLS_N_SIZE_MISFIT, 1);
  else if (first && !th->tx_mixed)
    th->now.grade = GRADE_FITS;
  /* Not for an object that was freed or made again since. */
  if (c && c->id == th->tx_conn) weigh(&th->tx_key, &th->now);
  th->tx_conn = 0;
  th->tx_plain = 0;
  th->tx_mixed = 0;
}

/* Sent inside an SSL call: what is written there goes out there. */
CT_INLINE void weigh_sent_inside(struct thread *th, const struct frame *f) {
  u64 least = f->len < RECORD_SMALL ? f->len : RECORD_SMALL;
  u32 length = th->now.records.length[0];
  th->now.evidence = CT_TLS_IN_CALL;
  th->now.grade = GRADE_WEAK;
  if (is_write(f->op) && f->len && length >= least + RECORD_ADDS_MIN && length <= f->len + RECORD_ADDS_MAX)
    th->now.grade = GRADE_PROOF;
  if (f->proof && is_write(f->op)) note_sent(th, f->len);
  weigh(&f->key, &th->now);
}

/* Who makes a socket call, and where its program stands: its stack pointer, and its goroutine if it is one of Go. */
struct standing {
  const struct process *p;
  u64 sp, g;
};

/* The call into a TLS library that a socket call lies in. `id`: of the thread; of the goroutine when it is its call. */
CT_INLINE struct frame *any_call_around(u64 *id, const struct standing *at) {
  const struct process *p = at->p;
  struct frame *f = p->runs & RUNS_GO ? call_around_go(p, id, at->g, at->sp) : NULL;
  return f || !(p->runs & RUNS_C) ? f : call_around(p, *id, at->sp);
}

/* Whether a socket call lies in the thread's call of a connection that is told apart, and in none that began inside that. */
CT_INLINE int lies_apart(struct thread *th, const struct process *p, u64 id, u64 sp) {
  struct apart *a = &th->apart;
  if (a->sp == 0 || a->sp - sp >= PAGES_ABOVE << STACK_PAGE_SHIFT || is_left(a->sp, a->back)) return 0;
  const struct frame *f = a->is_over ? call_around(p, id, sp) : NULL;
  if (f && f->sp < a->sp) return 0;
  a->in_call = 1;
  return 1;
}

/* A socket call of `bytes` > 0 on a stream has ended on this thread; `regs` are those of its system call. */
CT_CALL int socket_call(struct sock *sk, u32 bytes, u32 is_send, const struct pt_regs *regs,
                        const struct standing *at) {
  const struct process *p = at ? at->p : NULL;
  if (!p) return 0;
  u64 id = bpf_get_current_pid_tgid();
  struct thread *th = bpf_map_lookup_elem(&threads, &id);
  if (th && lies_apart(th, p, id, at->sp)) return 0;
  ct_count(CT_TLS_N_SOCKET_CALLS, 1);
  const struct frame *f = any_call_around(&id, at);
  /* What a goroutine does outside of its calls says nothing of them. */
  if (!f && !(p->runs & RUNS_C)) return 0;
  const struct conn *c = f ? bpf_map_lookup_elem(&conns, &f->key) : NULL;
  if (c && c->evidence == CT_TLS_BY_FD) return 0;
  th = thread_of(id);
  if (!th || !tuple_of(sk, &th->now.t)) return 0;
  if (f) {
    if (c && c->strong && same_tuple(&c->t, &th->now.t) && ct_proof_state(f->proof) == CT_TLS_PROVEN)
      return 0;
  } else if (is_send && !th->tx_conn && !has_proofs) {
    return 0;
  }
  read_records(regs, bytes, &th->now.records);
  if (has_proofs) ct_note_hello(id);
  if (th->now.records.shape == SHAPE_OTHER)
    ct_count(CT_TLS_N_NOT_TLS, 1);
  else if (!is_send)
    note_received(th, f != NULL);
  else if (f && (is_write(f->op) || th->tx_plain == 0))
    weigh_sent_inside(th, f);
  else if (th->tx_conn)
    weigh_sent(th);
  return 0;
}

/* A read took what had been received; `n` bytes of plaintext came of it, or none. */
CT_INLINE void weigh_received(struct thread *th, const struct call *x, struct conn *c, u64 n) {
  th->rx.grade = GRADE_WEAK;
  if (n && !th->rx_mixed && one_fits(&th->rx.records, n))
    th->rx.grade = th->rx_in_call ? GRADE_PROOF : GRADE_FITS;
  if (th->rx_conn) { /* one more record of the same socket call */
    if (same_tuple(&c->t, &th->rx.t) && is_proof(c, th->rx.grade)) become_strong(c, x->key.tgid);
    return;
  }
  weigh(&x->key, &th->rx);
  th->rx_conn = c->id; /* after weighing: it may be another connection now */
  if (c->strong || th->rx.grade || th->rx_mixed || !same_tuple(&c->t, &th->rx.t)) return;
  /* Half a record, or half of it read: the rest comes with another socket call, or with none. */
  c->rx_record = th->rx.records.last;
  c->rx_plain = n;
  c->rx_in_call = th->rx_in_call;
}

/* What a call leaves to the next send of its thread: what it encrypted, unless a socket call was seen inside it. `id`: of its
 * connection, whose name is `k`. */
CT_INLINE void note_pending(struct thread *th, const struct key *k, u64 id, u32 in_call, u32 written, u64 n) {
  if (in_call) {
    th->tx_conn = 0;
    th->tx_plain = 0;
    th->rx_valid = 0;
  } else if (written || n == 0) {
    if (th->tx_conn != id) {
      th->tx_mixed = th->tx_conn && th->tx_plain;
      if (th->tx_mixed) doubt_process();
      th->tx_plain = 0;
    }
    th->tx_key = *k;
    th->tx_conn = id;
    if (written && th->tx_plain == 0) th->tx_plain = n;
  }
}

/* What the thread did around its call, and what it received inside it. A handshake is a call that moved nothing. */
CT_GLOBAL int ct_weigh_around(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  const struct call *x = &th->call;
  struct conn *c = conn_of(&x->key);
  if (!c) return 0;
  c->library = x->library;
  if (x->proof) c->proof = x->proof;
  u32 in_call = x->in_call;
  /* The object may be of another connection since: only what is sent or received inside the call itself says so. */
  if (!in_call && (x->proof & CT_TLS_PROOF_ENDLESS) && c->evidence != CT_TLS_BY_HELLO) c->strong = 0;
  u64 n = x->moved > 0 ? x->moved : 0;
  u32 record = c->rx_record;
  if (!is_write(x->op)) {
    if (x->op == CT_TLS_OP_HANDSHAKE) n = 0;
    if (n && record && !c->strong) {
      c->rx_plain += n;
      if (fits(record, c->rx_plain) && is_proof(c, c->rx_in_call ? GRADE_PROOF : GRADE_FITS))
        become_strong(c, x->key.tgid);
      if (c->rx_plain + RECORD_ADDS_MIN >= record) c->rx_record = 0;
    }
    if (th->rx_valid && (th->rx_conn == 0 || th->rx_conn == c->id) && th->rx_in_call == in_call)
      weigh_received(th, x, c, n);
  }
  note_pending(th, &x->key, c->id, in_call, is_write(x->op), n);
  return 0;
}

#endif
