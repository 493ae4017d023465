/* SPDX-License-Identifier: Apache-2.0
 * tls_ring.h - reads the kernel's ring of TLS events (BPF_MAP_TYPE_RINGBUF) and checks what lies in it.
 *
 * The ring's memory is the kernel's: a position that only it advances, then data mapped twice in a row, so
 * that no record wraps. Lengths are checked all the same: a wrong one ends the reading, never the process.
 */
#ifndef CALLTAP_TLS_RING_H
#define CALLTAP_TLS_RING_H
#include "../../bpf/tls_event.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_TLS_RING_MIN 4096u
#define CT_TLS_RING_MAX (1u << 30)

struct ct_tls_ring {
  uint64_t *consumer;       /* ours to advance */
  const uint64_t *producer; /* the kernel's */
  const uint8_t *data;      /* `size` bytes, twice in a row */
  uint32_t size;            /* power of two */
  uint64_t malformed;       /* records that are no event; skipped */
  bool broken;              /* a length beyond what was produced: nothing can be read any more */
  void *map[2];             /* what ct_tls_ring_open() mapped */
  size_t map_len[2];
};

/* Maps the ring of this map descriptor. 0 or -errno. */
int ct_tls_ring_open(struct ct_tls_ring *r, int map_fd, uint32_t size);
void ct_tls_ring_close(struct ct_tls_ring *r);

/* The oldest event, with its plaintext after the header; NULL without one yet. Records that were taken
 * back or are malformed are passed over. Valid until ct_tls_ring_next(). */
const struct ct_tls_event *ct_tls_ring_peek(struct ct_tls_ring *r);
/* Gives the space of the peeked event back to the kernel. */
void ct_tls_ring_next(struct ct_tls_ring *r);
/* Bytes between the two positions. */
uint64_t ct_tls_ring_waiting(const struct ct_tls_ring *r);

/* Whether `len` bytes are an event that can be believed. */
bool ct_tls_event_ok(const void *record, uint32_t len);

#ifdef __cplusplus
}
#endif
#endif
