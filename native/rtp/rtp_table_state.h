/* SPDX-License-Identifier: Apache-2.0
 * rtp_table_state.h - the stream table seen from inside, by rtp_table.c and rtp_places.c.
 *
 * Streams lie in chunks that never move. A place that is given back rests in a queue before another stream takes it, so
 * that the reading thread, which runs later, still finds the last counters of a stream whose eviction it reads.
 */
#ifndef CALLTAP_RTP_TABLE_STATE_H
#define CALLTAP_RTP_TABLE_STATE_H
#include "rtp/rtp_admit.h"
#include "rtp/rtp_index.h"

struct ct_rtp_table {
  struct ct_rtp_opts opts;
  int64_t buffer_ns; /* opts.buffer_ms */
  uint64_t key[4];
  struct ct_rtp_index index;
  struct ct_stream **chunks;
  uint32_t chunk_count; /* entries in chunks */
  uint32_t limit;       /* streams that may ever exist: max_streams and the quarantine */
  uint32_t quarantine;
  uint32_t fresh; /* next index never used */
  uint32_t live;
  uint32_t probing;                          /* candidates among them */
  uint32_t free_head, free_tail, free_count; /* links are index + 1 */
  uint32_t hand;                             /* where the search for one that gives its place continues */
  struct ct_admit admit;
  struct ct_changes *changes;
  void (*settle)(void *arg);
  void *settle_arg;
  int64_t settled_ns; /* all streams silent since then are claimed, or will not be */
  uint64_t counters[CT_RC_COUNT];
};

static inline struct ct_stream *ct_rtp_stream_at(const struct ct_rtp_table *t, uint32_t index) {
  return &t->chunks[index / CT_RTP_CHUNK][index % CT_RTP_CHUNK];
}

/* ---- rtp_places.c: a new stream takes a place, within fixed caps ---- */
/* Sizes the table by t->opts, and allocates its first chunk. Close it also after false. */
bool ct_rtp_places_open(struct ct_rtp_table *t);
void ct_rtp_places_close(struct ct_rtp_table *t);
/* Opens the stream of this packet, unless the table is full of streams that stay. `before` had this key, and gives its
 * place when nobody else does; NULL: there was none. */
void ct_rtp_places_take(struct ct_rtp_table *t, uint64_t hash, const struct ct_packet *p,
                        const struct ct_rtp_header *h, uint8_t origin, const struct ct_stream *before,
                        struct ct_rtp_events *out);
void ct_rtp_add_event(struct ct_rtp_events *out, uint8_t type, uint32_t index, uint32_t generation);

#endif
