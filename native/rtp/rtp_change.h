/* SPDX-License-Identifier: Apache-2.0
 * rtp_change.h - streams that may be amid a change of their payload type, each as it was in front of it.
 */
#ifndef CALLTAP_RTP_CHANGE_H
#define CALLTAP_RTP_CHANGE_H
#include "rtp/rtp_report.h"

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

#endif
