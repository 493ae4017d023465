/* SPDX-License-Identifier: Apache-2.0
 * rtp_restart.c - what a jump in the sequence is: loss, an outage, a sender that began anew, packets that come late, or the
 * next call on the same port and SSRC. Times and timestamps tell what numbers alone do not.
 */
#include "rtp/rtp_stream.h"

#define REUSE_IDLE_NS 1000000000LL
#define PROOF_NS 100000000LL /* arrivals and timestamps must agree over at least so long */
#define JITTERS 32           /* of which an arrival clock may be coarse by */
#define VIDEO_CLOCK                                                                                          \
  90000.0 /* packets of one picture share their timestamp: it says nothing of their number */
#define EVENT_OCTETS 4
#define UNKNOWN_STEP 960 /* 20 ms at 48000 Hz, 120 ms at 8000 Hz */
#define FAR_BEHIND (-8)
#define OWN_SEC 64 /* what a second tap saw is at most so far from what the first one saw */

/* Within so many parts of it. */
static bool agrees(double a, double b, double parts) { return a > b - b / parts && a < b + b / parts; }

/* More packets are missing than any reordering or restart makes likely, up to the whole 16 bits. It is an outage where
 * sequence and timestamp both moved with the time: no other call has them so. */
static bool is_long_outage(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  uint16_t step = (uint16_t)(h->seq - s->ext_max);
  int32_t ticks = (int32_t)(h->ts - s->last_ts);
  if (step < CT_RTP_MAX_DROPOUT || ticks <= 0 || !(s->flags & CT_SF_TIMED) || h->pt != s->audio_pt)
    return false;
  double elapsed = (double)ct_ns_diff(now, s->last_audio_ns);
  return agrees((double)step * s->ts_step, ticks, 8) &&
         agrees(ticks * (double)ct_ns_per_tick(s, h->pt), elapsed, 8);
}

static const double lane_clocks[CT_RTP_LANES - 1] = {8000, 16000, 48000, VIDEO_CLOCK};

static bool moved_together(const struct ct_stream *s, double ns_per_tick) {
  double arrived = (double)ct_ns_diff(s->last_audio_ns, s->first_audio_ns);
  double stamped = (double)(int32_t)(s->last_ts - s->first_audio_ts) * ns_per_tick;
  return stamped >= (double)PROOF_NS && agrees(arrived, stamped, 4);
}

/* Of the type that was sent last; where its clock is not known yet, that of the lane at which arrivals and timestamps agree:
 * they lie so far apart that no two do. 0: none. */
static double likely_ns_per_tick(const struct ct_stream *s) {
  const double known = (double)ct_ns_per_tick(s, s->audio_pt);
  if (known != 0) return known;
  for (int i = 0; i < CT_RTP_LANES - 1; i++)
    if (moved_together(s, 1e9 / lane_clocks[i])) return 1e9 / lane_clocks[i];
  return 0;
}

bool ct_stream_has_arrival_clock(const struct ct_stream *s) {
  const double ns_per_tick = likely_ns_per_tick(s);
  return ns_per_tick != 0 && moved_together(s, ns_per_tick);
}

static double jitter_ns(const struct ct_stream *s, double ns_per_tick) {
  if (s->lane_mode == CT_LANES_ONE) return (double)s->jitter0 * 1e6;
  int lane = 0;
  while (lane < CT_RTP_LANES - 1 && !agrees(1e9 / ns_per_tick, lane_clocks[lane], 1000)) lane++;
  return (double)(lane == 0 ? s->jitter0 : s->jitter[lane - 1]) * 1e6;
}

/* The timestamp moved with the sequence. One of another clock cannot say so; neither does that of a key press (RFC 4733),
 * which is the press's beginning, and a few octets of comfort noise are taken for one. */
static bool fits_sequence(const struct ct_stream *s, const struct ct_rtp_header *h, uint16_t step) {
  if (h->pt != s->audio_pt && h->octets <= EVENT_OCTETS) return true;
  if (ct_ns_per_tick(s, h->pt) != ct_ns_per_tick(s, s->audio_pt)) return false;
  const double sent = (double)step * s->ts_step;
  double off = (double)(int32_t)(h->ts - s->last_ts) - sent;
  if (off < 0) off = -off;
  return off <= s->ts_step || off <= sent / 4;
}

/* There was no time in which the packets in between were due, and the timestamp did not move with them: the sender began
 * anew (RFC 3550 s5.1), as after music on hold or a transfer. A burst behind an outage has timestamps that fit. */
static bool is_jump(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  const uint16_t step = (uint16_t)(h->seq - s->ext_max);
  const double ns_per_tick = likely_ns_per_tick(s);
  if (step < 2 || step >= CT_RTP_MAX_DROPOUT || s->ts_step == 0) return false;
  if (!(s->flags & CT_SF_TIMED) || ns_per_tick == 0 || agrees(1e9 / ns_per_tick, VIDEO_CLOCK, 1000))
    return false;
  const double due = (double)(step - 1) * s->ts_step * ns_per_tick;
  const double elapsed = (double)ct_ns_diff(now, s->last_audio_ns) + JITTERS * jitter_ns(s, ns_per_tick);
  if (2 * elapsed >= due || fits_sequence(s, h, step)) return false;
  return (s->flags & CT_SF_PROVEN) != 0 || moved_together(s, ns_per_tick);
}

