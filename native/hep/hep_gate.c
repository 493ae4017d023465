/* SPDX-License-Identifier: Apache-2.0
 * hep_gate.c - see hep_gate.h.
 */
#define _GNU_SOURCE
#include "hep/hep_gate.h"
#include "core/hash.h"
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define SLOT_NS (1000000000ll / (int64_t)CT_HEP_RATE_SLOTS)
#define SETS (CT_HEP_SENDERS / CT_HEP_WAYS)
_Static_assert((SETS & (SETS - 1)) == 0, "a set is chosen by the hash's low bits");

static const char *const VERDICT_NAMES[CT_HEP_VERDICTS] = {"taken",       "not_allowed", "too_long",
                                                           "auth_failed", "over_rate",   "ring_full"};

const char *ct_hep_verdict_name(uint32_t v) { return v < CT_HEP_VERDICTS ? VERDICT_NAMES[v] : NULL; }

static bool has_prefix(const uint8_t *addr, const struct ct_cidr *net) {
  uint32_t whole = net->bits / 8u, rest = net->bits % 8u;
  if (memcmp(addr, net->addr, whole) != 0) return false;
  return rest == 0 || ((addr[whole] ^ net->addr[whole]) >> (8u - rest)) == 0;
}

static bool is_allowed(const struct ct_hep_gate *g, const uint8_t *addr, uint8_t version) {
  for (uint32_t i = 0; i < g->n_allow; i++)
    if (g->allow[i].version == version && has_prefix(addr, &g->allow[i])) return true;
  return false;
}

int ct_hep_gate_init(struct ct_hep_gate *g, uint64_t *totals, const struct ct_cidr *allow, uint32_t n,
                     uint32_t rate, uint32_t max_bytes) {
  static const struct ct_cidr LOOPBACK[2] = {{4, 8, {127}},
                                             {6, 128, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}};
  memset(g, 0, sizeof(*g));
  g->n = totals;
  if (n == 0) {
    allow = LOOPBACK;
    n = 2;
  }
  if (n > CT_HEP_ALLOW_MAX) return -EINVAL;
  for (uint32_t i = 0; i < n; i++) {
    uint8_t limit = allow[i].version == 4 ? 32 : allow[i].version == 6 ? 128 : 0;
    if (limit == 0 || allow[i].bits > limit) return -EINVAL;
    g->allow[i] = allow[i];
  }
  g->n_allow = n;
  g->rate = rate == 0 ? CT_HEP_RATE : rate;
  g->max_bytes = max_bytes == 0 || max_bytes > CT_HEP_MAX_BYTES ? CT_HEP_MAX_BYTES : max_bytes;
  if (getrandom(g->seed, sizeof(g->seed), 0) != (ssize_t)sizeof(g->seed)) return errno == 0 ? -EIO : -errno;
  pthread_mutex_init(&g->lock, NULL);
  return 0;
}

bool ct_hep_gate_key(struct ct_hep_gate *g, const uint8_t *key, uint32_t len) {
  if (len > CT_HEP_KEY_MAX) return false;
  memcpy(g->key, key, len);
  g->key_len = len;
  return true;
}

void ct_hep_gate_close(struct ct_hep_gate *g) { pthread_mutex_destroy(&g->lock); }
void ct_hep_gate_lock(struct ct_hep_gate *g) { pthread_mutex_lock(&g->lock); }
void ct_hep_gate_unlock(struct ct_hep_gate *g) { pthread_mutex_unlock(&g->lock); }

/* Keyed, so that a sender cannot choose addresses that share a set with another's. */
static uint32_t set_of(const struct ct_hep_gate *g, const uint8_t *addr, uint8_t version) {
  uint64_t words[3] = {0, 0, version};
  memcpy(words, addr, 16);
  return (uint32_t)ct_hash_words(g->seed, words, 3) & (SETS - 1u);
}

static uint64_t packets_of(const struct ct_hep_sender *s) {
  uint64_t sum = 0;
  for (uint32_t v = 0; v < CT_HEP_VERDICTS; v++) sum += s->n[v];
  return sum;
}

/* The sender's entry; a new one takes a free place or that of the least. */
static struct ct_hep_sender *find(struct ct_hep_gate *g, const uint8_t *addr, uint8_t version) {
  struct ct_hep_sender *set = &g->sender[set_of(g, addr, version) * CT_HEP_WAYS], *least = NULL;
  for (uint32_t i = 0; i < CT_HEP_WAYS; i++)
    if (set[i].version == version && memcmp(set[i].addr, addr, 16) == 0) return &set[i];
  uint64_t fewest = UINT64_MAX;
  for (uint32_t i = 0; i < CT_HEP_WAYS; i++) {
    uint64_t sum = set[i].version == 0 ? 0 : packets_of(&set[i]);
    if (sum < fewest) {
      fewest = sum;
      least = &set[i];
    }
  }
  g->forgotten += fewest;
  memset(least, 0, sizeof(*least));
  memcpy(least->addr, addr, 16);
  least->version = version;
  least->is_allowed = is_allowed(g, addr, version);
  return least;
}

