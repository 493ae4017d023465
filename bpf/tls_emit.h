/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_emit.h - hands events to the agent: bind and close notices, plaintext in chunks of a size class.
 *
 * A reservation must have a constant size, so there is one for each of four classes: small SIP does not
 * exhaust the ring, and nothing is copied through a scratch buffer that a preempting task could share.
 */
#ifndef CALLTAP_TLS_EMIT_H
#define CALLTAP_TLS_EMIT_H
#include "tls_share.h"

/* The agent is about to hear of this connection, and so of its process. */
CT_INLINE void tell(struct conn *c) {
  if (c->told) return;
  c->told = 1;
  u32 tgid = bpf_get_current_pid_tgid() >> 32;
  struct process *p = bpf_map_lookup_elem(&processes, &tgid);
  if (p) p->told = 1;
}

/* Notices of what the agent never heard of would tell it nothing. With nothing filtered it hears of all. */
CT_INLINE int is_told(const struct conn *c) { return !sip_only || c->told; }

/* Waking costs more than all the rest, and the observed program pays: once a wait at most. The reader looks every
 * few ms while there is traffic, so that a wake-up that two processors leave to each other is made up for. */
CT_INLINE u64 wake_flags(void) {
  u32 reader = reader_waits;
  if (reader == READER_AWAKE) return BPF_RB_NO_WAKEUP;
  if (reader == READER_NAPS && bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < wake_at) return BPF_RB_NO_WAKEUP;
  reader_waits = READER_AWAKE;
  return BPF_RB_FORCE_WAKEUP;
}

CT_INLINE void put_header(struct ct_tls_event *e, const struct conn *c, u8 kind, u16 flags) {
  u64 id = bpf_get_current_pid_tgid();
  e->ts_ns = bpf_ktime_get_ns();
  e->conn = c->id;
  e->stream_off = 0;
  e->pid = id >> 32;
  e->tid = (u32)id;
  e->call_len = e->chunk_len = 0;
  e->flags = flags | (c->evidence && !c->strong ? CT_TLS_F_WEAK : 0);
  e->kind = kind;
  e->library = c->library;
  e->lport = c->t.lport;
  e->rport = c->t.rport;
  e->family = c->evidence ? c->t.family : 0;
  e->evidence = c->evidence;
  e->proof = c->proof & (CT_TLS_PROOFS - 1);
  e->netns = c->t.netns;
  __builtin_memcpy(e->laddr, c->t.laddr, 16);
  __builtin_memcpy(e->raddr, c->t.raddr, 16);
}

/* A bind or a close. `owner` is the process of its key: 0 when the memory is shared. */
CT_CALL int notify(const struct conn *c, u32 kind, u32 owner) {
  if (!c) return 0;
  struct ct_tls_event *e = RESERVE(sizeof *e);
  if (!e) {
    ct_count(CT_TLS_N_LOST_NOTICES, 1);
    return 0;
  }
  ct_took(sizeof *e);
  put_header(e, c, kind, owner == 0 ? CT_TLS_F_SHARED : 0);
  bpf_ringbuf_submit(e, wake_flags());
  return 0;
}

CT_INLINE void put_data(struct ct_tls_event *e, const struct conn *c, const struct call *x, u32 at, u32 n) {
  u16 flags = x->flags;
  if (at + n == x->limit) flags |= CT_TLS_F_LAST;
  if (at + n == x->limit && x->limit < x->total) flags |= CT_TLS_F_TRUNCATED;
  put_header(e, c, CT_TLS_EV_DATA, flags);
  e->ts_ns = x->ts;
  e->stream_off = x->stream_off + at;
  e->call_len = x->total;
  e->chunk_len = n;
  if (e->family == 0) ct_count(CT_TLS_N_UNBOUND, 1);
}

/* The plaintext after the header; memory that is gone is said, not made up. */
#define EMIT_CLASS(SIZE)                                                                                     \
  if (n <= SIZE) {                                                                                           \
    e = RESERVE(sizeof *e + SIZE);                                                                           \
    if (!e) return 0;                                                                                        \
    ct_took(sizeof *e + SIZE);                                                                               \
    put_data(e, c, x, at, n);                                                                                \
    u64 size = n;                                                                                            \
    asm volatile("" : "+r"(size)); /* clang would drop the check that the verifier needs */                  \
    if (size > SIZE) size = SIZE;                                                                            \
    if (bpf_probe_read_user((u8 *)e + sizeof *e, size, src)) {                                               \
      e->flags |= CT_TLS_F_FAULT;                                                                            \
      e->chunk_len = 0;                                                                                      \
      ct_count(CT_TLS_N_FAULTS, 1);                                                                          \
    }                                                                                                        \
    bpf_ringbuf_submit(e, x->wake ? BPF_RB_FORCE_WAKEUP : wake_flags());                                     \
    return 1;                                                                                                \
  }

