/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_object.h - which connection an object of a library without names is of, by the ClientHello's random in it.
 *
 * Threads that encrypt for each other leave no other proof, and where SSL_new and SSL_free are not known nothing else says
 * that an object is of another connection now. The random lies in the object, or in what one of its pointers leads to; where
 * is learned from connections whose address is likely already, once for each function under proof.
 */
#ifndef CALLTAP_TLS_OBJECT_H
#define CALLTAP_TLS_OBJECT_H
#include "tls_tuple.h"

#define OBJECT_WORDS 32 /* looked at for pointers */
#define RANDOM_WORDS 64 /* of the object, and after each pointer, looked at for the random */
#define LEARNED 3u      /* connections that must have it at the same place */

/* Whether the random of the ClientHello of the likely address lies there; negative when the memory cannot be read. */
CT_GLOBAL int ct_is_random_at(u64 pid_tgid, u64 address) {
  const struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  const struct conn *c = th ? bpf_map_lookup_elem(&conns, &th->call.key) : NULL;
  struct hello k = {.tgid = pid_tgid >> 32};
  if (!c || bpf_probe_read_user(k.random, sizeof k.random, (const void *)address)) return -1;
  const struct tuple *t = bpf_map_lookup_elem(&hellos, &k);
  return t && t->family && same_tuple(t, &c->t);
}

/* Looks after one pointer of the object of the thread's call, from 1; 0 is the object itself. The smallest distance counts:
 * what an allocator puts behind a small piece of memory is not a part of it. */
CT_GLOBAL int ct_seek_after(u64 pid_tgid, u32 hop) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  u64 base = th->call.key.object;
  if (hop && bpf_probe_read_user(&base, sizeof base, (const void *)(base + 8 * (hop - 1)))) return 0;
  if (base < 4096) return 0;
  u32 word = 0;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < RANDOM_WORDS; i++) {
    int is_there = ct_is_random_at(pid_tgid, base + 8 * i);
    if (is_there) {
      word = is_there > 0 ? i + 1 : 0;
      break;
    }
  }
  if (word && (!th->place_word || word < th->place_word)) {
    th->place_word = word;
    th->place_hop = hop;
  }
  return 0;
}

/* Looks for the place of the random in the object of the thread's call. */
CT_GLOBAL int ct_learn_place(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  u32 row = th->call.proof & (CT_TLS_PROOFS - 1);
  th->place_word = 0;
#pragma clang loop unroll(disable)
  for (u32 hop = 0; hop <= OBJECT_WORDS; hop++) ct_seek_after(pid_tgid, hop);
  struct ct_tls_proof *p = bpf_map_lookup_elem(&proofs, &row);
  if (!p || !th->place_word) return 0;
  if (p->hop == th->place_hop && p->word == th->place_word) {
    p->places++;
  } else {
    p->hop = th->place_hop;
    p->word = th->place_word;
    p->places = 1;
  }
  return 0;
}

/* The random at the place that was learned; 0 when there is none. */
CT_INLINE int read_random(const struct ct_tls_proof *p, u64 object, struct hello *k) {
  if (p->hop && bpf_probe_read_user(&object, sizeof object, (const void *)(object + 8 * (p->hop - 1))))
    return 0;
  if (bpf_probe_read_user(k->random, sizeof k->random, (const void *)(object + 8 * (p->word - 1)))) return 0;
  return (k->random[0] | k->random[1]) != 0;
}

/* The object of the thread's call: whether it is of another connection now, and of which. */
CT_GLOBAL int ct_prove_object(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  const struct call *x = &th->call;
  u32 row = x->proof & (CT_TLS_PROOFS - 1), owner = x->key.tgid;
  const struct ct_tls_proof *p = bpf_map_lookup_elem(&proofs, &row);
  struct conn *c = conn_of(&x->key);
  if (!p || !c || !owner || x->moved <= 0) return 0;
  if (p->places < LEARNED) {
    u32 way = is_write(x->op) ? 2 : 1;
    if (c->agreed < 2 || (c->sought & way)) return 0;
    c->sought |= way;
    ct_learn_place(pid_tgid);
    return 0;
  }
  struct hello k = {.tgid = owner};
  if (!read_random(p, x->key.object, &k)) return 0;
  if (k.random[0] == c->random[0] && k.random[1] == c->random[1]) return 0;
  const struct tuple *t = bpf_map_lookup_elem(&hellos, &k);
  u32 is_known = t && t->family;
  /* Another connection, unless it is the first look at one whose likely address was right. */
  if ((c->random[0] | c->random[1]) || (is_known && c->evidence && !same_tuple(t, &c->t))) {
    if (is_told(c)) notify(c, CT_TLS_EV_CLOSE, owner);
    begin_conn(c);
    c->evidence = c->strong = 0;
  }
  c->random[0] = k.random[0];
  c->random[1] = k.random[1];
  if (!is_known) return 0;
  c->t = *t;
  c->evidence = CT_TLS_BY_HELLO;
  ct_count(CT_TLS_N_BOUND_HELLO, 1);
  become_strong(c, owner);
  return 0;
}

#endif
