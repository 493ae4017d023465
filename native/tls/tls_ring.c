/* SPDX-License-Identifier: Apache-2.0
 * tls_ring.c - see tls_ring.h. The layout is the kernel's (kernel/bpf/ringbuf.c, Documentation/bpf/ringbuf.rst):
 *
 *   record:  | length, bit 31 busy, bit 30 discarded | page offset | length bytes, padded to 8 |
 */
#define _GNU_SOURCE
#include "tls/tls_ring.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUSY (1u << 31)
#define DISCARDED (1u << 30)
#define RECORD_HEADER 8u

int ct_tls_ring_open(struct ct_tls_ring *r, int map_fd, uint32_t size) {
  long page = sysconf(_SC_PAGESIZE);
  memset(r, 0, sizeof *r);
  if (page <= 0 || size < CT_TLS_RING_MIN || size > CT_TLS_RING_MAX || (size & (size - 1)) != 0)
    return -EINVAL;
  size_t p = (size_t)page;
  r->map_len[0] = p;
  r->map[0] = mmap(NULL, p, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (r->map[0] == MAP_FAILED) return -errno;
  r->map_len[1] = p + 2 * (size_t)size;
  r->map[1] = mmap(NULL, r->map_len[1], PROT_READ, MAP_SHARED, map_fd, (off_t)p);
  if (r->map[1] == MAP_FAILED) {
    int err = errno;
    munmap(r->map[0], p);
    r->map[0] = r->map[1] = NULL;
    return -err;
  }
  r->consumer = r->map[0];
  r->producer = r->map[1];
  r->data = (const uint8_t *)r->map[1] + p;
  r->size = size;
  return 0;
}

void ct_tls_ring_close(struct ct_tls_ring *r) {
  for (int i = 0; i < 2; i++) {
    if (r->map[i] != NULL) munmap(r->map[i], r->map_len[i]);
  }
  memset(r, 0, sizeof *r);
}

bool ct_tls_event_ok(const void *record, uint32_t len) {
  struct ct_tls_event e;
  if (len < sizeof e) return false;
  memcpy(&e, record, sizeof e);
  if (e.kind == 0 || e.kind >= CT_TLS_EV_KINDS || e.library >= CT_TLS_LIBRARIES) return false;
  if (e.family != 0 && e.family != 4 && e.family != 6) return false;
  if (e.chunk_len > CT_TLS_CHUNK || e.chunk_len > len - sizeof e || e.chunk_len > e.call_len) return false;
  return e.kind == CT_TLS_EV_DATA || e.chunk_len == 0;
}

static uint64_t consumed(const struct ct_tls_ring *r) {
  return __atomic_load_n(r->consumer, __ATOMIC_RELAXED);
}

static void advance(struct ct_tls_ring *r, uint32_t len) {
  uint64_t step = (RECORD_HEADER + (uint64_t)len + 7) & ~7ull;
  __atomic_store_n(r->consumer, consumed(r) + step, __ATOMIC_RELEASE);
}

/* Length word of the oldest record; false without one, or it is still being written. */
static bool oldest(struct ct_tls_ring *r, uint32_t *word) {
  uint64_t from = consumed(r), waiting = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - from;
  if (r->broken || waiting < RECORD_HEADER) return false;
  /* Records begin on multiples of 8, so their header is whole wherever it lies. */
  if (waiting > r->size || (from & 7) != 0) {
    r->broken = true;
    return false;
  }
  const uint32_t *at = (const uint32_t *)(const void *)(r->data + (from & (r->size - 1)));
  *word = __atomic_load_n(at, __ATOMIC_ACQUIRE);
  if (*word & BUSY) return false;
  uint64_t len = *word & ~DISCARDED;
  /* A record is whole in what was produced. */
  r->broken = ((RECORD_HEADER + len + 7) & ~7ull) > waiting;
  return !r->broken;
}

const struct ct_tls_event *ct_tls_ring_peek(struct ct_tls_ring *r) {
  uint32_t word;
  while (oldest(r, &word)) {
    const uint8_t *record = r->data + (consumed(r) & (r->size - 1)) + RECORD_HEADER;
    uint32_t len = word & ~DISCARDED;
    if (!(word & DISCARDED)) {
      if (ct_tls_event_ok(record, len)) return (const struct ct_tls_event *)(const void *)record;
      r->malformed++;
    }
    advance(r, len);
  }
  return NULL;
}

void ct_tls_ring_next(struct ct_tls_ring *r) {
  uint32_t word;
  if (oldest(r, &word)) advance(r, word & ~DISCARDED);
}

uint64_t ct_tls_ring_waiting(const struct ct_tls_ring *r) {
  return __atomic_load_n(r->producer, __ATOMIC_RELAXED) - consumed(r);
}
