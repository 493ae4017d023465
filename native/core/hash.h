/* SPDX-License-Identifier: Apache-2.0
 * hash.h - the keyed hash of tables whose keys a sender chooses: SipHash with one round a word and
 * three at the end (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012), over whole words.
 *
 * Its key must be random a process. core/hash.ts has the 32-bit form of the same function.
 */
#ifndef CALLTAP_HASH_H
#define CALLTAP_HASH_H
#include <stdint.h>

struct ct_hash_state {
  uint64_t v0, v1, v2, v3;
};

static inline uint64_t ct_hash_rotl(uint64_t x, unsigned n) { return x << n | x >> (64u - n); }

static inline void ct_hash_rounds(struct ct_hash_state *s, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    s->v0 += s->v1;
    s->v1 = ct_hash_rotl(s->v1, 13) ^ s->v0;
    s->v0 = ct_hash_rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = ct_hash_rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = ct_hash_rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = ct_hash_rotl(s->v1, 17) ^ s->v2;
    s->v2 = ct_hash_rotl(s->v2, 32);
  }
}

static inline struct ct_hash_state ct_hash_start(const uint64_t key[2]) {
  return (struct ct_hash_state){key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                                key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
}
static inline void ct_hash_add(struct ct_hash_state *s, uint64_t word, unsigned rounds) {
  s->v3 ^= word;
  ct_hash_rounds(s, rounds);
  s->v0 ^= word;
}
static inline uint64_t ct_hash_end(struct ct_hash_state *s, unsigned rounds) {
  s->v2 ^= 0xffu;
  ct_hash_rounds(s, rounds);
  return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* SipHash of n little-endian words with c rounds a word and d at the end. */
static inline uint64_t ct_sip_hash(const uint64_t key[2], const uint64_t *word, unsigned n, unsigned c,
                                   unsigned d) {
  struct ct_hash_state s = ct_hash_start(key);
  for (unsigned i = 0; i < n; i++) ct_hash_add(&s, word[i], c);
  ct_hash_add(&s, (uint64_t)(8u * n) << 56, c);
  return ct_hash_end(&s, d);
}

static inline uint64_t ct_hash_words(const uint64_t key[2], const uint64_t *word, unsigned n) {
  return ct_sip_hash(key, word, n, 1, 3);
}

#endif
