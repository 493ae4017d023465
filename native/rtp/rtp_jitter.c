/* SPDX-License-Identifier: Apache-2.0
 * rtp_jitter.c - interarrival jitter for each clock a stream may have (RFC 3550 s6.4.1, A.8), the
 * clock inferred from timestamps against arrivals, and discards by a fixed jitter buffer.
 *
 *   D = (arrival - previous arrival) - (timestamp - previous timestamp) / clock
 *   J += (|D| - J) / 16
 *
 * J follows every packet as the RFC has it. The mean leaves out packets with the marker bit, as
 * Wireshark does: the first packet of a talkspurt carries the timing of the silence before it.
 * A |D| above CT_JUMP_MS is a new timestamp base, not jitter.
 */
#include <string.h>

#include "rtp/rtp_sample.h"

#define INFER_SPAN_NS 100000000LL
#define LONGEST_MS 120.0f   /* packet time that a stream may change to: a longer one is that of silence */
#define LONGEST_TICKS 5760u /* the same where the clock is unknown: at 48000 Hz */
#define LONGER_RUN 8        /* steps in a row that make the packet time longer */
#define MIN_CLOCK 1000u
#define MAX_CLOCK 1000000u

/* Clocks that payload formats use. */
static const uint32_t clocks[] = {8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 90000, 96000};

/* The stream so far only had types of known clock: what was measured holds for every hypothesis. */
static void widen(struct ct_stream *s) {
  for (int i = 0; i < CT_RTP_LANES - 1; i++) {
    s->jitter[i] = s->jitter0;
    s->jitter_wsum[i] = s->jitter0_wsum;
    s->jitter_sum[i + 1] = s->jitter_sum[0];
    s->late_ms[i] = (float)s->late_ns * 1e-6f;
    s->late_runs[i] = s->late_run;
    s->discarded_in[i] = s->discarded;
    s->w_discarded[i + 1] = s->w_discarded[0];
  }
  s->lane_mode = CT_LANES_ALL;
}

static void anchor(struct ct_stream *s) {
  s->late_ns = 0;
  s->late_run = 0;
  memset(s->late_ms, 0, sizeof(s->late_ms));
  memset(s->late_runs, 0, sizeof(s->late_runs));
}

static void use_clock(struct ct_stream *s, uint32_t clock) {
  s->clock = clock;
  s->ns_per_tick = 1e9f / (float)clock;
  if (clock == 8000 || clock == 16000 || clock == 48000 || clock == 90000 || clock == s->other_clock) return;
  s->other_clock = clock;
  s->other_skip = s->jitter_n;
  s->other_ms_per_tick = 1e3f / (float)clock;
  s->jitter[3] = s->jitter_wsum[3] = 0;
  s->jitter_sum[4] = 0;
  s->late_ms[3] = 0;
  s->late_runs[3] = 0;
  s->discarded_in[3] = 0;
  s->w_discarded[4] = 0;
}

/* At the right clock a packet lasts a multiple of 2.5 ms (RFC 6716: the shortest); video lasts anything. */
static bool fits_step(const struct ct_stream *s, uint32_t clock) {
  return s->ts_step == 0 || clock == 90000 || s->ts_step * 400u % clock == 0;
}

/* The known clock nearest to the timestamps' rate that fits the packet time and is within a fifth of it. */
static void infer_clock(struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  int64_t span = ct_ns_diff(now, s->first_audio_ns);
  int32_t ticks = (int32_t)(h->ts - s->first_audio_ts);
  if (span < INFER_SPAN_NS || ticks <= 0) return;
  double rate = (double)ticks * 1e9 / (double)span;
  uint32_t best = 0;
  double best_off = 0.2;
  for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
    double off = rate > clocks[i] ? rate / clocks[i] - 1 : clocks[i] / rate - 1;
    if (off >= best_off || !fits_step(s, clocks[i])) continue;
    best_off = off;
    best = clocks[i];
  }
  if (best != 0 && best != s->clock && !(s->flags & CT_SF_HINTED)) use_clock(s, best);
}

/* The delay grows by what the packet is later than the one before it; the reference falls at once to any packet that is
 * earlier than it, and rises slowly. Each lane has its own. */
static void discard_late(struct ct_stream *s, const struct ct_static_clock *fixed, int64_t dt, int32_t ticks,
                         int64_t buffer_ns) {
  const int64_t d = ct_lateness(dt, ticks, fixed->hz != 0 ? fixed->ns_per_tick : CT_LANE0_NS_PER_TICK);
  const bool is_new_base = d > CT_JUMP_NS || d < -CT_JUMP_NS;
  s->late_ns = is_new_base ? 0 : ct_next_late(s->late_ns, dt, d);
  const bool over = s->late_ns > buffer_ns;
  s->discarded += over;
  s->late_run = over ? (uint8_t)(s->late_run + 1) : 0;
  if (s->late_run == CT_REANCHOR_RUN) s->late_ns = s->late_run = 0;
  if (s->lane_mode == CT_LANES_ONE) return;
  const float dt_ms = (float)dt * 1e-6f;
  ct_late_lanes(s, ct_lateness_lanes(s, dt_ms, (float)ticks, fixed->ms_per_tick), dt_ms,
                (float)buffer_ns * 1e-6f);
}

