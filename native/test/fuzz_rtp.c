/* SPDX-License-Identifier: Apache-2.0
 * fuzz_rtp.c - libFuzzer over a stream of packets with small fields, and the invariants of the table.
 *
 * Each packet is 8 bytes of input, so that sequences that matter (jumps, late packets, reuse, caps) are
 * short to write:  op | key | seq hi | seq lo | ts step | time step | pt | size
 * op bit 0: seq is relative to the last; bits 1-2: origin; bit 3: IPv6; bit 4: time in seconds;
 * bit 5: raw header bytes; bit 6: TypeScript claims the stream or hints a clock; bit 7: snapped.
 */

#include "check.h"
#include "net_frames.h"
#include "rtp/rtp_stream.h"
#include "rtp/rtp_table.h"

static uint32_t bits_clear(uint64_t w) { return 64 - (uint32_t)__builtin_popcountll(w); }

static void check_stream(const struct ct_stream *s) {
  uint32_t expected = ct_stream_expected(s);
  ASSERT(s->unique >= 1 && s->unique <= expected);
  uint32_t lost = expected - s->unique;
  ASSERT((lost == 0) == (s->loss_runs == 0) && s->loss_runs <= lost);
  /* Every loss is in exactly one place: judged, in the open cluster, or a hole in the window. */
  ASSERT(lost ==
         s->burst_lost + s->gap_lost + s->cluster_lost + bits_clear(s->window_lo) + bits_clear(s->window_hi));
  ASSERT(s->burst_lost >= 2 * s->burst_count && s->burst_packets >= s->burst_lost);
  ASSERT(s->packets == (uint64_t)s->unique + s->duplicates + s->strays);
  ASSERT(s->window_lo & 1);
  ASSERT(s->jitter0 >= 0 && s->jitter0 <= 5000);
  for (int i = 0; i < 4; i++) ASSERT(s->jitter[i] >= 0 && s->jitter[i] <= 5000);
  ASSERT(s->discarded <= s->packets && s->jitter_n <= s->packets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  struct ct_rtp_opts o = {1u + (data[0] & 31), {data[1], 77}, 1000000000, 60};
  struct ct_rtp_table *t = ct_rtp_create(&o);
  if (t == NULL) return 0;
  uint64_t opened = 0, evicted = 0;
  uint32_t highest = 0;
  int64_t now = 1700000000000000000;
  uint16_t seq = 0;
  uint32_t ts = 0;
  for (size_t i = 2; i + 8 <= size && i < 8 * 4096; i += 8) {
    const uint8_t *d = data + i;
    uint8_t b[12 + 64] = {0x80};
    uint16_t v = (uint16_t)(d[2] << 8 | d[3]);
    seq = d[0] & 1 ? (uint16_t)(seq + (int8_t)d[3]) : v;
    ts += (uint32_t)(int8_t)d[4] * 160;
    if (d[4] == 0x80) ts *= 2654435761u;
    now += d[0] & 16 ? (int64_t)(int8_t)d[5] * 1000000000 : (int64_t)d[5] * 1000000;
    if (d[5] == 0xff && d[4] == 0xff) now = (int64_t)((uint64_t)now * 0x9e3779b97f4a7c15u);
    b[1] = d[6];
    put16(b + 2, seq);
    put32(b + 4, ts);
    b[11] = d[1] & 15;
    if (d[0] & 32) memcpy(b + (d[1] & 63), d, 8);
    struct ct_packet p = {
        .ts_ns = now, .ordinal = i, .ip_version = d[0] & 8 ? 6 : 4, .proto = 17, .cls = CT_CLS_RTP};
    uint32_t len = 12u + (d[7] & 63);
    if (d[7] & 64) len = d[7] & 15;
    uint8_t *payload = exact_copy(b, len);
    p.frame = p.payload = payload;
    p.caplen = p.len = len;
    p.wire_len = p.wirelen = d[0] & 128 ? len + d[2] : len;
    p.sport = 4000 + (d[1] >> 6);
    uint8_t origin = d[0] >> 1 & 3;
    uint64_t h = ct_rtp_hash(t, &p, origin);
    if (data[1] & 1) h &= 0xf; /* crowd the index */
    struct ct_rtp_events ev;
    ct_rtp_prefetch_slot(t, h);
    ct_rtp_update(t, h, ct_rtp_prefetch_stream(t, h, p.len > 1 ? p.payload[1] : 0), &p, origin, &ev);
    free(payload);
    ASSERT(ev.n <= 6);
    for (uint32_t k = 0; k < ev.n; k++) {
      uint32_t index = ev.ev[k].index;
      struct ct_stream *chunk = ct_rtp_chunk(t, index / CT_RTP_CHUNK);
      ASSERT(chunk != NULL);
      struct ct_stream *s = &chunk[index % CT_RTP_CHUNK];
      ASSERT(s->generation == ev.ev[k].generation);
      if (ev.ev[k].type == CT_RTP_OPENED) opened++;
      if (ev.ev[k].type == CT_RTP_EVICTED) evicted++;
      if (ev.ev[k].type == CT_RTP_SEGMENT) {
        const struct ct_rtp_mark *m = &ev.closed.segment.mark;
        ASSERT(m->packets < s->packets && m->unique < s->unique && m->jitter_n <= s->jitter_n);
        ASSERT(m->discarded[0] <= s->discarded && s->jitter_base <= s->jitter_n);
      }
      if (index + 1 > highest) highest = index + 1;
      if (d[0] & 64) {
        if (d[1] & 16) s->claimed = 1;
        if (d[1] & 32) s->clock_hint = (uint32_t)d[2] << 10 | d[3];
      }
    }
    ASSERT(opened - evicted <= o.max_streams);
  }
  const uint64_t *c = ct_rtp_counters(t);
  ASSERT(c[CT_RC_OPENED] == opened && c[CT_RC_EVICTED] + c[CT_RC_PROBING_RECYCLED] == evicted);
  struct ct_stream *chunk = ct_rtp_chunk(t, 0);
  for (uint32_t i = 0; i < highest; i++) check_stream(&chunk[i]);
  ct_rtp_free(t);
  return 0;
}
