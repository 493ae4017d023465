/* SPDX-License-Identifier: Apache-2.0
 * rtp_segment.h - where a stream changes its payload type, and what it counted up to there.
 */
#ifndef CALLTAP_RTP_SEGMENT_H
#define CALLTAP_RTP_SEGMENT_H
#include "rtp/rtp_stream.h"

#define CT_RTP_CHANGES 4096u /* streams that may be amid a change at a time */

/* A run of another type than the stream's, that is not yet long enough: everything as it was in front of it. */
struct ct_change {
  uint32_t owner, generation; /* ct_stream.self; 0 none */
  uint32_t window_seq;
  uint8_t pt, run; /* CT_RTP_NO_PT: closed */
  uint16_t ts_step;
  int64_t start_ns, before_ns; /* its first packet, and the one in front of that */
  struct ct_rtp_mark mark;
  double sum[CT_RTP_LANES]; /* of the jitter, of the segment and of the open window */
  float window_sum[CT_RTP_LANES];
  float running[CT_RTP_LANES]; /* as it stood when the stream's own type ended */
};
struct ct_changes {
  uint32_t hand;
  struct ct_change ring[CT_RTP_CHANGES];
};

/* In front of a packet of another type than the segment's, with `missing` packets lost before it, and behind each that carries media. `counts`: it is new, and in
 * sequence. The bits of enum ct_update_bit that a new segment adds. */
void ct_segment_before(struct ct_changes *all, struct ct_stream *s, uint8_t pt, int64_t now,
                       uint32_t missing);
/* In front of a packet at which the open window ends: a run that began in it may be a segment, and ends it there. */
unsigned ct_segment_split(struct ct_changes *all, struct ct_stream *s, const struct ct_rtp_opts *o,
                          struct ct_rtp_closed *out);
unsigned ct_segment_after(struct ct_changes *all, struct ct_stream *s, const struct ct_rtp_opts *o,
                          uint8_t pt, bool counts, struct ct_rtp_closed *out);

/* rtp_window.c: closes the open window where the run began, the next begins there; false when nothing lay in it before. */
bool ct_stream_cut(struct ct_stream *s, const struct ct_rtp_opts *o, const struct ct_change *c,
                   struct ct_rtp_window *w);

#endif
