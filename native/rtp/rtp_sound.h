/* SPDX-License-Identifier: Apache-2.0
 * rtp_sound.h - whether all that a stream carried was one octet, again and again: the digital silence of G.711.
 *
 * Octets are compared at both ends of the payload, as far as it was captured: a kernel filter leaves the first sixteen. What
 * codec it is, the descriptions say, which TypeScript reads.
 */
#ifndef CALLTAP_RTP_SOUND_H
#define CALLTAP_RTP_SOUND_H
#include <string.h>

#include "rtp/rtp_stream.h"

#define CT_SOUND_OCTETS 16u /* 2 ms: no tone stands still for so long at both ends of each packet */
#define CT_SOUND_LEVEL 0x7f /* the sign of nothing may change (ITU-T G.711) */

/* `octets` of a payload were captured, with fewer than sixteen nobody can say. */
static inline void ct_sound_take(struct ct_stream *s, const uint8_t *payload, uint32_t octets) {
  /* Most streams have been heard since their first packet. */
  if (s->sound == CT_SOUND_HEARD) return;
  if (octets < CT_SOUND_OCTETS) {
    s->sound = CT_SOUND_UNKNOWN;
    return;
  }
  const uint64_t same = payload[0] * UINT64_C(0x0101010101010101);
  uint64_t first[2], last[2];
  memcpy(first, payload, sizeof first);
  memcpy(last, payload + octets - sizeof last, sizeof last);
  if (((first[0] ^ same) | (first[1] ^ same) | (last[0] ^ same) | (last[1] ^ same)) != 0)
    s->sound = CT_SOUND_HEARD;
  else if (s->sound == CT_SOUND_SILENT && ((payload[0] ^ s->octet) & CT_SOUND_LEVEL) != 0)
    s->sound = CT_SOUND_STEPS;
  else if (s->sound == CT_SOUND_NONE || s->sound == CT_SOUND_SILENT) {
    s->sound = CT_SOUND_SILENT;
    s->octet = payload[0];
  }
}

#endif
