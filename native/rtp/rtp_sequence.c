/* SPDX-License-Identifier: Apache-2.0
 * rtp_sequence.c - decides whether a sequence number is new, late, a duplicate or a restart, and
 * splits the losses into bursts and gaps (RFC 3550 A.1 and A.3; RFC 3611 s4.7.2, Gmin 16).
 *
 * The last 128 sequence numbers are a bitmap. A hole is only judged lost for the burst metrics when
 * it leaves the bitmap, so a late packet never makes a burst. Losses with fewer than Gmin packets
 * received between them form a cluster: of one packet it is a gap loss, of more a burst.
 */
#include "rtp/rtp_stream.h"

#define MAX_EARLY 16u /* how far before the first packet captured a reordered start may reach */

__extension__ typedef unsigned __int128 bitmap;
_Static_assert(CT_RTP_WINDOW_BITS == 8 * sizeof(bitmap), "one bit a sequence number");

static bitmap window_of(const struct ct_stream *s) { return (bitmap)s->window_hi << 64 | s->window_lo; }

static void set_window(struct ct_stream *s, bitmap w) {
  s->window_lo = (uint64_t)w;
  s->window_hi = (uint64_t)(w >> 64);
}

static bool window_bit(const struct ct_stream *s, uint32_t i) { return window_of(s) >> i & 1; }

static void close_cluster(struct ct_stream *s) {
  if (s->cluster_lost == 1) {
    s->gap_lost++;
  } else if (s->cluster_lost > 1) {
    s->burst_count++;
    s->burst_packets += s->cluster_last - s->cluster_first + 1;
    s->burst_lost += s->cluster_lost;
  }
  s->cluster_lost = 0;
}

/* `n` consecutive sequence numbers from `first` are lost for good. */
static void judge_lost(struct ct_stream *s, uint32_t first, uint32_t n) {
  if (s->cluster_lost > 0 && first - s->cluster_last - 1 >= CT_RTP_GMIN) close_cluster(s);
  if (s->cluster_lost == 0) s->cluster_first = first;
  s->cluster_lost += n;
  s->cluster_last = first + n - 1;
}

/* The oldest `n` (1..128) sequence numbers leave the bitmap. */
static void judge_leaving(struct ct_stream *s, uint32_t n) {
  for (uint32_t i = CT_RTP_WINDOW_BITS; i-- > CT_RTP_WINDOW_BITS - n;)
    if (!window_bit(s, i)) judge_lost(s, s->ext_max - i, 1);
}

static void step_forward(struct ct_stream *s, uint32_t step) {
  if (step == 1) {
    if (!(s->window_hi >> 63)) judge_lost(s, s->ext_max - (CT_RTP_WINDOW_BITS - 1), 1);
    set_window(s, window_of(s) << 1 | 1);
  } else {
    s->loss_runs++;
    judge_leaving(s, step < CT_RTP_WINDOW_BITS ? step : CT_RTP_WINDOW_BITS);
    if (step > CT_RTP_WINDOW_BITS) judge_lost(s, s->ext_max + 1, step - CT_RTP_WINDOW_BITS);
    set_window(s, step < CT_RTP_WINDOW_BITS ? window_of(s) << step | 1 : 1);
  }
  s->ext_max += step;
  s->unique++;
  s->flags &= (uint8_t)~CT_SF_JUMPED;
}

/* A packet from before the first one captured: the capture began amid a reordering. */
static enum ct_seq_verdict before_base(struct ct_stream *s, uint32_t behind) {
  uint32_t ext = s->ext_max - behind;
  uint32_t early = s->base_ext - ext;
  if (early > MAX_EARLY) {
    s->strays++;
    return CT_SEQ_STRAY;
  }
  for (uint32_t i = 1; i < early; i++) set_window(s, window_of(s) & ~((bitmap)1 << (behind - i)));
  if (early > 1) s->loss_runs++;
  s->base_ext = ext;
  s->unique++;
  s->reordered++;
  return CT_SEQ_LATE;
}

static enum ct_seq_verdict behind_max(struct ct_stream *s, uint32_t behind) {
  if (window_bit(s, behind)) {
    if (s->ext_max - s->base_ext < behind) return before_base(s, behind);
    s->duplicates++;
    return CT_SEQ_DUPLICATE;
  }
  /* Filling a hole ends its run, shortens it, or splits it in two. */
  bool newer_lost = !window_bit(s, behind - 1);
  bool older_lost = behind + 1 < CT_RTP_WINDOW_BITS
                        ? !window_bit(s, behind + 1)
                        : s->cluster_lost > 0 && s->cluster_last == s->ext_max - behind - 1;
  if (newer_lost && older_lost)
    s->loss_runs++;
  else if (!newer_lost && !older_lost)
    s->loss_runs--;
  set_window(s, window_of(s) | (bitmap)1 << behind);
  s->unique++;
  s->reordered++;
  return CT_SEQ_LATE;
}

void ct_sequence_start(struct ct_stream *s, uint16_t seq) {
  s->ext_max = s->base_ext = 0x10000u + seq;
  s->window_lo = s->window_hi = UINT64_MAX;
  s->flags &= (uint8_t)~CT_SF_JUMPED;
  s->unique = 1;
}

/* Two packets in sequence after a jump: the sender restarted. Loss is not faked across it. */
static enum ct_seq_verdict resync(struct ct_stream *s, uint16_t seq) {
  judge_leaving(s, CT_RTP_WINDOW_BITS);
  close_cluster(s);
  s->expected_prev += s->ext_max - s->base_ext + 1;
  const uint16_t left = (uint16_t)(s->ext_max + 1);
  /* The next cycle of the first of the two, so that extended numbers only grow. */
  s->base_ext = (s->ext_max & 0xffff0000u) + 0x10000u + (uint16_t)(seq - 1);
  s->ext_max = s->base_ext + 1;
  s->window_lo = s->window_hi = UINT64_MAX;
  s->flags &= (uint8_t)~CT_SF_JUMPED;
  s->unique += 2;
  s->strays--;       /* the first of the two, counted as a stray when it came */
  s->bad_seq = left; /* a second source goes on where it was left */
  if (s->resyncs < UINT16_MAX) s->resyncs++;
  return CT_SEQ_RESYNC;
}

enum ct_seq_verdict ct_sequence_update(struct ct_stream *s, uint16_t seq, enum ct_leap leap) {
  if (ct_confirms_jump(s, seq)) return resync(s, seq);
  const uint16_t ahead = (uint16_t)(seq - s->ext_max);
  if (leap == CT_LEAP_OUTAGE || (leap == CT_LEAP_NONE && ahead > 0 && ahead < CT_RTP_MAX_DROPOUT)) {
    step_forward(s, ahead);
    return CT_SEQ_FORWARD;
  }
  const int step = (int16_t)ahead;
  if (leap != CT_LEAP_JUMP && step <= 0 && step > -CT_RTP_WINDOW_BITS) return behind_max(s, (uint32_t)-step);
  s->bad_seq = (uint16_t)(seq + 1);
  s->flags |= CT_SF_JUMPED;
  s->strays++;
  return CT_SEQ_STRAY;
}
