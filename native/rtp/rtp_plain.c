/* SPDX-License-Identifier: Apache-2.0
 * rtp_plain.c - see rtp_plain.h: what the next packet of a stream changes when nothing about it is unusual.
 */
#include "rtp/rtp_plain.h"

#include "core/record.h"
#include "rtp/rtp_sample.h"
#include "rtp/rtp_sound.h"

#define NEAR_NS ((uint64_t)CT_PAUSE_NS) /* a silence from here on is looked at: a pause, or the next call */
#define FIRST_DYNAMIC 96u      /* payload types from here on have no clock of their own (RFC 3551 s3) */
#define LONGEST_STEP_MS 4000.0 /* a second more at most, and a sample is below CT_JUMP_MS */

/* Everything that rarely changes and that the short way relies on, asked once when it may have changed. */
static bool may_be_plain(const struct ct_stream *s) {
  const uint8_t pt = s->last_pt;
  bool is_audio = s->pt[0] == pt && s->main_pt == pt && s->audio_pt == pt && (s->event_mask & 1) == 0;
  bool is_timed = (s->flags & (CT_SF_TIMED | CT_SF_RETIRED | CT_SF_BEHIND | CT_SF_JUMPED)) == CT_SF_TIMED &&
                  s->ts_step == s->ts_step_seen && s->last_audio_ns == s->last_ns;
  bool is_well = s->state == CT_STREAM_ACCEPTED && s->late_run == 0;
  bool is_wire = s->ip_version == 4 && s->origin == CT_ORIGIN_WIRE;
  return is_audio && is_timed && is_well && is_wire;
}

void ct_stream_set_plain(struct ct_stream *s) {
  s->plain = 0;
  if (!may_be_plain(s)) return;
  const struct ct_static_clock *fixed = &ct_static_clocks[s->last_pt & 127];
  bool known = fixed->hz != 0 && s->lane_mode == CT_LANES_ONE;
  bool unknown = fixed->hz == 0 && s->last_pt >= FIRST_DYNAMIC && s->ns_per_tick != 0;
  if (!known && !unknown) return;
  /* As the long way reckons them, so that the sums are the same to the last bit. */
  s->step_ns =
      (int64_t)((double)(int32_t)s->ts_step * (double)(known ? fixed->ns_per_tick : CT_LANE0_NS_PER_TICK));
  s->step_ms = (float)(int32_t)s->ts_step * (known ? fixed->ms_per_tick : CT_LANE0_MS_PER_TICK);
  if ((double)s->step_ns > LONGEST_STEP_MS * 1e6 || (double)s->step_ms > LONGEST_STEP_MS) return;
  s->plain = (uint8_t)(s->last_pt + 1);
}

static inline bool same_flow(const struct ct_stream *s, const uint8_t *d) {
  const uint64_t addresses = ct_load64(d + CT_PLAIN_IP + 12);
  const uint64_t rest = (uint64_t)ct_be32(d + CT_PLAIN_UDP) << 32 | ct_be32(d + CT_PLAIN_RTP + 8);
  return addresses == ((uint64_t)s->dst4 << 32 | s->src4) &&
         rest == ((uint64_t)s->sport << 48 | (uint64_t)s->dport << 32 | s->ssrc);
}

/* A clock that TypeScript gave meanwhile, or a sample at which the clock is inferred again. */
static bool clock_may_change(const struct ct_stream *s) {
  uint32_t hint = __atomic_load_n(&s->clock_hint, __ATOMIC_RELAXED);
  return (hint != 0 && hint != s->clock) || ct_is_infer_point(s->jitter_n - s->jitter_base + 1);
}

bool ct_stream_plain_packet(struct ct_stream *s, const struct ct_frame *f, int64_t buffer_ns) {
  const uint8_t *d = f->data;
  const int64_t now = f->ts_ns;
  /* A marker makes another number of the type: what it begins goes the long way. */
  if (s->plain != d[CT_PLAIN_RTP + 1] + 1u || !same_flow(s, d)) return false;
  /* Unsigned, so that any difference there can be is right, and one below zero is large. */
  const uint64_t dt = (uint64_t)now - (uint64_t)s->last_ns;
  if (dt >= NEAR_NS || now >= s->window_end_ns) return false;
  /* The next in sequence; and the one that leaves the bitmap for it was received. */
  if (ct_be16(d + CT_PLAIN_RTP + 2) != (uint16_t)(s->ext_max + 1) || (int64_t)s->window_hi >= 0) return false;
  if (s->dscp_last != d[CT_PLAIN_IP + 1] >> 2) return false;
  const uint32_t octets = ct_be16(d + CT_PLAIN_UDP + 4) - 20u; /* UDP's length less both headers */
  if (octets == CT_RTP_G729_NOISE && s->plain == CT_RTP_G729 + 1) return false;
  /* A step of the usual size teaches nothing, and neither does a packet more of the same frame of a picture. */
  const uint32_t ts = ct_be32(d + CT_PLAIN_RTP + 4);
  int64_t step_ns = s->step_ns;
  float step_ms = s->step_ms;
  if (ts - s->last_ts != s->ts_step) {
    if (ts != s->last_ts) return false;
    step_ns = 0;
    step_ms = 0;
  }
  const int64_t late = ct_next_late(s->late_ns, (int64_t)dt, (int64_t)dt - step_ns);
  if (late > buffer_ns) return false;
  const bool dynamic = d[CT_PLAIN_RTP + 1] >= FIRST_DYNAMIC;
  if (dynamic && clock_may_change(s)) return false;

  /* From here on it is counted. */
  const float dt_ms = (float)(int64_t)dt * 1e-6f;
  if (dynamic) {
    const ct_v4f lateness = ct_lateness_lanes(s, dt_ms, (float)(int32_t)(ts - s->last_ts), 0);
    ct_sample_lanes(s, lateness, 1.0f);
    ct_late_lanes(s, lateness, dt_ms, (float)buffer_ns * 1e-6f);
  }
  s->last_ns = now;
  s->last_ts = ts;
  s->late_ns = late;
  if ((int64_t)dt > (int64_t)s->max_delta_us * 1000) s->max_delta_us = ct_delta_us((int64_t)dt);
  s->packets++;
  s->octets += octets;
  s->window_hi = s->window_hi << 1 | s->window_lo >> 63;
  s->window_lo = s->window_lo << 1 | 1;
  s->ext_max++;
  s->unique++;
  s->jitter_n++;
  s->pt0_count++;
  ct_sample_lane0(s, ct_absf(dt_ms - step_ms), false);
  const uint32_t captured = f->caplen - CT_PLAIN_END;
  ct_sound_take(s, d + CT_PLAIN_END, captured < octets ? captured : octets);
  return true;
}
