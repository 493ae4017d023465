/* SPDX-License-Identifier: Apache-2.0
 * rtp_update.c - takes one packet into one stream: counts, payload types, the probing heuristic. The owner thread calls
 * it; nothing here allocates.
 */
#include <string.h>

#include "rtp/rtp_plain.h"
#include "rtp/rtp_segment.h"
#include "rtp/rtp_sound.h"

#define PROBE_STEP 50 /* a forward step above this does not vouch for a candidate */

static bool plausible_pt(uint8_t pt) { return pt <= 34 || pt >= 96; }

/* CN (RFC 3389, and 19 of old), and a G.729 packet that is nothing but the comfort noise frame of Annex B (RFC 3551 s4.5.6):
 * its sender is silent, and when the next comes says nothing of the packet time. */
static bool is_comfort_noise(const struct ct_rtp_header *h) {
  return h->pt == 13 || h->pt == 19 || (h->pt == CT_RTP_G729 && h->octets == CT_RTP_G729_NOISE);
}

static uint32_t *pt_counter(struct ct_stream *s, uint32_t i) {
  return i == 0 ? &s->pt0_count : &s->pt_count[i - 1];
}

/* Which of the types it is; CT_RTP_PTS: none. */
static uint32_t place_of(struct ct_stream *s, uint8_t pt) {
  uint32_t i = 0;
  while (i < CT_RTP_PTS && *pt_counter(s, i) != 0 && s->pt[i] != pt) i++;
  return i;
}

/* A telephone-event packet is 4 bytes of a dynamic type that is not the stream's audio (RFC 4733 s2.3).
 * A type once seen with another size is audio after all. */
static bool is_event(struct ct_stream *s, const struct ct_rtp_header *h) {
  if (h->octets != 4) return false;
  const uint32_t i = place_of(s, h->pt);
  if (i < CT_RTP_PTS && *pt_counter(s, i) != 0) return s->event_mask >> i & 1;
  return h->pt >= 96 && h->pt != s->main_pt;
}

static void count_payload_type(struct ct_stream *s, const struct ct_rtp_header *h, bool event) {
  const uint32_t i = place_of(s, h->pt);
  if (i == CT_RTP_PTS) return;
  const uint8_t bit = (uint8_t)(1u << i);
  if ((*pt_counter(s, i))++ == 0) s->pt[i] = h->pt;
  s->event_mask = (uint8_t)(event ? s->event_mask | bit : s->event_mask & ~bit);
}

/* What the packet carries decides whether it has a say in the timing. Returns whether it is a key press
 * that is still reported. */
static bool take_payload(struct ct_stream *s, const struct ct_rtp_header *h, bool event, int64_t now,
                         int64_t buffer_ns, bool timed, bool neighbour) {
  count_payload_type(s, h, event);
  s->octets += h->octets;
  s->markers += h->marker;
  if (!event) ct_sound_take(s, h->payload, h->known);
  if (event) {
    s->event_packets++;
  } else if (is_comfort_noise(h)) {
    s->cn_packets++;
  } else {
    if (s->main_pt == CT_RTP_NO_PT) s->main_pt = h->pt;
    if (timed) ct_jitter_update(s, h, now, buffer_ns, neighbour);
  }
  return event && s->event_packets <= CT_RTP_KEYS;
}

/* The struct is zeroed: what is zero is not written, for each line written must come from memory first. The first packet
 * belongs to the first window, so that what had been counted when it began is zero too. */
void ct_stream_start(struct ct_stream *s, const struct ct_packet *p, const struct ct_rtp_header *h,
                     const struct ct_rtp_opts *o) {
  int64_t now = p->ts_ns;
  s->state = CT_STREAM_PROBING;
  s->main_pt = s->audio_pt = CT_RTP_NO_PT;
  s->last_pt = h->pt;
  s->dscp_first = s->dscp_last = p->dscp;
  s->first_ns = s->last_ns = now;
  ct_sequence_start(s, h->seq);
  s->window_start_ns = now;
  if (__builtin_add_overflow(now, (int64_t)o->window_ns, &s->window_end_ns)) s->window_end_ns = INT64_MAX;
  s->packets = 1;
  take_payload(s, h, is_event(s, h), now, 0, true, false);
}