/* The second of the rate is the newest slot and those before it: at most `rate` packets in them. */
static bool take_rate(struct ct_hep_gate *g, int64_t now_ns) {
  int64_t at = now_ns / SLOT_NS;
  if (at > g->slot_at) {
    int64_t gone = at - g->slot_at;
    if (gone > (int64_t)CT_HEP_RATE_SLOTS) gone = CT_HEP_RATE_SLOTS;
    for (int64_t i = 0; i < gone; i++) {
      uint32_t *old = &g->slot[(at - i) % (int64_t)CT_HEP_RATE_SLOTS];
      g->in_second -= *old;
      *old = 0;
    }
    g->slot_at = at;
  }
  if (g->in_second >= g->rate) return false;
  g->slot[g->slot_at % (int64_t)CT_HEP_RATE_SLOTS]++;
  g->in_second++;
  return true;
}

/* In a time that tells nothing about the key. */
static bool is_key(const struct ct_hep_gate *g, const uint8_t *given, uint32_t len) {
  uint32_t wrong = len ^ g->key_len;
  for (uint32_t i = 0; i < CT_HEP_KEY_MAX; i++) wrong |= g->key[i] ^ (i < len ? given[i] : 0u);
  return wrong == 0;
}

/* "HEP3" or "EEP3" | total length (2) | chunks: vendor (2) | type (2) | length (2, these 6 bytes included) | payload.
 * Of the keys (type 0x0e, vendor 0) the first counts. What decode/hep/hep.ts would refuse has none. */
static bool has_key(const struct ct_hep_gate *g, const uint8_t *p, uint32_t len) {
  if (len < 6 || (p[0] != 'H' && p[0] != 'E') || memcmp(p + 1, "EP3", 3) != 0) return false;
  uint32_t total = (uint32_t)p[4] << 8 | p[5];
  if (total > len) return false;
  for (uint32_t at = 6; at < total;) {
    if (total - at < 6) return false;
    uint32_t length = (uint32_t)p[at + 4] << 8 | p[at + 5];
    if (length < 6 || length > total - at) return false;
    if (p[at] == 0 && p[at + 1] == 0 && p[at + 2] == 0 && p[at + 3] == 0x0e)
      return is_key(g, p + at + 6, length - 6);
    at += length;
  }
  return false;
}

enum ct_hep_verdict ct_hep_judge(struct ct_hep_gate *g, const uint8_t addr[16], uint8_t version,
                                 const uint8_t *packet, uint32_t len, int64_t now_ns,
                                 struct ct_hep_sender **sender) {
  static const uint8_t MAPPED[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  uint8_t unmapped[16] = {0};
  if (version == 6 && memcmp(addr, MAPPED, sizeof(MAPPED)) == 0) {
    memcpy(unmapped, addr + 12, 4);
    addr = unmapped;
    version = 4;
  }
  struct ct_hep_sender *s = find(g, addr, version);
  *sender = s;
  if (now_ns > s->last_ns) s->last_ns = now_ns;
  if (!s->is_allowed) return CT_HEP_NOT_ALLOWED;
  if (len > g->max_bytes) return CT_HEP_TOO_LONG;
  if (g->key_len > 0 && (packet == NULL || !has_key(g, packet, len))) return CT_HEP_AUTH_FAILED;
  return take_rate(g, now_ns) ? CT_HEP_TAKEN : CT_HEP_OVER_RATE;
}

void ct_hep_count(struct ct_hep_gate *g, struct ct_hep_sender *sender, enum ct_hep_verdict v) {
  /* Under the lock of the gate, but read without it. */
  __atomic_store_n(&g->n[v], g->n[v] + 1, __ATOMIC_RELAXED);
  sender->n[v]++;
}

enum ct_hep_verdict ct_hep_admit(struct ct_hep_gate *g, const uint8_t addr[16], uint8_t version,
                                 const uint8_t *packet, uint32_t len, int64_t now_ns) {
  struct ct_hep_sender *sender;
  ct_hep_gate_lock(g);
  enum ct_hep_verdict v = ct_hep_judge(g, addr, version, packet, len, now_ns, &sender);
  ct_hep_count(g, sender, v);
  ct_hep_gate_unlock(g);
  return v;
}

static bool is_before(const struct ct_hep_sender *a, const struct ct_hep_sender *b) {
  uint64_t pa = packets_of(a), pb = packets_of(b);
  uint64_t ra = pa - a->n[CT_HEP_TAKEN], rb = pb - b->n[CT_HEP_TAKEN];
  return ra != rb ? ra > rb : pa > pb;
}

uint32_t ct_hep_top_senders(struct ct_hep_gate *g, struct ct_hep_sender *out, uint32_t max) {
  uint32_t n = 0;
  if (max == 0) return 0;
  ct_hep_gate_lock(g);
  for (uint32_t i = 0; i < CT_HEP_SENDERS; i++) {
    const struct ct_hep_sender *s = &g->sender[i];
    if (s->version == 0 || (n == max && !is_before(s, &out[n - 1]))) continue;
    uint32_t at = n < max ? n++ : n - 1;
    for (; at > 0 && is_before(s, &out[at - 1]); at--) out[at] = out[at - 1];
    out[at] = *s;
  }
  ct_hep_gate_unlock(g);
  return n;
}
