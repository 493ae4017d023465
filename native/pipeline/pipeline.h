/* SPDX-License-Identifier: Apache-2.0
 * pipeline.h - from a decoded packet to a record, a stream update or a counter.
 *
 * One owner thread; the only door for other threads is inject.h, a bounded queue for RTP that was
 * found inside a reassembled datagram.
 */
#ifndef CALLTAP_PIPELINE_H
#define CALLTAP_PIPELINE_H
#include "core/frame.h"
#include "core/slab.h"
#include "decode/packet.h"
#include "pipeline/pipeline_state.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CT_BATCH 64u
/* Messages outside the gate that are shown to TypeScript in a second; the others are counted alone. @cap */
#define CT_SHOWN_A_SECOND 2000u

bool ct_pipeline_init(struct ct_pipeline *pl);
void ct_pipeline_close(struct ct_pipeline *pl);
/* Before the start: SIP is analysed on every port. False without memory. */
bool ct_pipeline_take_any_sip(struct ct_pipeline *pl);
/* Before the start: SIP outside the gate is shown, CT_SHOWN_A_SECOND at most, and that of learned sockets analysed. False
 * without memory. */
bool ct_pipeline_learn_sip(struct ct_pipeline *pl);
/* Owner: frames come from more than one source or interface from now on. Without memory all of them count. */
void ct_pipeline_expect_copies(struct ct_pipeline *pl);
/* Decode, classify, hash and update a batch of at most CT_BATCH frames in order, emitting to `sink`. */
void ct_pipeline_batch(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_frame *frame,
                       uint32_t n);
/* Decode a reassembled IP payload on the calling thread into a scratch sink; RTP is queued for the
 * owner. `p` has ts_ns, ordinal, addresses, ip_version, proto, dscp and vlan set. */
void ct_pipeline_datagram(struct ct_pipeline *pl, struct ct_sink *scratch, struct ct_packet *p,
                          const uint8_t *data, uint32_t len);
/* Owner: apply what was injected. */
void ct_pipeline_drain_injected(struct ct_pipeline *pl, struct ct_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
