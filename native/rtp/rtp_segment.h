/* SPDX-License-Identifier: Apache-2.0
 * rtp_segment.h - where a stream changes its payload type, and what it counted up to there.
 */
#ifndef CALLTAP_RTP_SEGMENT_H
#define CALLTAP_RTP_SEGMENT_H
#include "rtp/rtp_change.h"
#include "rtp/rtp_stream.h"

/* In front of a packet of another type than the segment's, with `missing` packets lost before it, and behind each that carries media. `counts`: it is new, and in
 * sequence. The bits of enum ct_update_bit that a new segment adds. */
void ct_segment_before(struct ct_changes *all, struct ct_stream *s, uint8_t pt, int64_t now,
                       uint32_t missing);
/* In front of a packet at which the open window ends: a run that began in it may be a segment, and ends it there. */
unsigned ct_segment_split(struct ct_changes *all, struct ct_stream *s, const struct ct_rtp_opts *o,
                          struct ct_rtp_closed *out);
unsigned ct_segment_after(struct ct_changes *all, struct ct_stream *s, const struct ct_rtp_opts *o,
                          uint8_t pt, bool counts, struct ct_rtp_closed *out);

#endif
