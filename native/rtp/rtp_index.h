/* SPDX-License-Identifier: Apache-2.0
 * rtp_index.h - finds a stream by the hash of its key, in memory that grows without a pause.
 *
 * Open addressing over 8-byte slots. A full index doubles: each new stream moves 64 old slots, so no packet pays for a
 * whole rebuild. A `ref` is a stream's index + 1, 0 for none; a `tag` is the low half of its key's hash.
 */
#ifndef CALLTAP_RTP_INDEX_H
#define CALLTAP_RTP_INDEX_H
#include "rtp/rtp_stream.h"

struct ct_rtp_slot {
  uint32_t tag; /* its home is tag & mask */
  uint32_t ref; /* 0 empty */
};

struct ct_rtp_slots {
  struct ct_rtp_slot *at;
  uint32_t mask;
};

struct ct_rtp_index {
  struct ct_rtp_slots cur, old; /* old.at is NULL but while a rebuild is under way */
  uint32_t migrated;            /* old slots moved so far */
  uint32_t used;                /* slots taken in cur */
};

/* What tells streams of the same hash apart. */
struct ct_rtp_key {
  const struct ct_packet *p;
  uint32_t ssrc;
  uint8_t origin;
};
bool ct_rtp_same_key(const struct ct_stream *s, const struct ct_rtp_key *key);

bool ct_rtp_index_open(struct ct_rtp_index *x);
void ct_rtp_index_close(struct ct_rtp_index *x);
/* The ref of the stream with this key; 0 without one. `chunks` as in struct ct_rtp_table. */
uint32_t ct_rtp_index_find(const struct ct_rtp_index *x, struct ct_stream *const *chunks, uint32_t tag,
                           const struct ct_rtp_key *key);
/* A ref whose stream probably has this tag, from the first slots that a search looks at; 0 when none shows. */
uint32_t ct_rtp_index_guess(const struct ct_rtp_index *x, uint32_t tag);
void ct_rtp_index_prefetch(const struct ct_rtp_index *x, uint32_t tag);
/* Makes room for one more entry; false when memory for a larger index is not to be had. */
bool ct_rtp_index_reserve(struct ct_rtp_index *x);
void ct_rtp_index_insert(struct ct_rtp_index *x, uint32_t tag, uint32_t ref);
void ct_rtp_index_remove(struct ct_rtp_index *x, uint32_t tag, uint32_t ref);

#endif
