/* SPDX-License-Identifier: Apache-2.0
 * source_tls.h - a thread that turns events of TLS probes into records: CT_KIND_TLS_BIND, _DATA and _CLOSE.
 *
 * While JavaScript is behind and the slabs are full, events stay in the kernel's ring; when that is full too,
 * the kernel counts what is lost and the stream offset of the next event shows where.
 */
#ifndef CALLTAP_SOURCE_TLS_H
#define CALLTAP_SOURCE_TLS_H
#include "core/slab.h"
#include "tls/tls_probe.h"
#include "tls/tls_ring.h"
#include <pthread.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Counters seen by JavaScript as one array: those of the programs (enum ct_tls_count), then the reader's. */
enum ct_tls_counter {
  CT_TLS_N_RECORDS = CT_TLS_N_COUNT,
  CT_TLS_N_HELD_NAPS,
  CT_TLS_N_MALFORMED,
  CT_TLS_COUNTERS
};
const char *ct_tls_counter_name(uint32_t i); /* snake_case; NULL past the end */

struct ct_tls_source {
  /* Set by the caller, who owns them until ct_tls_stop() has returned. */
  struct ct_ring *ring;
  struct ct_tls_probe *probe;
  uint32_t source_id;
  /* Written by the thread, read by anyone. */
  uint64_t records;
  uint64_t held; /* naps because the slabs were full */
  /* Private. */
  struct ct_tls_ring events;
  int64_t to_wall_ns; /* realtime - monotonic */
  int wake, poll;     /* an eventfd that ends it; an epoll of that and the kernel's ring */
  bool running;
  ct_atomic_u32 stop;
  pthread_t thread;
};

/* Maps the ring of an open probe and starts the thread. 0 or -errno. */
int ct_tls_start(struct ct_tls_source *s);
/* Stops the ring of slabs and joins the thread. Safe to call twice. */
void ct_tls_stop(struct ct_tls_source *s);

/* One event as a record; the payload is copied to `data`, which has room for chunk_len bytes. */
void ct_tls_record(const struct ct_tls_event *e, int64_t to_wall_ns, struct ct_record *r, uint8_t *data);

#ifdef __cplusplus
}
#endif
#endif
