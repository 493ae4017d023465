/* SPDX-License-Identifier: Apache-2.0
 * gen_media.h - sends the RTP and RTCP packets of a call.
 */
#ifndef CALLTAP_BENCH_GEN_MEDIA_H
#define CALLTAP_BENCH_GEN_MEDIA_H
#include "gen_net.h"

#define RTCP_US 5000000u /* between two reports of a side */
#define NOISE_BYTES 65536u

struct media {
  struct wire *wire;
  struct truth *truth;
  uint32_t loss_permille;
  uint8_t noise[NOISE_BYTES]; /* what codecs say */
};
/* Sends RTP packet `k` of the direction, or loses it. */
void media_rtp(struct media *m, struct call *c, int side, uint32_t k, uint64_t t);
/* Sends the report of a side on the other direction. */
void media_rtcp(struct media *m, const struct call *c, int side, uint64_t t);
#endif
