/* SPDX-License-Identifier: Apache-2.0
 * test_hash.c - the keyed hash is SipHash, and differences that cancel in weaker functions do not meet.
 */
#include "check.h"
#include "core/hash.h"
#include <sys/random.h>

/* SipHash-2-4 of 8 bytes 00 to 07 under the key 00 to 0f (the authors' vectors, row 8), and of none. */
static void vectors(void) {
  static const uint64_t KEY[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  static const uint64_t WORD = 0x0706050403020100u;
  CHECK(ct_sip_hash(KEY, NULL, 0, 2, 4) == 0x726fdb47dd0e0e31u);
  CHECK(ct_sip_hash(KEY, &WORD, 1, 2, 4) == 0x93f5f5799a932462u);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Every pair of bits turned in three words, 18,528 of them: no two of the low 40 bits are equal but by chance. */
static void differentials(void) {
  enum { BITS = 192 };
  static uint64_t got[BITS * (BITS + 1) / 2];
  uint64_t key[2];
  CHECK(getrandom(key, sizeof(key), 0) == (ssize_t)sizeof(key));
  uint32_t n = 0, met = 0;
  for (uint32_t i = 0; i < BITS; i++)
    for (uint32_t j = i; j < BITS; j++) {
      uint64_t w[3] = {0x20010db800000000u, 1, 6};
      w[i / 64] ^= 1ull << i % 64;
      if (j != i) w[j / 64] ^= 1ull << j % 64;
      got[n++] = ct_hash_words(key, w, 3) & 0xffffffffffu;
    }
  qsort(got, n, sizeof(got[0]), by_value);
  for (uint32_t i = 1; i < n; i++) met += got[i] == got[i - 1];
  CHECK(met < 3);
}

int main(void) {
  vectors();
  differentials();
  return report("hash");
}
