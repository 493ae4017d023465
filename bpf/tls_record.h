/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tls_record.h - what a socket call moved: whether its bytes begin with TLS records, and how long those are.
 *
 *   | type | 3 | minor version | length, big-endian | that many bytes |   RFC 8446 s5.1, RFC 5246 s6.2.1
 */
#ifndef CALLTAP_TLS_RECORD_H
#define CALLTAP_TLS_RECORD_H
#include "socket_call.h"
#include "tls_header.h"
#include "tls_state.h"

/* Bytes of a record beside the plaintext: from the type byte and a short tag (TLS 1.3, CCM_8) to the vector, MAC and
 * padding of CBC with SHA-384. */
#define RECORD_ADDS_MIN 9u
#define RECORD_ADDS_MAX 84u

#define RECORD_HANDSHAKE 0x16
#define HELLO_RANDOM_AT 11u
#define HELLO_BYTES (HELLO_RANDOM_AT + 32u)

/* Notes the lengths of the first records of a socket call. */
CT_CALL int read_records(const struct pt_regs *regs, u32 bytes, struct records *out) {
  if (!out) return 0;
  __builtin_memset(out, 0, sizeof *out);
  u64 at = 0;
  u32 left = find_bytes(regs, bytes, &at);
  if (left == 0) return 0;
  if (left < RECORD_HEADER) out->shape = SHAPE_OTHER;
#pragma unroll
  for (u32 i = 0; i < RECORDS; i++) {
    u8 h[8] = {};
    if (left < RECORD_HEADER || bpf_probe_read_user(h, RECORD_HEADER, (const void *)at)) return 0;
    u32 length = record_length(h);
    if (length == 0) {
      if (i == 0) out->shape = SHAPE_OTHER;
      return 0;
    }
    out->shape = SHAPE_TLS;
    if (i == 0 && h[0] == RECORD_HANDSHAKE && left >= HELLO_BYTES) out->hello = at;
    if (h[0] == RECORD_DATA) out->length[i] = out->last = (u16)length;
    at += RECORD_HEADER + length;
    left = left > RECORD_HEADER + length ? left - RECORD_HEADER - length : 0;
  }
  return 0;
}

/* Negative when a record of this length can hold so much plaintext and no more. Without a branch: each would double
 * what the verifier must follow. */
CT_INLINE s64 fitness(u32 length, u64 plain) {
  s64 adds = (s64)length - (s64)plain;
  return ~((adds - RECORD_ADDS_MIN) | (RECORD_ADDS_MAX - adds));
}

CT_INLINE int fits(u32 length, u64 plain) { return fitness(length, plain) < 0; }

/* Whether one of the records can. */
CT_CALL int one_fits(const struct records *r, u64 plain) {
  if (!r) return 0;
  s64 found = 0;
#pragma unroll
  for (u32 i = 0; i < RECORDS; i++) found |= fitness(r->length[i], plain);
  return (int)((u64)found >> 63);
}

/* What a cipher adds to plaintext, as bits: 8 and 1 (CCM_8 in TLS 1.3), 16 (ChaCha20), 17 (TLS 1.3), 24 (GCM). */
#define CIPHER_ADDS (1ull << 9 | 1ull << 16 | 1ull << 17 | 1ull << 24)

/* Whether one of the records is exactly what a cipher makes of that plaintext: one that adds the same to all, or blocks of 16
 * (CBC, and TLS 1.3 that pads), after which a MAC of 20 may stand. */
CT_CALL int one_is_of(const struct records *r, u64 plain) {
  if (!r) return 0;
  u64 found = 0;
#pragma unroll
  for (u32 i = 0; i < RECORDS; i++) {
    u64 fit = (u64)fitness(r->length[i], plain) >> 63, adds = r->length[i] - plain;
    found |= fit & (is_zero(r->length[i] & 11) | (is_zero(adds >> 6) & CIPHER_ADDS >> (adds & 63)));
  }
  return (int)(found & 1);
}

#endif