/* Four of the first five packets, or of any five in a row, that step forward with one payload type:
 * the first needs no step, so three good steps of the last four decide. A repeat says nothing either way:
 * a mirror port that copies both directions shows every packet twice. */
static bool probe(struct ct_stream *s, const struct ct_rtp_header *h, enum ct_seq_verdict v, uint32_t step) {
  if (v == CT_SEQ_DUPLICATE) return false;
  bool good = v == CT_SEQ_FORWARD && step <= PROBE_STEP && h->pt == s->last_pt && plausible_pt(h->pt);
  s->probe_hist = (uint8_t)((s->probe_hist << 1 | good) & 15);
  return __builtin_popcount(s->probe_hist) >= 3;
}

unsigned ct_stream_packet(struct ct_stream *s, const struct ct_packet *p, const struct ct_rtp_header *h,
                          const struct ct_rtp_opts *o, struct ct_changes *changes,
                          struct ct_rtp_closed *out) {
  int64_t now = p->ts_ns;
  unsigned done = 0;
  const uint16_t ahead = (uint16_t)(h->seq - s->ext_max);
  const enum ct_leap leap = ahead != 1 ? ct_stream_leap(s, h, now) : CT_LEAP_NONE;
  /* The second packet of a sender that began anew confirms it, whatever its own step looks like. */
  const bool lost = ahead > 1 && !ct_confirms_jump(s, h->seq) &&
                    (leap == CT_LEAP_OUTAGE || (leap == CT_LEAP_NONE && ahead < CT_RTP_MAX_DROPOUT));
  const uint32_t missing = lost ? ahead - 1u : 0;
  if (now >= s->window_end_ns) done = ct_segment_split(changes, s, o, out);
  if (now >= s->window_end_ns) done |= ct_stream_roll(s, o, now, missing, out);
  const bool event = is_event(s, h), carries = !event && !is_comfort_noise(h);
  if (carries && h->pt != s->main_pt && s->main_pt != CT_RTP_NO_PT)
    ct_segment_before(changes, s, h->pt, now, missing);
  int64_t delta = ct_ns_diff(now, s->last_ns);
  if (delta > (int64_t)s->max_delta_us * 1000) s->max_delta_us = ct_delta_us(delta);
  if (delta > 0) s->last_ns = now;
  s->packets++;
  if (s->dscp_last != p->dscp) s->dscp_last = p->dscp;
  const bool follows_stray = h->seq == s->bad_seq && carries && !ct_stream_may_be_own(s, h);
  uint32_t before = s->ext_max;
  enum ct_seq_verdict v = ct_sequence_update(s, h->seq, leap);
  if (v == CT_SEQ_RESYNC) {
    if (ct_stream_has_arrival_clock(s)) s->flags |= CT_SF_PROVEN;
    s->flags &= (uint8_t)~CT_SF_TIMED;
  }
  if (v == CT_SEQ_STRAY && follows_stray && s->others < UINT16_MAX) s->others++;
  uint32_t step = s->ext_max - before;
  const bool timed = v != CT_SEQ_DUPLICATE && v != CT_SEQ_STRAY;
  const bool neighbour = step == 1 && !(s->flags & CT_SF_BEHIND);
  if (take_payload(s, h, event, now, (int64_t)o->buffer_ms * 1000000, timed, neighbour))
    done |= CT_UPDATE_KEY;
  if (timed) s->flags = (uint8_t)(v == CT_SEQ_LATE ? s->flags | CT_SF_BEHIND : s->flags & ~CT_SF_BEHIND);
  if (carries) done |= ct_segment_after(changes, s, o, h->pt, timed, out);
  if (s->state == CT_STREAM_PROBING && probe(s, h, v, step)) {
    s->state = CT_STREAM_ACCEPTED;
    done |= CT_UPDATE_ACCEPTED;
  }
  s->last_pt = h->pt;
  ct_stream_set_plain(s);
  return done;
}
