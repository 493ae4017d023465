/* SPDX-License-Identifier: Apache-2.0
 * rtp_plain.c - see rtp_plain.h: what the next packet of a stream changes when nothing about it is unusual.
 */
#include "rtp_plain.h"

#include "rtp_sample.h"

#define NEAR_NS 1000000000u /* a silence from here on is looked at: it may be the next call's */

/* Everything that rarely changes and that the short way relies on, asked once when it may have changed. */
uint8_t ct_stream_plain_of(const struct ct_stream *s) {
  uint8_t pt = s->last_pt;
  bool known = ct_static_clocks[pt & 127].hz != 0;
  bool is_audio = s->pt[0] == pt && s->main_pt == pt && s->audio_pt == pt && (s->event_mask & 1) == 0;
  bool is_timed = (s->flags & (CT_SF_TIMED | CT_SF_RETIRED)) == CT_SF_TIMED && s->ts_step == s->ts_step_seen;
  bool is_well = s->state == CT_STREAM_ACCEPTED && s->bad_seq > UINT16_MAX && s->late_run == 0;
  bool has_clock = known ? s->lane_mode == CT_LANES_ONE : s->ns_per_tick != 0;
  return is_audio && is_timed && is_well && has_clock && s->ip_version == 4 ? (uint8_t)(pt + 1) : 0;
}

static bool same_flow(const struct ct_stream *s, const uint8_t *d, uint8_t origin) {
  uint32_t other = ct_load32(s->src) ^ ct_load32(d + CT_PLAIN_IP + 12);
  other |= ct_load32(s->dst) ^ ct_load32(d + CT_PLAIN_IP + 16);
  other |= s->ssrc ^ ct_be32(d + CT_PLAIN_RTP + 8);
  other |= ((uint32_t)s->sport << 16 | s->dport) ^ ct_be32(d + CT_PLAIN_UDP);
  return (other | (uint32_t)(s->origin ^ origin)) == 0;
}

/* A clock that TypeScript gave meanwhile, or a sample at which the clock is inferred again. */
static bool clock_may_change(const struct ct_stream *s, bool marker) {
  uint32_t hint = __atomic_load_n(&s->clock_hint, __ATOMIC_RELAXED);
  return (hint != 0 && hint != s->clock) || (!marker && ct_is_infer_point(s->jitter_n + 1));
}

bool ct_stream_plain_packet(struct ct_stream *s, const struct ct_frame *f, uint8_t origin,
                            int64_t buffer_ns) {
  const uint8_t *d = f->data, *rtp = d + CT_PLAIN_RTP;
  const uint8_t pt = rtp[1] & 0x7f;
  const bool marker = rtp[1] >> 7;
  if (s->plain != pt + 1 || !same_flow(s, d, origin)) return false;
  const int64_t now = f->ts_ns;
  /* Unsigned, so that any difference there can be is right, and one below zero is large. */
  const uint64_t since = (uint64_t)now - (uint64_t)s->last_ns,
                 dt = (uint64_t)now - (uint64_t)s->last_audio_ns;
  if (since >= NEAR_NS || dt >= NEAR_NS || now >= s->window_end_ns) return false;
  /* The next in sequence; and the one that leaves the bitmap for it was received. */
  if ((uint16_t)(ct_be16(rtp + 2) - s->ext_max) != 1 || !(s->window_hi >> 63)) return false;
  if (s->dscp_last != d[CT_PLAIN_IP + 1] >> 2) return false;
  /* A step of the usual size teaches nothing, and neither does a packet more of the same frame of a picture. */
  const uint32_t ts = ct_be32(rtp + 4), ticks = ts - s->last_ts;
  if (ticks != s->ts_step && ticks != 0) return false;
  const struct ct_static_clock *fixed = &ct_static_clocks[pt];
  if (fixed->hz == 0 && clock_may_change(s, marker)) return false;
  const int64_t late =
      ct_lateness((int64_t)dt, (int32_t)ticks, fixed->hz != 0 ? fixed->ns_per_tick : s->ns_per_tick);
  const int64_t transit = s->transit_ns + late;
  int64_t least = s->min_transit_ns;
  if (transit < least)
    least = transit;
  else
    least += (int64_t)dt >> CT_DRIFT_SHIFT;
  if (late < -CT_JUMP_NS || transit - least > buffer_ns) return false;

  /* From here on it is counted. */
  s->last_ns = now;
  if ((int64_t)since > s->max_delta_ns) s->max_delta_ns = (int64_t)since;
  s->packets++;
  s->octets += ct_be16(d + 38) - 20u; /* UDP's length less both headers */
  s->pt0_count++;
  s->markers += marker;
  s->window_hi = s->window_hi << 1 | s->window_lo >> 63;
  s->window_lo = s->window_lo << 1 | 1;
  s->ext_max++;
  s->unique++;
  s->transit_ns = transit;
  s->min_transit_ns = least;
  ct_sample_jitter(s, fixed, (int64_t)dt, (int32_t)ticks, marker);
  s->jitter_n += !marker;
  s->last_ts = ts;
  s->last_audio_ns = now;
  return true;
}
