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

#define CT_REANCHOR_RUN 25 /* late packets in a row that make their delay the new reference */

#define CT_LANE0_MS_PER_TICK 0.125f /* 8000 Hz */
#define CT_LANE0_NS_PER_TICK 125000.0f

typedef float ct_v4f __attribute__((vector_size(16)));
typedef int32_t ct_v4i __attribute__((vector_size(16)));
typedef uint8_t ct_v4b __attribute__((vector_size(4)));

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
}

static inline ct_v4f ct_load4(const float *p) {
  ct_v4f v;
  memcpy(&v, p, sizeof(v));
  return v;
}

static inline ct_v4f ct_all4(float x) { return (ct_v4f){x, x, x, x}; }

/* What a packet of `ticks` after the one before it is late by in lanes 1..4. Lane 4 without a clock runs along unused. */
static inline ct_v4f ct_lateness_lanes(const struct ct_stream *s, float dt_ms, float ticks, float fixed) {
  ct_v4f per_tick = {1000.0f / 16000, 1000.0f / 48000, 1000.0f / 90000, s->other_ms_per_tick};
  if (fixed != 0) per_tick = ct_all4(fixed);
  return ct_all4(dt_ms) - ct_all4(ticks) * per_tick;
}

static inline ct_v4f ct_abs4(ct_v4f x) {
  const ct_v4i magnitude = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  return (ct_v4f)((ct_v4i)x & magnitude);
}

/* Lanes 1..4 at once. */
static inline void ct_sample_lanes(struct ct_stream *s, ct_v4f lateness, float counted) {
  ct_v4f count = ct_all4(counted), d = ct_abs4(lateness);
  ct_v4f j = ct_load4(s->jitter), sum = ct_load4(s->jitter_wsum);
  j += (ct_v4f)((ct_v4i)((d - j) * ct_all4(0.0625f)) & (ct_v4i)(d <= ct_all4(CT_JUMP_MS)));
  sum += j * count;
  memcpy(s->jitter, &j, sizeof(j));
  memcpy(s->jitter_wsum, &sum, sizeof(sum));
}

/* Lanes 1..4 of what ct_next_late() and discard_late() of rtp_jitter.c do in lane 0. */
static inline void ct_late_lanes(struct ct_stream *s, ct_v4f lateness, float dt_ms, float buffer_ms) {
  ct_v4i on_time = (ct_v4i)(ct_abs4(lateness) <= ct_all4(CT_JUMP_MS));
  ct_v4f late = ct_load4(s->late_ms) + lateness;
  const ct_v4f drift = ct_all4(dt_ms > 0 ? dt_ms * (1.0f / (1 << CT_DRIFT_SHIFT)) : 0.0f);
  late = (ct_v4f)((ct_v4i)(late - drift) & (ct_v4i)(late >= ct_all4(0)) & on_time);
  ct_v4b bytes;
  ct_v4i counts, over = (ct_v4i)(late > ct_all4(buffer_ms));
  memcpy(&bytes, s->late_runs, sizeof(bytes));
  memcpy(&counts, s->discarded_in, sizeof(counts));
  counts -= over; /* a lane that is over is -1 */
  ct_v4i runs = (__builtin_convertvector(bytes, ct_v4i) - over) & over;
  const ct_v4i full = {CT_REANCHOR_RUN, CT_REANCHOR_RUN, CT_REANCHOR_RUN, CT_REANCHOR_RUN};
  const ct_v4i goes_on = runs < full;
  runs &= goes_on;
  late = (ct_v4f)((ct_v4i)late & goes_on);
  bytes = __builtin_convertvector(runs, ct_v4b);
  memcpy(s->late_ms, &late, sizeof(late));
  memcpy(s->discarded_in, &counts, sizeof(counts));
  memcpy(s->late_runs, &bytes, sizeof(bytes));
}

/* Lanes of one packet: 8000 Hz (or its type's clock) alone, or all. */
static inline void ct_sample_jitter(struct ct_stream *s, const struct ct_static_clock *fixed, int64_t dt,
                                    int32_t ticks, bool marker) {
  float dt_ms = (float)dt * 1e-6f;
  ct_sample_lane0(
      s, ct_absf(dt_ms - (float)ticks * (fixed->hz != 0 ? fixed->ms_per_tick : CT_LANE0_MS_PER_TICK)),
      marker);
  if (s->lane_mode == CT_LANES_ALL)
    ct_sample_lanes(s, ct_lateness_lanes(s, dt_ms, (float)ticks, fixed->ms_per_tick), marker ? 0.0f : 1.0f);
}

/* After 32, 256 and 2,048 samples the clock is inferred: a stream that begins in a stalled network is judged again. */
static inline bool ct_is_infer_point(uint32_t samples) {
  return samples == 32 || samples == 256 || samples == 2048;
}

#endif