/* The marker begins a talkspurt (RFC 3551 s4.1): where its silence did not move the timestamps, and wherever a sender fits
 * its clock in, the buffer starts from it. A sender that marks more than every eighth packet means something else by it. */
static bool begins_talkspurt(const struct ct_stream *s, const struct ct_rtp_header *h) {
  return h->marker && (uint64_t)s->markers * 8 <= s->packets;
}

/* A silence after which the sequence continues is the sender's own when it marks its end, or when the timestamp moved with
 * the time; a network that stalled delivers late what was stamped early. */
static bool ends_pause(const struct ct_rtp_header *h, int64_t dt, int64_t d) {
  return dt > CT_PAUSE_NS && (h->marker || (d < CT_PAUSE_NS / 2 && d > -CT_PAUSE_NS / 2));
}

static void remember(struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  s->last_ts = h->ts;
  s->last_audio_ns = now;
  s->audio_pt = h->pt;
}

/* The next packet is measured against this one, and the buffer starts from it. */
static void restart_timing(struct ct_stream *s, const struct ct_rtp_header *h, int64_t now) {
  anchor(s);
  s->first_audio_ns = now;
  s->first_audio_ts = h->ts;
  remember(s, h, now);
}

/* A silence, a lost event or the packet after a late one also makes an odd step: only one seen twice running is the packet
 * time. Who sends a frame now and then in silence (DTX) makes long steps in a row: the packet time is that of speech. */
static void learn_step(struct ct_stream *s, uint16_t ticks, float ns_per_tick) {
  if (s->ts_step_seen != ticks) s->ts_step_run = 0;
  s->ts_step_seen = ticks;
  if (s->ts_step_run < LONGER_RUN) s->ts_step_run++;
  const bool is_speech =
      ns_per_tick == 0 ? ticks <= LONGEST_TICKS : (float)ticks * ns_per_tick <= LONGEST_MS * 1.001e6f;
  if (s->ts_step == 0 || ticks < s->ts_step ? s->ts_step_run >= 2 : s->ts_step_run >= LONGER_RUN && is_speech)
    s->ts_step = ticks;
}

/* The SDP's clock, written by TypeScript at any time. */
static void take_hint(struct ct_stream *s) {
  uint32_t hint = __atomic_load_n(&s->clock_hint, __ATOMIC_RELAXED);
  if (hint == s->clock || hint < MIN_CLOCK || hint > MAX_CLOCK) return;
  s->flags |= CT_SF_HINTED;
  use_clock(s, hint);
}

void ct_jitter_update(struct ct_stream *s, const struct ct_rtp_header *h, int64_t now, int64_t buffer_ns,
                      bool neighbour) {
  const struct ct_static_clock *fixed = &ct_static_clocks[h->pt & 127];
  if (fixed->hz == 0 && s->lane_mode == CT_LANES_ONE) widen(s);
  if (!(s->flags & CT_SF_TIMED)) {
    s->flags |= CT_SF_TIMED;
    restart_timing(s, h, now);
    return;
  }
  if (h->pt != s->audio_pt) {
    restart_timing(s, h, now);
    return;
  }
  if (fixed->hz == 0) take_hint(s);
  int64_t dt = ct_ns_diff(now, s->last_audio_ns);
  int32_t ticks = (int32_t)(h->ts - s->last_ts);
  bool is_odd = ticks != s->ts_step || ticks != s->ts_step_seen;
  const float ns_per_tick = ct_ns_per_tick(s, h->pt);
  if (is_odd && neighbour && ticks > 0 && ticks <= UINT16_MAX) learn_step(s, (uint16_t)ticks, ns_per_tick);
  if (ns_per_tick != 0) {
    int64_t d = ct_lateness(dt, ticks, ns_per_tick);
    /* Key presses in between are no silence. */
    if (neighbour && s->last_pt == s->audio_pt && ends_pause(h, dt, d) && s->pauses < UINT16_MAX) s->pauses++;
    if (d > CT_JUMP_NS || d < -CT_JUMP_NS) {
      restart_timing(s, h, now);
      return;
    }
  }
  if (begins_talkspurt(s, h))
    anchor(s);
  else
    discard_late(s, fixed, dt, ticks, buffer_ns);
  ct_sample_jitter(s, fixed, dt, ticks, h->marker);
  if (!h->marker) {
    s->jitter_n++;
    if (fixed->hz == 0 && ct_is_infer_point(s->jitter_n - s->jitter_base)) infer_clock(s, h, now);
  }
  remember(s, h, now);
}
