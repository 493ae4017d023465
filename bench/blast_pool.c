/* SPDX-License-Identifier: Apache-2.0
 * blast_pool.c - see blast_pool.h.
 */
#define _GNU_SOURCE
#include "blast_pool.h"
#include <stdlib.h>
#include <string.h>

enum mark { MARK_HEX, MARK_CALLEE_TAG, MARK_SESSION, MARK_PORT };

static const char TAG[] = ";tag=";

void pool_tag(const uint8_t *d, size_t len, char *tag) {
  const uint8_t *at = memmem(d, len, TAG, sizeof TAG - 1);
  if (at != NULL) memcpy(tag, at + sizeof TAG - 1, POOL_TAG);
}

static void mark(struct pooled *p, const char *behind, enum mark what) {
  size_t n = strlen(behind);
  for (const uint8_t *at = p->d; p->n < POOL_MARKS;) {
    at = memmem(at, p->len - (size_t)(at - p->d), behind, n);
    if (at == NULL) return;
    at += n;
    p->mark[p->n].at = (uint32_t)(at - p->d);
    p->mark[p->n++].what = what;
  }
}

static void mark_tags(struct pooled *p, const char *caller) {
  const uint32_t first = p->n;
  mark(p, TAG, MARK_HEX);
  for (uint32_t i = first; i < p->n; i++)
    if (memcmp(p->d + p->mark[i].at, caller, POOL_TAG) != 0) p->mark[i].what = MARK_CALLEE_TAG;
}

bool pool_keep(struct pooled *p, const uint8_t *d, size_t len, const char *caller) {
  p->d = malloc(len);
  if (p->d == NULL) return false;
  memcpy(p->d, d, len);
  p->len = (uint32_t)len;
  mark(p, "\r\nCall-ID: ", MARK_HEX);
  mark(p, ";branch=z9hG4bK", MARK_HEX);
  mark_tags(p, caller);
  mark(p, "\r\no=- ", MARK_SESSION);
  mark(p, "\r\nm=audio ", MARK_PORT);
  return true;
}

/* `n` digits of `value`. */
static void put_digits(uint8_t *d, uint32_t value, uint32_t n) {
  for (; n > 0; n--, value /= 10) d[n - 1] = (uint8_t)('0' + value % 10);
}

static void put_hex(uint8_t *d, uint32_t value) {
  for (uint32_t i = 0; i < 8; i++) d[i] = (uint8_t) "0123456789abcdef"[value >> (28 - 4 * i) & 15];
}

void pool_renew(const struct pooled *p, uint8_t *d, uint32_t call, uint32_t round) {
  memcpy(d, p->d, p->len);
  for (uint32_t i = 0; i < p->n; i++) {
    uint8_t *at = d + p->mark[i].at;
    if (p->mark[i].what == MARK_HEX)
      put_hex(at, call);
    else if (p->mark[i].what == MARK_CALLEE_TAG)
      put_hex(at, ~call);
    else if (p->mark[i].what == MARK_PORT)
      put_digits(at, 10000 + round * 7 % 20000 * 2, 5);
    else
      for (uint32_t r = round; *at != ' '; at++, r /= 10) *at = (uint8_t)('1' + r % 9);
  }
}
