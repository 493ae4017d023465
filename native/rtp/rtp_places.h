/* SPDX-License-Identifier: Apache-2.0
 * rtp_places.h - the places of the stream table: a new stream takes one, within fixed caps.
 *
 * A place that is given back rests in a queue before another stream takes it, so that the reading thread, which runs
 * later, still finds the last counters of a stream whose eviction it reads.
 */
#ifndef CALLTAP_RTP_PLACES_H
#define CALLTAP_RTP_PLACES_H
#include "rtp/rtp_table_state.h"

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