/* No loss and no delay moves a timestamp so: back while the number goes on, or the other way, or by more than the time since. A
 * key press (RFC 4733) has the timestamp of its beginning, and may have a clock of its own. */
static bool is_elsewhen(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  const float ns_per_tick = ct_ns_per_tick(s, h->pt);
  const int step = (int16_t)(uint16_t)(h->seq - s->ext_max);
  if (step >= CT_RTP_MAX_DROPOUT || step <= -CT_RTP_WINDOW_BITS || !(s->flags & CT_SF_TIMED)) return false;
  const bool may_be_key = h->octets <= EVENT_OCTETS && h->pt >= 96 && h->pt != s->audio_pt;
  if (ns_per_tick != ct_ns_per_tick(s, s->audio_pt) || may_be_key) return false;
  const double second = ns_per_tick != 0 ? 1e9 / (double)ns_per_tick : VIDEO_CLOCK;
  if (agrees(second, VIDEO_CLOCK, 1000)) return false;
  const double on = (double)(int32_t)(h->ts - s->last_ts) / second * (step > 0 ? 1 : -1);
  if (on < -1) return true;
  /* Far behind, and of the same time as the last one: its number is older, and its sound is not. */
  const bool at_head = s->last_pt == s->audio_pt && !(s->flags & CT_SF_BEHIND);
  if (step <= FAR_BEHIND && at_head && on * second < -step * (double)s->ts_step / 4) return true;
  return on > OWN_SEC + (double)ct_ns_diff(now, s->last_audio_ns) / 1e9;
}

enum ct_leap ct_stream_leap(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  if (is_long_outage(s, h, now)) return CT_LEAP_OUTAGE;
  return is_jump(s, h, now) || is_elsewhen(s, h, now) ? CT_LEAP_JUMP : CT_LEAP_NONE;
}

/* A packet that was sent before others that came: its timestamp lies near theirs. */
static bool is_late(const struct ct_stream *s, const struct ct_rtp_header *h, int step) {
  if (step > 0 || step <= -CT_RTP_WINDOW_BITS) return false;
  const float ns_per_tick = ct_ns_per_tick(s, h->pt);
  int64_t second = ns_per_tick != 0 ? (int64_t)(1e9f / ns_per_tick) : (int64_t)VIDEO_CLOCK;
  int64_t most = CT_RTP_WINDOW_BITS * (int64_t)(s->ts_step != 0 ? s->ts_step : UNKNOWN_STEP) + second;
  int64_t ticks = (int32_t)(h->ts - s->last_ts);
  return ticks <= most && ticks >= -most;
}

bool ct_stream_may_be_own(const struct ct_stream *s, const struct ct_rtp_header *h) {
  if (!(s->flags & CT_SF_TIMED)) return true;
  const float ns_per_tick = ct_ns_per_tick(s, h->pt);
  const double second = ns_per_tick != 0 ? 1e9 / (double)ns_per_tick : VIDEO_CLOCK;
  const double steps = (double)(int16_t)(uint16_t)(h->seq - s->ext_max) * s->ts_step;
  const double ticks = (double)(int32_t)(h->ts - s->last_ts);
  if (ticks > OWN_SEC * second || ticks < -OWN_SEC * second) return false;
  if (s->ts_step == 0) return true;
  /* Silence moves timestamps further than numbers, and nothing moves them less. */
  return steps < 0 ? ticks <= steps * 3 / 4 : ticks >= steps * 3 / 4;
}

bool ct_stream_is_reuse(const struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  int64_t idle = ct_ns_diff(now, s->last_ns);
  if (idle < REUSE_IDLE_NS) return false;
  int step = (int16_t)(uint16_t)(h->seq - s->ext_max);
  if (step == 1) return false; /* a hold that continues */
  if (is_late(s, h, step)) return false;
  if (step <= 0 || step >= CT_RTP_MAX_DROPOUT) return !is_long_outage(s, h, now);
  double ns_per_tick = (double)ct_ns_per_tick(s, h->pt);
  if (ns_per_tick == 0 || !(s->flags & CT_SF_TIMED)) return false;
  /* Packets were lost, or this is another call: the timestamps must have moved with the time. */
  int64_t elapsed = ct_ns_diff(now, s->last_audio_ns);
  int64_t off = ct_ns_diff((int64_t)((double)(int32_t)(h->ts - s->last_ts) * ns_per_tick), elapsed);
  if (off < 0) off = -off;
  if (off <= REUSE_IDLE_NS || off <= elapsed / 2) return false;
  /* A stalled network delivers late what was sent in one go: then they moved with the sequence. */
  int64_t ticks = (int32_t)(h->ts - s->last_ts), sent = (int64_t)step * s->ts_step;
  return sent == 0 || ticks < sent / 2 || ticks > sent + sent / 2;
}
