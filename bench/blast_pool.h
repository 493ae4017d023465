/* SPDX-License-Identifier: Apache-2.0
 * blast_pool.h - messages that are made beforehand. Sending one again puts new digits in what no two calls share: Call-ID,
 * branch, tags, and of the description its session and port.
 */
#ifndef CALLTAP_BENCH_BLAST_POOL_H
#define CALLTAP_BENCH_BLAST_POOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_MARKS 8u
#define POOL_TAG 8u

struct pooled {
  uint8_t *d;
  uint32_t len, n;
  struct {
    uint32_t at;
    int what;
  } mark[POOL_MARKS];
};

/* The first tag of a message, of POOL_TAG digits: in an INVITE that of the caller. */
void pool_tag(const uint8_t *d, size_t len, char *tag);
/* Keeps a copy of a message; another tag than the caller's is the callee's. False without memory. */
bool pool_keep(struct pooled *p, const uint8_t *d, size_t len, const char *caller);
/* Writes the message to `d` as one of this call; `round` makes the numbers of its description. */
void pool_renew(const struct pooled *p, uint8_t *d, uint32_t call, uint32_t round);
#endif
