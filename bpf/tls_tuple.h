/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_tuple.h - finds the addresses of a TLS connection from what its thread does on sockets, without looking
 * into the library.
 *
 * Evidence has a weight. A socket call inside the SSL call, a receive in front of a read, a send behind a
 * write: each is strong only when the direction fits and the byte counts fit what TLS adds to plaintext.
 * Weak evidence never replaces strong; strong replaces weak; strong against strong is another connection.
 */
#ifndef CALLTAP_TLS_TUPLE_H
#define CALLTAP_TLS_TUPLE_H
#include "tls_emit.h"
#include "tls_frames.h"

/* Bytes a TLS record adds: header 5, then type byte and tag, or IV, MAC and padding. */
#define RECORD_MIN 17u
#define RECORD_MAX 96u
#define RECORD_HEADER 5
#define WEAK_CONTRARY 3u /* so many in a row replace what was only likely */

#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1

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

CT_INLINE int same_tuple(const struct tuple *a, const struct tuple *b) {
  const u64 *x = (const u64 *)a, *y = (const u64 *)b;
  u64 differ = 0;
#pragma unroll
  for (u32 i = 0; i < sizeof(struct tuple) / 8; i++) differ |= x[i] ^ y[i];
  return differ == 0;
}

/* Weighs one piece of evidence for the object `k`. */
CT_CALL int weigh(const struct key *k, const struct tuple *t, u32 evidence, u32 strong) {
  if (!k || !t) return 0;
  struct conn *c = conn_of(k);
  if (!c) return 0;
  u32 is_shared = k->tgid == 0;
  if (c->evidence) {
    if (same_tuple(&c->t, t)) {
      c->contrary = 0;
      if (strong) c->strong = 1;
      return 0;
    }
    count(CT_TLS_N_CONTRARY, 1);
    c->contrary++;
    if (!strong && (c->strong || c->contrary < WEAK_CONTRARY)) return 0;
    if (c->strong) {
      count(CT_TLS_N_REBOUND, 1);
      if (is_told(c)) notify(c, CT_TLS_EV_CLOSE, is_shared);
      begin_conn(c);
    } else {
      count(CT_TLS_N_CORRECTED, 1);
    }
  }
  c->t = *t;
  c->evidence = evidence;
  c->strong = strong;
  c->contrary = 0;
  count(evidence == CT_TLS_IN_CALL     ? CT_TLS_N_BOUND_IN_CALL
        : evidence == CT_TLS_RX_BEFORE ? CT_TLS_N_BOUND_RX
                                       : CT_TLS_N_BOUND_TX,
        1);
  /* Later plaintext carries the address itself. */
  if (is_told(c)) notify(c, CT_TLS_EV_BIND, is_shared);
  return 0;
}

CT_INLINE int is_read(u8 op) {
  return op == CT_TLS_OP_READ || op == CT_TLS_OP_READ_LONG || op == CT_TLS_OP_READ_EX;
}
CT_INLINE int is_write(u8 op) {
  return op == CT_TLS_OP_WRITE || op == CT_TLS_OP_WRITE_LONG || op == CT_TLS_OP_WRITE_EX ||
         op == CT_TLS_OP_WRITE_EX2;
}

/* A socket call of `bytes` > 0 has ended on this thread, whose program stands at `sp`. */
CT_CALL int socket_call(struct sock *sk, u32 bytes, u32 is_send, u64 sp) {
  u64 id = bpf_get_current_pid_tgid();
  u32 tgid = id >> 32;
  /* Datagrams are most of the traffic of a voice server: they cost one look at the socket. */
  if (BPF_CORE_READ(sk, sk_type) != SOCK_STREAM) return 0;
  const struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  if (!p) return 0;
  struct tuple t;
  if (!tuple_of(sk, &t)) return 0;
  count(CT_TLS_N_SOCKET_CALLS, 1);
  struct frame *f = call_around(p, id, sp, reads_exits);
  if (f && (is_read(f->op) || is_write(f->op))) {
    u32 strong = 0;
    if (is_send)
      strong = is_write(f->op) && f->len && bytes >= RECORD_MIN + RECORD_HEADER;
    else
      strong = is_read(f->op) && (bytes == RECORD_HEADER || bytes > RECORD_MIN);
    weigh(&f->key, &t, CT_TLS_IN_CALL, strong);
    return 0;
  }
  struct thread *th = thread_of(id);
  if (!th) return 0;
  if (!is_send) {
    th->rx = t;
    th->rx_bytes = bytes;
    th->rx_conn = 0;
    th->rx_valid = 1;
  } else if (th->tx_conn) {
    const struct conn *c = bpf_map_lookup_elem(&conns, &th->tx_key);
    u64 plain = th->tx_plain, added = bytes - plain;
    u32 strong = plain && bytes > plain && added >= (u64)RECORD_MIN * th->tx_records &&
                 added <= (u64)RECORD_MAX * th->tx_records;
    if (plain && !strong) count(CT_TLS_N_SIZE_MISFIT, 1);
    /* Not for an object that was freed or made anew since. */
    if (c && c->id == th->tx_conn) weigh(&th->tx_key, &t, CT_TLS_TX_AFTER, strong);
    th->tx_conn = 0;
    th->tx_plain = 0;
    th->tx_records = 0;
  }
  return 0;
}

/* What the thread did around a call that made no socket call itself. */
CT_CALL int weigh_around(struct thread *th, const struct frame *f, const struct conn *c) {
  if (!th || !f || !c) return 0;
  s64 n = f->moved;
  u32 handshake = f->op == CT_TLS_OP_HANDSHAKE, written = is_write(f->op);
  if (!written && th->rx_valid && (th->rx_conn == 0 || th->rx_conn == c->id)) {
    u32 added = th->rx_bytes - (u32)n;
    u32 strong =
        !handshake && n > 0 && th->rx_bytes > n && added >= RECORD_MIN && added <= RECORD_MAX + (u32)n / 64;
    weigh(&f->key, &th->rx, CT_TLS_RX_BEFORE, strong);
    th->rx_conn = c->id; /* after weighing: it may be another connection now */
  }
  if (written || handshake || n <= 0) {
    if (th->tx_conn != c->id) {
      th->tx_plain = 0;
      th->tx_records = 0;
    }
    th->tx_key = f->key;
    th->tx_conn = c->id;
    if (written && n > 0) {
      th->tx_plain += n;
      th->tx_records += 1 + (u32)n / CT_TLS_CHUNK;
    }
  }
  return 0;
}

#endif
