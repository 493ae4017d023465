/* SPDX-License-Identifier: Apache-2.0
 * rtp_table.h - the RTP stream table: one owner thread writes, TypeScript reads it as typed arrays.
 *
 * A stream is (SSRC, source, destination, origin) (RFC 3550 s5, s6). Every candidate is counted
 * from its first packet; whether it is shown is decided by the heuristic here (ACCEPTED) or by an
 * SDP in TypeScript. No allocation per packet: chunks of CT_RTP_CHUNK streams that never move.
 */
#ifndef CALLTAP_RTP_TABLE_H
#define CALLTAP_RTP_TABLE_H
#include "core/frame.h"
#include "decode/packet.h"
#include "rtp/rtp_report.h"
#ifdef __cplusplus
extern "C" {
#endif

struct ct_rtp_table;
struct ct_stream; /* rtp_stream.h */

struct ct_rtp_table *ct_rtp_create(const struct ct_rtp_opts *o); /* NULL: out of memory */
void ct_rtp_free(struct ct_rtp_table *t);
/* p->cls must be CT_CLS_RTP. Hash, prefetch, then update: the reader does each over a batch. */
uint64_t ct_rtp_hash(const struct ct_rtp_table *t, const struct ct_packet *p, uint8_t origin);
void ct_rtp_prefetch_slot(const struct ct_rtp_table *t, uint64_t hash);
/* Gives the stream that the packet will probably be of, for ct_rtp_update(); NULL when none shows. */
struct ct_stream *ct_rtp_prefetch_stream(const struct ct_rtp_table *t, uint64_t hash, uint8_t pt);
/* Counts one packet. `guess` is what ct_rtp_prefetch_stream() gave for it, looked at before the index; NULL: none. */
void ct_rtp_update(struct ct_rtp_table *t, uint64_t hash, struct ct_stream *guess, const struct ct_packet *p,
                   uint8_t origin, struct ct_rtp_events *out);
/* For a plain frame (rtp_plain.h) what ct_rtp_hash() is for its packet. */
uint64_t ct_rtp_hash_plain(const struct ct_rtp_table *t, const uint8_t *frame, uint8_t origin);
/* Counts the plain frame as the next of its stream, which `guess` of ct_rtp_prefetch_stream() may be, captured (not HEP).
 * False when there is more to say about it, or when it is of another stream: then nothing was changed, and
 * ct_rtp_update() has to. */
bool ct_rtp_update_plain(struct ct_rtp_table *t, struct ct_stream *guess, const struct ct_frame *f);
/* The stream of the packet as it stands, without counting the packet; NULL: none. */
const struct ct_stream *ct_rtp_known(const struct ct_rtp_table *t, const struct ct_packet *p, uint32_t ssrc,
                                     uint8_t origin);
/* An SDP names this endpoint, or no longer does: as often one as the other. `addr` as in ct_packet, the rest of IPv4 zero.
 * Safe to call from the reading thread. */
void ct_rtp_name(struct ct_rtp_table *t, const uint8_t addr[16], uint16_t port, bool is_named);
/* Whether one does, as far as can be told at once. */
bool ct_rtp_is_named(const struct ct_rtp_table *t, const struct ct_packet *p);
/* For a source that may wait: `settle` returns when TypeScript has been told all and has said which streams it claims.
 * Called before one that nobody claims gives its place, unless it has been silent since the last call. */
void ct_rtp_on_settle(struct ct_rtp_table *t, void (*settle)(void *arg), void *arg);
/* The same for who needs it at another time. */
void ct_rtp_settle(const struct ct_rtp_table *t);
/* Chunk `i` as CT_RTP_CHUNK * sizeof(struct ct_stream) bytes, NULL when not allocated yet.
 * Safe to call from the reading thread. */
void *ct_rtp_chunk(const struct ct_rtp_table *t, uint32_t i);
uint32_t ct_rtp_stream_size(void);
/* CT_RC_COUNT of them. */
const uint64_t *ct_rtp_counters(const struct ct_rtp_table *t);

#ifdef __cplusplus
}
#endif
#endif
