/* SPDX-License-Identifier: Apache-2.0
 * rtp_harness.h - checks, generated packets and a table to send them through, for the tests of the RTP table.
 */
#ifndef RTP_HARNESS_H
#define RTP_HARNESS_H
#pragma GCC diagnostic ignored "-Wunused-function" /* each test uses its part */
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "check.h"
#include "core/record.h"
#include "net_frames.h"
#include "rtp/rtp_stream.h"
#include "rtp/rtp_table.h"

#define MS 1000000LL
#define SECOND (1000 * MS)
#define T0 (1700000000LL * SECOND)

static double uniform(void) { return rnd() / 4294967296.0; }

/* ---- one table under test, and what it said ---- */
static struct ct_rtp_table *table;
static uint32_t opened, accepted, windows, evicted, last_opened;
static struct ct_rtp_window window_log[4096];
static uint32_t window_index[4096];
static struct ct_rtp_segment segment_log[64];
static uint32_t segments;

/* A new table, instead of the one of the test before. */
static void start(uint32_t max_streams) {
  struct ct_rtp_opts o = {max_streams, {0x1234567890abcdef, 0xfedcba0987654321}, 5 * SECOND, 60};
  ct_rtp_free(table);
  table = ct_rtp_create(&o);
  opened = accepted = windows = evicted = segments = 0;
  if (table == NULL) abort();
}
static int rtp_report(const char *what) {
  ct_rtp_free(table);
  return report(what);
}
static struct ct_stream *stream(uint32_t i) {
  struct ct_stream *chunk = ct_rtp_chunk(table, i / CT_RTP_CHUNK);
  return &chunk[i % CT_RTP_CHUNK];
}

struct send {
  int64_t at;
  uint32_t ssrc, ts, host;
  uint16_t seq, port, size;
  uint8_t pt, marker, v6;
};
#define SEND(...) ((struct send){__VA_ARGS__}) /* size 0 means 160 bytes */

static void make_packet(struct ct_packet *p, uint8_t *b, const struct send *s) {
  uint32_t size = s->size == 0 ? 160 : s->size;
  memset(p, 0, sizeof(*p));
  rtp_payload(b, s->seq, s->ssrc, 12 + size);
  b[1] = (uint8_t)(s->marker << 7 | s->pt);
  put32(b + 4, s->ts);
  p->ts_ns = s->at;
  p->payload = p->frame = b;
  p->len = p->wire_len = p->caplen = p->wirelen = 12 + size;
  p->sport = s->port;
  p->dport = 5000;
  p->ip_version = s->v6 ? 6 : 4;
  p->proto = 17;
  p->dscp = 46;
  p->cls = CT_CLS_RTP;
  memcpy(p->src, &s->host, 4);
  p->dst[0] = 10, p->dst[3] = 1;
  if (s->v6) memset(p->src + 4, 0x20, 12), memset(p->dst + 4, 0x21, 12);
}
static struct ct_rtp_events push_packet(const struct ct_packet *p, uint8_t origin) {
  struct ct_rtp_events ev;
  uint64_t h = ct_rtp_hash(table, p, origin);
  ct_rtp_prefetch_slot(table, h);
  ct_rtp_update(table, h, ct_rtp_prefetch_stream(table, h, p->payload[1]), p, origin, &ev);
  for (uint32_t i = 0, said = 0; i < ev.n; i++) {
    uint32_t index = ev.ev[i].index;
    if (ev.ev[i].type == CT_RTP_OPENED) opened++, last_opened = index;
    if (ev.ev[i].type == CT_RTP_ACCEPTED) accepted++;
    if (ev.ev[i].type == CT_RTP_EVICTED) evicted++;
    if (ev.ev[i].type == CT_RTP_WINDOW) {
      window_log[windows % 4096] = ev.closed.window[said++];
      window_index[windows++ % 4096] = index;
    }
    if (ev.ev[i].type == CT_RTP_SEGMENT) segment_log[segments++ % 64] = ev.closed.segment;
    CHECK_EQ(stream(index)->generation, ev.ev[i].generation);
  }
  return ev;
}
static struct ct_rtp_events push(struct send s) {
  struct ct_packet p;
  uint8_t b[2048];
  make_packet(&p, b, &s);
  return push_packet(&p, CT_ORIGIN_WIRE);
}

static uint32_t lost(const struct ct_stream *s) {
  uint32_t e = ct_stream_expected(s);
  return e > s->unique ? e - s->unique : 0;
}

/* What a stream counted; what a test does not name is 0. */
#define COUNTERS(X)                                                                                          \
  X(packets) X(duplicates) X(reordered) X(discarded) X(loss_runs) X(strays) X(resyncs) X(markers) \
  X(pauses) X(others) X(event_packets) X(cn_packets) X(gap_lost) X(burst_count) X(burst_packets)          \
  X(burst_lost) X(cluster_lost)
struct counts {
  uint32_t lost;
#define X(counter) uint32_t counter;
  COUNTERS(X)
#undef X
};
static void check_counts(const char *test, int line, const struct ct_stream *s, struct counts want) {
  char where[64];
  snprintf(where, sizeof where, "%s, line %d", test, line);
  subject = where;
#define X(counter) CHECK_EQ(s->counter, want.counter);
  COUNTERS(X)
#undef X
  CHECK_EQ(lost(s), want.lost);
  CHECK_EQ(s->unique, want.packets - want.duplicates - want.strays);
  CHECK_EQ(ct_stream_expected(s), s->unique + want.lost);
  subject = "";
}
#define CHECK_COUNTS(stream, ...) check_counts(__func__, __LINE__, stream, (struct counts){__VA_ARGS__})
static double jitter_mean(const struct ct_stream *s, int lane) {
  uint32_t n = s->jitter_n - s->jitter_base - (lane == 4 ? s->other_skip : 0);
  return n == 0
             ? 0
             : (s->jitter_sum[lane] + (double)(lane == 0 ? s->jitter0_wsum : s->jitter_wsum[lane - 1])) / n;
}

/* ---- the quality truth cases: 1,500 packets at 20 ms ---- */
#define N 1500
static struct send plan[N * 2];
static int by_time(const void *a, const void *b) {
  const struct send *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at ? 1 : (int)x->seq - (int)y->seq;
}
static struct send nth(int i, uint16_t first_seq) {
  return SEND(.at = T0 + i * 20 * MS, .ts = 5000u + 160u * (uint32_t)i, .seq = (uint16_t)(first_seq + i));
}
static const struct ct_stream *run_plan(int n) {
  start(100);
  qsort(plan, (size_t)n, sizeof(plan[0]), by_time);
  for (int i = 0; i < n; i++) push(plan[i]);
  return stream(0);
}

#endif
