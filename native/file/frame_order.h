/* SPDX-License-Identifier: Apache-2.0
 * frame_order.h - which of two frames of the same time came first, as far as they say it themselves.
 */
#ifndef CALLTAP_FRAME_ORDER_H
#define CALLTAP_FRAME_ORDER_H
#include "core/frame.h"

/* Below 0: `a` first; above 0: `b` first; 0: they do not say. TCP by sequence and acknowledgment (RFC 9293 s3.4), RTP by
 * sequence, other packets between the same hosts by IP identification, a SIP response after a request. */
int ct_frame_order(const struct ct_frame *a, const struct ct_frame *b);

#endif
