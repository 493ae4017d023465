/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_table.c - which packets the RTP table takes for streams, its caps, its clocks, hostile headers.
 */
#define _GNU_SOURCE
#include "rtp_harness.h"

/* ---- probing ---- */
static void push_as(uint32_t ssrc, struct send s) {
  s.ssrc = ssrc;
  push(s);
}
static void heuristic(void) {
  start(100);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(accepted, 0);
    push(nth(i, 0));
  }
  CHECK_EQ(accepted, 1); /* the fourth of four */
  for (int i = 0; i < 5; i++) {
    struct send reordered = nth((const int[]){0, 1, 3, 2, 4}[i], 0);
    reordered.at = T0 + i * 20 * MS;
    push_as(2, reordered);
    push_as(3, nth(i < 2 ? i : i + 1, 0)); /* one loss */
  }
  CHECK_EQ(accepted, 3);
  for (int i = 0; i < 8; i++) push_as(9, nth(i / 2, 0)); /* each twice, as a mirror port of both directions shows it */
  CHECK_EQ(accepted, 4);
  for (int i = 0; i < 50; i++) {
    struct send constant = nth(i, 0), random = constant, mixed = constant, unused = constant;
    constant.seq = 77;
    random.seq = (uint16_t)(i * 7919 + (i & 1) * 30000);
    mixed.pt = (uint8_t)(i & 1 ? 8 : 0);
    unused.pt = 50; /* a type that nobody uses */
    push_as(4, constant);
    push_as(5, random);
    push_as(6, mixed);
    push_as(7, unused);
    push_as(8, nth(i * 60, 0)); /* too far apart */
  }
  CHECK_EQ(opened, 9);
  CHECK_EQ(accepted, 4);
}

static void index_grows(void) {
  /* 60,000 streams, IPv4 and IPv6, every one found again during and after each rebuild. */
  const uint32_t n = 60000;
  start(n);
  for (uint32_t i = 0; i < n; i++) {
    push(SEND(.at = T0 + i, .ssrc = i, .host = i * 2654435761u, .port = (uint16_t)i, .v6 = i & 1));
    uint32_t again = rnd() % (i + 1);
    push(SEND(.at = T0 + i, .ssrc = again, .host = again * 2654435761u, .port = (uint16_t)again, .seq = 1,
              .v6 = again & 1));
  }
  CHECK_EQ(opened, n);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    sum += stream(i)->packets;
    CHECK_EQ(stream(i)->ssrc, i);
  }
  CHECK_EQ(sum, 2ull * n);
}

static void removal_under_rebuild(void) {
  /* Streams end and others come while the index is being rebuilt: none is lost or found twice. */
  const uint32_t n = 40000, cap = 3000;
  uint32_t *came = calloc(n, sizeof(*came)), arrived = 0;
  if (came == NULL) abort();
  start(cap);
  for (uint32_t i = 0; i < n; i++) {
    int64_t at = T0 + i * 20 * MS; /* the cap is reached when the first has been silent for a minute */
    uint32_t before = opened;
    push(SEND(.at = at, .ssrc = i));
    if (opened > before) came[arrived++] = i;
    uint32_t k = came[arrived - 1 - rnd() % (arrived < 1400 ? arrived : 1400)];
    before = opened;
    push(SEND(.at = at, .ssrc = k, .seq = 1));
    CHECK_EQ(opened, before);
  }
  CHECK_EQ(opened - evicted, cap);
  CHECK(opened > n - n / 20);
  free(came);
}

