/* SPDX-License-Identifier: Apache-2.0
 * frame_record.h - hands a captured frame to TypeScript after the records that it gave (`frames` of the pipeline).
 *
 * TypeScript knows by then which calls the frame belongs to, and puts it into their files. Order is that of the capture,
 * so nothing is decided too late and nothing must be kept here.
 */
#ifndef CALLTAP_FRAME_RECORD_H
#define CALLTAP_FRAME_RECORD_H
#include "core/slab.h"
#include "pipeline/pipeline_state.h"

/* The number that records of this packet name its frame by. */
double ct_frame_number(const struct ct_pipeline *pl, const struct ct_packet *p);
/* The frame of `p`; nothing where frames are not wanted, or where the packet has none. */
void ct_emit_frame(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p,
                   enum ct_frame_part part, uint32_t stream, uint32_t generation);
/* The same by the class of a packet that is no RTP, where a call may have to do with it. */
void ct_emit_frame_of_class(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p);

#endif
