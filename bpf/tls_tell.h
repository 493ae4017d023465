/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_tell.h - tells of a call that has returned, and forgets an object that has ended.
 */
#ifndef CALLTAP_TLS_TELL_H
#define CALLTAP_TLS_TELL_H
#include "tls_filter.h"
#include "tls_object.h"

CT_CALL int forget(u64 object, u32 tgid, u32 epoch) {
  struct key k = {.object = object, .tgid = tgid, .epoch = epoch}, alias = k;
  canonical(&k);
  const struct conn *c = bpf_map_lookup_elem(&conns, &k);
  if (c && c->id) {
    if (is_told(c)) notify(c, CT_TLS_EV_CLOSE, k.tgid);
    ct_count(CT_TLS_N_CLOSED, 1);
    /* The next may be alone as it was. */
    struct process *p = bpf_map_lookup_elem(&processes, &tgid);
    if (p && p->spoke == c->id) p->spoke = 0;
    bpf_map_delete_elem(&conns, &k);
  }
  /* The address may lie in other memory the next time. */
  bpf_map_delete_elem(&aliases, &alias);
  return 0;
}

/* The plaintext of the thread's call. */
CT_GLOBAL int ct_tell(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  struct conn *c = conn_of_call(th);
  struct call *x = &th->call;
  if (!c) return 0;
  if (x->moved <= 0) {
    ct_count(CT_TLS_N_NO_PLAINTEXT, 1);
    return 0;
  }
  u64 n = (u64)x->moved;
  u32 written = is_write(x->op);
  /* A library that says more than was asked for must not make us read on. Writing on from nothing is GnuTLS
   * repeating an interrupted call. */
  if (n > x->len) n = written && x->buf == 0 ? n & 0x7fffffff : x->len;
  if (n == 0) return 0;
  if (n > 0x7fffffff) n = 0x7fffffff;
  if (!written) x->ts = bpf_ktime_get_ns();
  x->stream_off = written ? c->tx_off : c->rx_off;
  x->total = x->limit = (u32)n;
  x->done = x->events = 0;
  x->flags = (written ? CT_TLS_F_WRITTEN : 0) | (x->key.tgid == 0 ? CT_TLS_F_SHARED : 0);
  x->wake = 0;
  if (written)
    c->tx_off += n;
  else
    c->rx_off += n;
  ct_deliver(pid_tgid);
  return 0;
}

#endif