static void same_slot_other_key(void) {
  /* The same hash for different keys: the caller hands the hash, so a full collision can be forced. */
  start(100);
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t i = 0; i < 40; i++) {
      struct send s = SEND(.at = T0 + k * 20 * MS, .ssrc = 7, .host = i / 2, .port = (uint16_t)(i & 1),
                           .seq = (uint16_t)k);
      struct ct_packet p;
      uint8_t b[2048];
      struct ct_rtp_events ev;
      make_packet(&p, b, &s);
      ct_rtp_prefetch_stream(table, 0xffffffffffffffffu, 0);
      ct_rtp_update(table, 0xffffffffffffffffu, NULL, &p, CT_ORIGIN_WIRE, &ev);
    }
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_OPENED], 40);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_ACCEPTED], 40);
  for (uint32_t i = 0; i < 40; i++) CHECK_EQ(stream(i)->packets, 5);
  /* The key is the whole of it: origin and address family tell streams apart. */
  start(100);
  struct send s = SEND(.at = T0);
  struct ct_packet p;
  uint8_t b[2048];
  make_packet(&p, b, &s);
  push_packet(&p, CT_ORIGIN_WIRE);
  push_packet(&p, CT_ORIGIN_HEP);
  p.ip_version = 6;
  push_packet(&p, CT_ORIGIN_WIRE);
  p.src[15] = 1;
  push_packet(&p, CT_ORIGIN_WIRE);
  CHECK_EQ(opened, 4);
}

/* ---- payloads ---- */
static void stale_guesses(void) {
  /* What a packet's stream seemed to be is no longer so when the packet's turn comes. */
  struct ct_packet a, b;
  uint8_t bytes[2][2048];
  struct ct_rtp_events ev;
  struct send first = SEND(.at = T0, .ssrc = 1, .seq = 500);
  struct send later = SEND(.at = T0 + 80 * SECOND, .ssrc = 1, .seq = 9, .ts = 77);
  struct send other = SEND(.at = T0 + 40 * SECOND, .ssrc = 2);
  start(1);
  push(first);
  make_packet(&a, bytes[0], &later);
  make_packet(&b, bytes[1], &other);
  uint64_t h = ct_rtp_hash(table, &a, CT_ORIGIN_WIRE);
  struct ct_stream *guess = ct_rtp_prefetch_stream(table, h, 0);
  CHECK(guess == stream(0));
  push_packet(&b, CT_ORIGIN_WIRE); /* evicts it */
  CHECK_EQ(evicted, 1);
  ct_rtp_update(table, h, guess, &a, CT_ORIGIN_WIRE, &ev);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_OPENED], 3);
  /* The key went to the stream of the next call, and the old one is history. */
  start(10);
  push(first);
  guess = ct_rtp_prefetch_stream(table, h, 0);
  push_packet(&a, CT_ORIGIN_WIRE);
  CHECK_EQ(opened, 2);
  ct_rtp_update(table, h, guess, &a, CT_ORIGIN_WIRE, &ev);
  CHECK_EQ(stream(0)->packets, 1);
  CHECK_EQ(stream(1)->packets, 2);
  /* Another packet's stream is no answer either. */
  push_packet(&b, CT_ORIGIN_WIRE);
  ct_rtp_update(table, h, ct_rtp_prefetch_stream(table, ct_rtp_hash(table, &b, 0), 0), &a, CT_ORIGIN_WIRE,
                   &ev);
  CHECK_EQ(stream(1)->packets, 3);
  CHECK_EQ(stream(2)->packets, 1);
}

static void telephone_events_and_noise(void) {
  start(10);
  uint32_t ts = 0;
  for (int i = 0; i < 300; i++) {
    struct send s = nth(i, 0);
    s.ts = ts = (uint32_t)i * 160;
    if (i >= 100 && i < 120) s.pt = 101, s.size = 4, s.ts = 100 * 160, s.marker = i == 100;
    if (i >= 200 && i < 210) s.pt = 13, s.size = 1, s.ts = ts + 55;
    push(s);
  }
  const struct ct_stream *s = stream(0);
  CHECK_COUNTS(s, .packets = 300, .event_packets = 20, .cn_packets = 10, .markers = 1);
  CHECK_EQ(s->main_pt, 0);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-3);
  CHECK_EQ(s->octets, 270 * 160 + 20 * 4 + 10);
  CHECK_EQ(s->pt[1], 101);
  CHECK_EQ(s->pt_count[0], 20);
  CHECK_EQ(s->event_mask, 2);
  /* Only events: no audio type, no jitter. */
  start(10);
  for (int i = 0; i < 20; i++) push(SEND(.at = T0 + i * 20 * MS, .seq = (uint16_t)i, .pt = 101, .size = 4));
  CHECK_EQ(stream(0)->main_pt, CT_RTP_NO_PT);
  CHECK_COUNTS(stream(0), .packets = 20, .event_packets = 20);
  CHECK_EQ(stream(0)->jitter_n, 0);
}

