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

/* The word after `base`, from 1, where the random of the ClientHello of the likely address lies; 0 when it is not there. */
CT_GLOBAL int ct_seek_random(u64 pid_tgid, u64 base) {
  const struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  const struct conn *c = th ? bpf_map_lookup_elem(&conns, &th->call.key) : NULL;
  struct hello k = {.tgid = pid_tgid >> 32};
  if (!c) return 0;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < RANDOM_WORDS; i++) {
    if (bpf_probe_read_user(k.random, sizeof k.random, (const void *)(base + 8 * i))) return 0;
    const struct tuple *t = bpf_map_lookup_elem(&hellos, &k);
    if (t && t->family && same_tuple(t, &c->t)) return i + 1;
  }
  return 0;
}

/* Looks for the place of the random in the object of the thread's call. */
CT_GLOBAL int ct_learn_place(u64 pid_tgid) {
  const struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  u32 row = th->call.proof & (CT_TLS_PROOFS - 1), hop = 0, word = 0;
  u64 object = th->call.key.object, base = object;
  /* The smallest distance: what an allocator puts behind a small piece of memory is not a part of it. */
#pragma clang loop unroll(disable)
  for (u32 i = 0; i <= OBJECT_WORDS; i++) {
    u32 found = base > 4096 ? ct_seek_random(pid_tgid, base) : 0;
    if (found && (!word || found < word)) {
      word = found;
      hop = i;
    }
    if (bpf_probe_read_user(&base, sizeof base, (const void *)(object + 8 * i))) break;
  }
  struct ct_tls_proof *p = bpf_map_lookup_elem(&proofs, &row);
  if (!p || !word) return 0;
  if (p->hop == hop && p->word == word) {
    p->places++;
  } else {
    p->hop = hop;
    p->word = word;
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
