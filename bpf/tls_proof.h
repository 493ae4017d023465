/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_proof.h - whether a function that only the user or a debug file names is what it is said to be.
 *
 * Its calls say how many bytes they moved. Those of SSL_read and SSL_write are the bytes of a TLS record that the thread
 * received or sent beside the call; those of any other function are not. Three calls in a row that fit prove it, twenty that
 * do not refute it. Until then its plaintext is marked with its row, and the agent holds that back.
 */
#ifndef CALLTAP_TLS_PROOF_H
#define CALLTAP_TLS_PROOF_H
#include "tls_record.h"

/* Writes that may wait for one send together. */
#define PROOF_BATCH 3u

enum said { SAID_NOTHING, SAID_FIT, SAID_PART, SAID_MISFIT };

/* enum ct_tls_proof_state; what needs no proof is proven. */
CT_GLOBAL int ct_proof_state(u32 proof) {
  proof &= CT_TLS_PROOFS - 1;
  if (!proof) return CT_TLS_PROVEN;
  const struct ct_tls_proof *p = bpf_map_lookup_elem(&proofs, &proof);
  return p ? (int)p->state : CT_TLS_REFUTED;
}

/* One call more, and what it said (enum said); `parts` calls before it read the rest of its record. */
CT_GLOBAL int ct_proof_said(u32 proof, u32 said, u32 parts) {
  proof &= CT_TLS_PROOFS - 1;
  struct ct_tls_proof *p = bpf_map_lookup_elem(&proofs, &proof);
  if (!p || p->state != CT_TLS_UNPROVEN) return 0;
  __sync_fetch_and_add(&p->calls, 1);
  if (said == SAID_FIT) {
    __sync_fetch_and_add(&p->fits, 1);
    __sync_fetch_and_add(&p->misfits, -parts);
  }
  if (said == SAID_PART) __sync_fetch_and_add(&p->misfits, 1);
  if (said == SAID_MISFIT) {
    p->fits = 0;
    __sync_fetch_and_add(&p->misfits, CT_TLS_PROOF_PARTS);
  }
  if (p->fits >= CT_TLS_PROOF_CALLS)
    p->state = CT_TLS_PROVEN;
  else if (p->misfits >= CT_TLS_PROOF_MISFITS * CT_TLS_PROOF_PARTS)
    p->state = CT_TLS_REFUTED;
  return 0;
}

/* The first record of `n` bytes that were written. */
CT_INLINE u64 first_record(u64 n) { return n < CT_TLS_CHUNK ? n : CT_TLS_CHUNK; }

/* A send inside a write of `len` bytes. */
CT_INLINE void note_sent(struct thread *th, u64 len) {
  u32 length = th->now.records.length[0];
  if (one_is_of(&th->now.records, first_record(len))) th->sent = len;
  /* The library may cut records shorter (RFC 6066 s4). */
  else if (length >= 512 + RECORD_ADDS_MIN && length < len)
    th->sent_part = 1;
}

/* The send after a write under proof. */
CT_GLOBAL int ct_prove_sent(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th || !th->tx_proof) return 0;
  u32 said = one_is_of(&th->now.records, first_record(th->tx_asked)) ? SAID_FIT : SAID_MISFIT;
  if (said == SAID_MISFIT || th->tx_asked >= CT_TLS_PROOF_BYTES) ct_proof_said(th->tx_proof, said, 0);
  th->tx_proof = 0;
  th->tx_waits = 0;
  return 0;
}

CT_INLINE u32 judge_written(struct thread *th, u64 n) {
  const struct call *x = &th->call;
  u64 sent = th->sent;
  u32 part = th->sent_part;
  th->sent = 0;
  th->sent_part = 0;
  if (sent && sent == x->len) return n < CT_TLS_PROOF_BYTES ? SAID_NOTHING : SAID_FIT;
  if (part) return SAID_PART;
  if (x->in_call) return SAID_MISFIT;
  /* Encrypted into memory: the thread sends it later, perhaps more of it together. */
  if (!th->tx_proof) {
    th->tx_proof = x->proof;
    th->tx_asked = n;
    return SAID_NOTHING;
  }
  return ++th->tx_waits < PROOF_BATCH ? SAID_PART : SAID_MISFIT;
}

CT_INLINE u32 judge_read(struct thread *th, u64 n, u32 *parts) {
  const struct call *x = &th->call;
  const struct records *r = &th->rx.records;
  th->rx_read += n;
  u32 sum = th->rx_read;
  if (one_is_of(r, n) || one_is_of(r, sum)) {
    th->rx_read = 0;
    *parts = th->rx_parts;
    th->rx_parts = 0;
    return sum < CT_TLS_PROOF_BYTES ? SAID_NOTHING : SAID_FIT;
  }
  /* The buffer was too small for the record, or another socket's came between. */
  if ((n != x->len || sum + RECORD_ADDS_MIN > r->last) && !th->rx_mixed) return SAID_MISFIT;
  th->rx_parts++;
  return SAID_PART;
}

/* The thread's call has returned. 1 when it may be told: by a function that is proven, or not refuted yet. */
CT_GLOBAL int ct_prove(u64 pid_tgid) {
  struct thread *th = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!th) return 0;
  const struct call *x = &th->call;
  int state = ct_proof_state(x->proof);
  if (state == CT_TLS_PROVEN) return 1;
  /* What moved nothing is no sign of anything, and must not be taken for a handshake. */
  if (state == CT_TLS_REFUTED || x->moved <= 0) return 0;
  u64 n = x->moved;
  u32 said = SAID_MISFIT, parts = 0;
  if (n <= x->len) said = is_write(x->op) ? judge_written(th, n) : judge_read(th, n, &parts);
  if (said != SAID_NOTHING) ct_proof_said(x->proof, said, parts);
  return ct_proof_state(x->proof) != CT_TLS_REFUTED;
}

#endif
