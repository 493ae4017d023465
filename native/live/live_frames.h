/* SPDX-License-Identifier: Apache-2.0
 * live_frames.h - the frames in a block of a packet ring, as batches for the pipeline.
 *
 * Frames are decoded where the kernel put them: a batch points into the block, which is given back when
 * the batch has been processed.
 */
#ifndef CALLTAP_LIVE_FRAMES_H
#define CALLTAP_LIVE_FRAMES_H
#include "live/live_iface.h"
#include "pipeline/pipeline.h"
#ifdef __cplusplus
extern "C" {
#endif

enum ct_live_link {
  CT_LIVE_ETHERNET = 1,
  CT_LIVE_RAW_IP = 101,
  CT_LIVE_C_HDLC = 104,
};
#define CT_LIVE_UNKNOWN UINT32_MAX

struct ct_live_frames {
  struct ct_pipeline *pl;
  uint64_t ordinal; /* of the next frame */
  int64_t last_ns;  /* newest time of a frame */
  struct ct_frame frame[CT_BATCH];
  uint32_t n;
  uint32_t used;                   /* of scratch */
  uint8_t scratch[CT_GSO_SCRATCH]; /* frames made from segmentation offload */
};

void ct_live_frames_init(struct ct_live_frames *b, struct ct_pipeline *pl);
/* Gives the frames of `block`, which belongs to the ring of `f`, to the pipeline. */
void ct_live_take_block(struct ct_live_frames *b, struct ct_live_iface *f, struct ct_sink *sink,
                        struct tpacket_block_desc *block);
/* The link type (LINKTYPE_*) of frames that a raw packet socket gets from a device of type ARPHRD_*;
 * CT_LIVE_UNKNOWN when their link header is not known here. */
uint32_t ct_live_link_type(uint16_t hatype);

#ifdef __cplusplus
}
#endif
#endif