/* Speech of G.729 between silences of 2 s with one comfort noise frame each, so that the same odd step comes twice running. */
static void g729_comfort_noise(void) {
  start(10);
  uint32_t ts = 0;
  int64_t at = T0;
  for (uint16_t i = 0; i < 120; i++) {
    bool silent = i >= 60 && i < 70;
    push(SEND(.at = at, .ts = ts, .seq = i, .pt = 18, .size = silent ? 2 : 20, .marker = i == 70));
    ts += silent ? 16000 : 160;
    at += silent ? 2 * SECOND : 20 * MS;
  }
  const struct ct_stream *s = stream(0);
  CHECK_COUNTS(s, .packets = 120, .cn_packets = 10, .pauses = 1, .markers = 1);
  CHECK_EQ(s->ts_step, 160);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-3);
  /* Of any other type two octets are audio. */
  start(10);
  for (uint16_t i = 0; i < 20; i++)
    push(SEND(.at = T0 + i * 20 * MS, .ts = i * 160u, .seq = i, .pt = 8, .size = 2));
  CHECK_COUNTS(stream(0), .packets = 20);
}

static void dynamic_clock(uint32_t clock, int lane, bool has_other) {
  start(10);
  double max = 0, j = 0, sum = 0;
  int64_t last = 0;
  int n = 0;
  for (int i = 0; i < 600; i++) {
    int64_t at = T0 + i * 20 * MS + (int64_t)(uniform() * 8 * MS);
    push(SEND(.at = at, .ts = (uint32_t)((uint64_t)i * clock / 50), .seq = (uint16_t)i, .pt = 111,
              .size = 80));
    if (i > 0 && (lane < 4 || i > 32)) {
      double d = fabs((double)(at - last) / 1e6 - 20);
      j += (d - j) / 16;
      sum += j, n++;
      if (j > max) max = j;
    }
    last = at;
  }
  const struct ct_stream *s = stream(0);
  CHECK_EQ(s->clock, clock);
  CHECK_EQ(s->lane_mode, CT_LANES_ALL);
  CHECK_EQ(s->other_clock != 0, has_other);
  CHECK_NEAR(jitter_mean(s, lane), sum / n, 0.02);
  CHECK_EQ(s->discarded, 0);
  CHECK(windows >= 2);
  CHECK_NEAR(window_log[1].jitter_ms[lane], jitter_mean(s, lane), 1.0);
}

static void clock_from_sdp(void) {
  /* TypeScript says 12,000 Hz from the 50th packet on: lane 4 runs from then. */
  start(10);
  for (int i = 0; i < 300; i++) {
    if (i == 50) stream(0)->clock_hint = 12345;
    push(SEND(.at = T0 + i * 20 * MS, .ts = (uint32_t)((uint64_t)i * 12345 / 50), .seq = (uint16_t)i,
              .pt = 100, .size = 33));
  }
  const struct ct_stream *s = stream(0);
  CHECK_EQ(s->clock, 12345);
  CHECK_EQ(s->other_clock, 12345);
  CHECK(s->flags & CT_SF_HINTED);
  CHECK_NEAR(jitter_mean(s, 4), 0, 0.05);
  CHECK_EQ(s->discarded, 0);
}

