/* SPDX-License-Identifier: Apache-2.0
 * rtp_sample.h - one sample of jitter and of lateness (RFC 3550 s6.4.1), for the long and the short way of a packet.
 */
#ifndef CALLTAP_RTP_SAMPLE_H
#define CALLTAP_RTP_SAMPLE_H
#include <string.h>

#include "rtp/rtp_stream.h"

#define CT_JUMP_MS 5000.0f
#define CT_JUMP_NS 5000000000LL
#define CT_PAUSE_NS 200000000LL /* longer than any packet time, and than a network holds back for a moment */
#define CT_DRIFT_SHIFT 12       /* the reference rises by elapsed / 4096: faster than any clock skew */

#define CT_LANE0_MS_PER_TICK 0.125f /* 8000 Hz */

typedef float ct_v4f __attribute__((vector_size(16)));
typedef int32_t ct_v4i __attribute__((vector_size(16)));

static inline float ct_absf(float x) { return x < 0 ? -x : x; }

/* What a packet is late by against the one before it, in ns: elapsed less what its timestamp says. */
static inline int64_t ct_lateness(int64_t dt, int32_t ticks, float ns_per_tick) {
  return ct_ns_diff(dt, (int64_t)((double)ticks * (double)ns_per_tick));
}

/* Delay beyond the playout reference after a packet that is `d` later than the one before it, `dt` after it. Below zero
 * the packet is the new reference. */
static inline int64_t ct_next_late(int64_t late, int64_t dt, int64_t d) {
  int64_t next = late + d;
  if (next < 0) return 0;
  return dt > 0 ? next - (dt >> CT_DRIFT_SHIFT) : next;
}

/* The marker's sample is not counted: see rtp_jitter.c. */
static inline void ct_sample_lane0(struct ct_stream *s, float d, bool marker) {
  float j = s->jitter0;
  if (d <= CT_JUMP_MS) j += (d - j) * 0.0625f;
  s->jitter0 = j;
  if (marker) return;
  s->jitter0_wsum += j;
  if (j > s->jitter0_max) s->jitter0_max = j;
}

static inline ct_v4f ct_load4(const float *p) {
  ct_v4f v;
  memcpy(&v, p, sizeof(v));
  return v;
}

static inline ct_v4f ct_all4(float x) { return (ct_v4f){x, x, x, x}; }

/* Lanes 1..4 at once. Lane 4 without a clock runs along unused. */
static inline void ct_sample_lanes(struct ct_stream *s, float dt_ms, float ticks, float fixed,
                                   float counted) {
  ct_v4f per_tick = {1000.0f / 16000, 1000.0f / 48000, 1000.0f / 90000, s->other_ms_per_tick};
  if (fixed != 0) per_tick = ct_all4(fixed);
  const ct_v4i magnitude = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  ct_v4f count = ct_all4(counted);
  ct_v4f d = (ct_v4f)((ct_v4i)(ct_all4(dt_ms) - ct_all4(ticks) * per_tick) & magnitude);
  ct_v4f j = ct_load4(s->jitter), sum = ct_load4(s->jitter_wsum), max = ct_load4(s->jitter_max);
  j += (ct_v4f)((ct_v4i)((d - j) * ct_all4(0.0625f)) & (ct_v4i)(d <= ct_all4(CT_JUMP_MS)));
  sum += j * count;
  ct_v4i higher = (ct_v4i)(j * count > max);
  max = (ct_v4f)(((ct_v4i)j & higher) | ((ct_v4i)max & ~higher));
  memcpy(s->jitter, &j, sizeof(j));
  memcpy(s->jitter_wsum, &sum, sizeof(sum));
  memcpy(s->jitter_max, &max, sizeof(max));
}

/* Lanes of one packet: 8000 Hz (or its type's clock) alone, or all. */
static inline void ct_sample_jitter(struct ct_stream *s, const struct ct_static_clock *fixed, int64_t dt,
                                    int32_t ticks, bool marker) {
  float dt_ms = (float)dt * 1e-6f;
  ct_sample_lane0(
      s, ct_absf(dt_ms - (float)ticks * (fixed->hz != 0 ? fixed->ms_per_tick : CT_LANE0_MS_PER_TICK)),
      marker);
  if (s->lane_mode == CT_LANES_ALL)
    ct_sample_lanes(s, dt_ms, (float)ticks, fixed->ms_per_tick, marker ? 0.0f : 1.0f);
}

/* After 32, 256 and 2,048 samples the clock is inferred: a stream that begins in a stalled network is judged again. */
static inline bool ct_is_infer_point(uint32_t samples) {
  return samples == 32 || samples == 256 || samples == 2048;
}

#endif
