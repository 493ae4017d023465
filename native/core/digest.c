/* SPDX-License-Identifier: Apache-2.0
 * digest.c - see digest.h. Each byte waits for the multiplication of the byte before it, four cycles; a core begins one
 * every cycle. So four runs take as long as one.
 */
#include "core/digest.h"
#include <string.h>

#define BASIS 0xcbf29ce484222325ull
#define PRIME 0x100000001b3ull
#define LANES 4u

uint64_t ct_fnv1a64(const uint8_t *d, uint32_t len) {
  uint64_t h = BASIS;
  for (uint32_t i = 0; i < len; i++) h = (h ^ d[i]) * PRIME;
  return h;
}

struct lane {
  struct ct_digest_job job; /* what is left of it */
  uint64_t h;
};

/* The next n bytes of all four. */
static void step(struct lane *l, uint32_t n) {
  const uint8_t *d0 = l[0].job.bytes, *d1 = l[1].job.bytes, *d2 = l[2].job.bytes, *d3 = l[3].job.bytes;
  uint64_t h0 = l[0].h, h1 = l[1].h, h2 = l[2].h, h3 = l[3].h;
  for (uint32_t i = 0; i < n; i++) {
    h0 = (h0 ^ d0[i]) * PRIME;
    h1 = (h1 ^ d1[i]) * PRIME;
    h2 = (h2 ^ d2[i]) * PRIME;
    h3 = (h3 ^ d3[i]) * PRIME;
  }
  l[0].h = h0;
  l[1].h = h1;
  l[2].h = h2;
  l[3].h = h3;
  for (uint32_t i = 0; i < LANES; i++) {
    l[i].job.bytes += n;
    l[i].job.len -= n;
  }
}

/* The next job that has bytes; those without are done at once. False without one. */
static int take(struct lane *l, const struct ct_digest_job *jobs, uint32_t n, uint32_t *next) {
  for (; *next < n; (*next)++) {
    if (jobs[*next].len == 0) {
      *jobs[*next].to = BASIS;
      continue;
    }
    *l = (struct lane){jobs[(*next)++], BASIS};
    return 1;
  }
  return 0;
}

void ct_fnv1a64_jobs(const struct ct_digest_job *jobs, uint32_t n) {
  struct lane l[LANES];
  uint32_t next = 0, busy = 0;
  while (busy < LANES && take(&l[busy], jobs, n, &next)) busy++;
  while (busy == LANES) {
    uint32_t least = l[0].job.len;
    for (uint32_t i = 1; i < LANES; i++)
      if (l[i].job.len < least) least = l[i].job.len;
    step(l, least);
    for (uint32_t i = 0; i < busy;) {
      if (l[i].job.len > 0) {
        i++;
        continue;
      }
      *l[i].job.to = l[i].h;
      if (take(&l[i], jobs, n, &next))
        i++;
      else
        l[i] = l[--busy];
    }
  }
  /* Fewer than four are left, none of them for long. */
  for (uint32_t i = 0; i < busy; i++) {
    uint64_t h = l[i].h;
    for (uint32_t k = 0; k < l[i].job.len; k++) h = (h ^ l[i].job.bytes[k]) * PRIME;
    *l[i].job.to = h;
  }
}

static uint64_t word_at(const uint8_t *d) {
  uint64_t w;
  memcpy(&w, d, sizeof(w));
  return w;
}

/* Four sums side by side, for one multiplication then waits for none of the others; the last 32 bytes are taken as a
 * block of their own, which may overlap the one before. */
uint32_t ct_payload_check(const uint8_t *d, uint32_t len) {
  const uint64_t odd = 0x9e3779b97f4a7c15u;
  uint64_t a = len, b = 1, c = 2, e = 3;
  for (uint32_t i = 0; i < len && len >= 32;) {
    uint32_t at = len - i < 32 ? len - 32 : i;
    a = (a ^ word_at(d + at)) * odd;
    b = (b ^ word_at(d + at + 8)) * odd;
    c = (c ^ word_at(d + at + 16)) * odd;
    e = (e ^ word_at(d + at + 24)) * odd;
    a ^= a >> 32;
    b ^= b >> 32;
    c ^= c >> 32;
    e ^= e >> 32;
    i += 32;
  }
  for (uint32_t i = 0; i < len && len < 32; i++) a = (a ^ d[i]) * odd;
  uint64_t sum = ((a * odd ^ b) * odd ^ c) * odd ^ e;
  return (uint32_t)((sum * odd) >> 32);
}