static void codec_change(void) {
  start(10);
  for (int i = 0; i < 400; i++) {
    struct send s = nth(i, 0);
    if (i >= 200) s.pt = 96, s.ts = 5000u + 160u * 200u + 960u * (uint32_t)(i - 200), s.size = 70;
    push(s);
  }
  const struct ct_stream *s = stream(0);
  CHECK_COUNTS(s, .packets = 400);
  CHECK_EQ(segments, 1);
  CHECK_EQ(s->main_pt, 96);
  CHECK_EQ(s->audio_pt, 96);
  CHECK_EQ(s->lane_mode, CT_LANES_ALL);
  CHECK_NEAR(jitter_mean(s, 2), 0, 0.01);
  CHECK_EQ(s->ts_step, 960);
  CHECK_EQ(s->clock, 48000); /* after its own 32 samples */
}

/* ---- hostile headers ---- */
/* The first byte, the length, and the byte of the extension's length or of the padding: the octets of the payload. */
static void headers(void) {
  enum { REFUSED = -1 };
  static const struct {
    const char *what;
    uint16_t wire, len; /* len: captured of it */
    uint8_t first, words, padding;
    int octets;
  } rows[] = {
      {"as it is", 172, 172, 0x80, 0, 0, 160},
      {"one byte short", 11, 11, 0x80, 0, 0, REFUSED},
      {"no payload", 12, 12, 0x80, 0, 0, 0},
      {"fifteen CSRC, none there", 12, 12, 0x8f, 0, 0, REFUSED},
      {"fifteen CSRC", 12 + 60 + 7, 12 + 60 + 7, 0x8f, 0, 0, 7},
      {"extension of two words", 12 + 4 + 8 + 20, 12 + 4 + 8 + 20, 0x90, 2, 0, 20},
      {"extension longer than the packet", 12 + 4 + 8 + 20, 12 + 4 + 8 + 20, 0x90, 255, 0, REFUSED},
      {"cut inside the extension header", 15, 15, 0x90, 2, 0, REFUSED},
      {"padding", 112, 112, 0xa0, 0, 4, 96},
      {"more padding than there is: SRTP, or nonsense", 112, 112, 0xa0, 0, 101, 100},
      {"snapped: the last byte was not captured", 112, 40, 0xa0, 0, 101, 100},
      {"version 1", 112, 40, 0x40, 0, 0, REFUSED},
  };
  struct ct_packet p;
  uint8_t b[2048];
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct send s = SEND(.at = T0);
    struct ct_rtp_header h = {0};
    subject = rows[i].what;
    make_packet(&p, b, &s);
    p.wire_len = rows[i].wire;
    p.len = rows[i].len;
    b[0] = rows[i].first;
    put16(b + 14, rows[i].words);
    b[111] = rows[i].padding;
    CHECK_EQ(ct_rtp_parse(&p, &h), rows[i].octets != REFUSED);
    if (rows[i].octets != REFUSED) CHECK_EQ(h.octets, rows[i].octets);
  }
  subject = "";
  start(4);
  p.len = p.wire_len = 5;
  push_packet(&p, 0);
  CHECK_EQ(opened, 0);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_MALFORMED], 1);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_PACKETS], 1);
}

static void impossible_times(void) {
  start(4);
  const int64_t at[] = {0, INT64_MAX, INT64_MIN, -1, INT64_MAX - 1, 5, INT64_MIN + 1, T0, T0 + 20 * MS};
  for (uint32_t k = 0; k < 200; k++)
    for (uint32_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
      push(SEND(.at = at[(i * (k + 1)) % 9], .ts = rnd(), .seq = (uint16_t)(k * 9 + i),
                .pt = (uint8_t)(k & 1 ? 0 : 111)));
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_PACKETS], 1800);
}

int main(void) {
  heuristic();
  index_grows();
  removal_under_rebuild();
  same_slot_other_key();
  stale_guesses();
  telephone_events_and_noise();
  g729_comfort_noise();
  dynamic_clock(8000, 0, false);
  dynamic_clock(16000, 1, false);
  dynamic_clock(48000, 2, false);
  dynamic_clock(90000, 3, false);
  dynamic_clock(32000, 4, true);
  clock_from_sdp();
  codec_change();
  headers();
  impossible_times();
  return rtp_report("rtp table");
}