/* What the thread's call is of; NULL when the table has lost it. */
CT_INLINE struct conn *conn_of_call(const struct thread *th) {
  return bpf_map_lookup_elem(&conns, &th->call.key);
}

/* 1 when it is in the ring. */
CT_GLOBAL int ct_emit_chunk(u64 pid_tgid, u32 at) {
  const struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  const struct call *x = &th->call;
  const struct conn *c = conn_of_call(th);
  if (!c) return 0;
  u32 n = x->limit - at;
  if (n > CT_TLS_CHUNK) n = CT_TLS_CHUNK;
  const void *src = (const void *)(x->buf + at);
  struct ct_tls_event *e;
  EMIT_CLASS(256)
  EMIT_CLASS(1024)
  EMIT_CLASS(4096)
  EMIT_CLASS(CT_TLS_CHUNK)
  return 0;
}

/* Plaintext whose memory is not known (GnuTLS sends on from its own copy): its place in the stream is kept. */
CT_CALL int emit_unreadable(const struct conn *c, const struct call *x) {
  if (!c || !x) return 0;
  struct ct_tls_event *e = RESERVE(sizeof *e);
  if (!e) return 0;
  ct_took(sizeof *e);
  put_data(e, c, x, 0, x->total);
  e->flags |= CT_TLS_F_FAULT | CT_TLS_F_LAST;
  e->chunk_len = 0;
  ct_count(CT_TLS_N_FAULTS, 1);
  bpf_ringbuf_submit(e, wake_flags());
  return 1;
}

/* Bytes of earlier calls that stand in front of this one. */
CT_CALL int emit_held(const struct conn *c, const struct call *x, u32 written) {
  if (!c || !x) return 0;
  written &= 1;
  u32 n = c->held[written];
  ct_count(CT_TLS_N_BYTES, n);
  ct_count(CT_TLS_N_EVENTS, 1);
  struct ct_tls_event *e = RESERVE(sizeof *e + HELD);
  if (!e) {
    ct_count(CT_TLS_N_LOST_EVENTS, 1);
    ct_count(CT_TLS_N_LOST_BYTES, n);
    return 0;
  }
  ct_took(sizeof *e + HELD);
  put_header(e, c, CT_TLS_EV_DATA, x->flags | CT_TLS_F_LAST);
  e->ts_ns = x->ts;
  e->stream_off = x->stream_off - n;
  e->call_len = e->chunk_len = n;
  if (e->family == 0) ct_count(CT_TLS_N_UNBOUND, 1);
  __builtin_memcpy((u8 *)e + sizeof *e, c->first[written], HELD);
  bpf_ringbuf_submit(e, wake_flags());
  return 1;
}

/* A request for WebSocket has ended with this call; the request itself stays here. */
CT_CALL int emit_upgrade(const struct conn *c, const struct call *x) {
  if (!c || !x) return 0;
  struct ct_tls_event *e = RESERVE(sizeof *e);
  if (!e) {
    ct_count(CT_TLS_N_LOST_EVENTS, 1);
    return 0;
  }
  ct_took(sizeof *e);
  put_header(e, c, CT_TLS_EV_DATA, x->flags | CT_TLS_F_UNDECIDED | CT_TLS_F_UPGRADE);
  e->ts_ns = x->ts;
  e->stream_off = x->stream_off + x->total;
  bpf_ringbuf_submit(e, wake_flags());
  return 1;
}

/* All chunks of the thread's call. */
CT_GLOBAL int ct_emit_call(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  const struct conn *c = conn_of_call(th);
  struct call *x = &th->call;
  if (!c) return 0;
  if (x->limit > max_call) {
    x->limit = max_call;
    ct_count(CT_TLS_N_TRUNCATED, 1);
  }
  if (x->buf == 0) {
    if (emit_unreadable(c, x)) {
      x->done = x->limit;
      x->events = 1;
    }
  } else {
#pragma clang loop unroll(disable)
    for (u32 at = 0; at < CT_TLS_CALL_MAX; at += CT_TLS_CHUNK) {
      /* What does not fit is lost with the rest of the call. */
      if (at >= x->limit || !ct_emit_chunk(pid_tgid, at)) break;
      x->done = x->limit - at > CT_TLS_CHUNK ? at + CT_TLS_CHUNK : x->limit;
      x->events++;
    }
  }
  ct_count(CT_TLS_N_CALLS, 1);
  ct_count(CT_TLS_N_EVENTS, x->events);
  ct_count(CT_TLS_N_BYTES, x->done);
  if (x->done < x->limit) {
    ct_count(CT_TLS_N_LOST_CALLS, 1);
    ct_count(CT_TLS_N_LOST_EVENTS, (x->limit + CT_TLS_CHUNK - 1) / CT_TLS_CHUNK - x->events);
    ct_count(CT_TLS_N_LOST_BYTES, x->limit - x->done);
  }
  return 0;
}

#endif
