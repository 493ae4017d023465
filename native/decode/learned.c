/* SPDX-License-Identifier: Apache-2.0
 * learned.c - see learned.h. The third word of a socket is written last and cleared first; who read it reads it again after
 * the address.
 */
#include "decode/learned.h"
#include <arpa/inet.h>
#include <string.h>

struct words {
  uint64_t word[3];
};

static struct words words_of(const uint8_t addr[16], uint16_t port, uint8_t ip_version) {
  struct words w = {.word = {0, 0, (uint64_t)ip_version << 16 | port}};
  memcpy(w.word, addr, ip_version == 6 ? 16 : 4);
  return w;
}

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static void store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static bool is_at(const uint64_t socket[3], const struct words *w) {
  return load(&socket[2]) == w->word[2] && load(&socket[0]) == w->word[0] && load(&socket[1]) == w->word[1] &&
         load(&socket[2]) == w->word[2];
}

bool ct_learned_has(const struct ct_learned *l, const uint8_t addr[16], uint16_t port, uint8_t ip_version) {
  if (!ct_learned_port(l, port)) return false;
  struct words w = words_of(addr, port, ip_version);
  for (uint32_t i = 0; i < CT_LEARNED_MAX; i++)
    if (is_at(l->socket[i], &w)) return true;
  return false;
}

void ct_learned_set(struct ct_learned *l, const struct ct_learned_key *keys, uint32_t n) {
  uint64_t ports[1024] = {0};
  bool stays[CT_LEARNED_MAX] = {false}, is_new[CT_LEARNED_MAX];
  struct words w[CT_LEARNED_MAX];
  if (n > CT_LEARNED_MAX) n = CT_LEARNED_MAX;
  for (uint32_t k = 0; k < n; k++) {
    uint16_t port = ntohs(keys[k].port);
    w[k] = words_of(keys[k].addr, port, (uint8_t)keys[k].ip_version);
    ports[port >> 6] |= 1ull << (port & 63);
    is_new[k] = true;
    for (uint32_t i = 0; i < CT_LEARNED_MAX; i++) {
      if (!is_at(l->socket[i], &w[k])) continue;
      stays[i] = true;
      is_new[k] = false;
    }
  }
  for (uint32_t i = 0; i < CT_LEARNED_MAX; i++)
    if (!stays[i]) store(&l->socket[i][2], 0);
  for (uint32_t k = 0, i = 0; k < n; k++) {
    if (!is_new[k]) continue;
    while (stays[i]) i++; /* there are as many places as keys at least */
    store(&l->socket[i][0], w[k].word[0]);
    store(&l->socket[i][1], w[k].word[1]);
    store(&l->socket[i++][2], w[k].word[2]);
  }
  for (uint32_t i = 0; i < 1024; i++) store(&l->ports[i], ports[i]);
}
