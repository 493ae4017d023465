/* SPDX-License-Identifier: Apache-2.0
 * test_rtp.c - the RTP stream table against generated streams whose truth is known.
 *
 * Plain: `test_rtp` runs the cases. `test_rtp bench` measures nanoseconds a packet on synthetic traffic.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record.h"
#include "rtp_stream.h"

static int failures, checks;
#define CHECK(cond)                                                                                          \
  do {                                                                                                       \
    checks++;                                                                                                \
    if (!(cond)) {                                                                                           \
      failures++;                                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __func__, __LINE__, #cond);                                     \
    }                                                                                                        \
  } while (0)
#define CHECK_EQ(got, want)                                                                                  \
  do {                                                                                                       \
    long long g_ = (long long)(got), w_ = (long long)(want);                                                 \
    checks++;                                                                                                \
    if (g_ != w_) {                                                                                          \
      failures++;                                                                                            \
      fprintf(stderr, "%s:%d: %s is %lld, want %lld\n", __func__, __LINE__, #got, g_, w_);                   \
    }                                                                                                        \
  } while (0)
#define CHECK_NEAR(got, want, tol)                                                                           \
  do {                                                                                                       \
    double g_ = (got), w_ = (want);                                                                          \
    checks++;                                                                                                \
    if (!(fabs(g_ - w_) <= (tol))) {                                                                         \
      failures++;                                                                                            \
      fprintf(stderr, "%s:%d: %s is %g, want %g\n", __func__, __LINE__, #got, g_, w_);                       \
    }                                                                                                        \
  } while (0)

#define MS 1000000LL
#define SECOND (1000 * MS)
#define T0 (1700000000LL * SECOND)

static uint64_t rng_state = 88172645463325252u;
static uint32_t rnd(void) {
  rng_state ^= rng_state << 13;
  rng_state ^= rng_state >> 7;
  rng_state ^= rng_state << 17;
  return (uint32_t)(rng_state >> 32);
}
static double uniform(void) { return rnd() / 4294967296.0; }

/* ---- one table under test, and what it said ---- */
static struct ct_rtp_table *table;
static uint32_t opened, accepted, windows, evicted, last_opened;
static struct ct_rtp_window window_log[4096];
static uint32_t window_index[4096];

static void start(uint32_t max_streams, uint32_t max_probing) {
  struct ct_rtp_opts o = {max_streams, max_probing, {0x1234567890abcdef, 0xfedcba0987654321}, 5 * SECOND, 60};
  table = ct_rtp_create(&o);
  opened = accepted = windows = evicted = 0;
  if (table == NULL) abort();
}
static void stop(void) { ct_rtp_free(table); }
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
  memset(b, 0xd5, 12 + size);
  b[0] = 0x80;
  b[1] = (uint8_t)(s->marker << 7 | s->pt);
  b[2] = (uint8_t)(s->seq >> 8), b[3] = (uint8_t)s->seq;
  for (int i = 0; i < 4; i++) b[4 + i] = (uint8_t)(s->ts >> (24 - 8 * i));
  for (int i = 0; i < 4; i++) b[8 + i] = (uint8_t)(s->ssrc >> (24 - 8 * i));
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
  ct_rtp_prefetch_stream(table, h);
  ct_rtp_update(table, h, p, origin, &ev);
  for (uint32_t i = 0; i < ev.n; i++) {
    uint32_t index = ev.ev[i].index;
    if (ev.ev[i].type == CT_RTP_OPENED) opened++, last_opened = index;
    if (ev.ev[i].type == CT_RTP_ACCEPTED) accepted++;
    if (ev.ev[i].type == CT_RTP_EVICTED) evicted++;
    if (ev.ev[i].type == CT_RTP_WINDOW) {
      memcpy(&window_log[windows % 4096], ev.window, sizeof(struct ct_rtp_window));
      window_index[windows++ % 4096] = index;
    }
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
static double jitter_mean(const struct ct_stream *s, int lane) {
  uint32_t n = s->jitter_n - (lane == 4 ? s->other_skip : 0);
  return n == 0
             ? 0
             : (s->jitter_sum[lane] + (double)(lane == 0 ? s->jitter0_wsum : s->jitter_wsum[lane - 1])) / n;
}
static double jitter_max(const struct ct_stream *s, int lane) {
  return lane == 0 ? s->jitter0_max : s->jitter_max[lane - 1];
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
  start(100, 100);
  qsort(plan, (size_t)n, sizeof(plan[0]), by_time);
  for (int i = 0; i < n; i++) push(plan[i]);
  return stream(0);
}

static void clean(void) {
  for (int i = 0; i < N; i++) plan[i] = nth(i, 100);
  const struct ct_stream *s = run_plan(N);
  CHECK_EQ(opened, 1);
  CHECK_EQ(accepted, 1);
  CHECK_EQ(s->packets, N);
  CHECK_EQ(ct_stream_expected(s), N);
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->octets, N * 160);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-6);
  CHECK_EQ(s->loss_runs + s->discarded + s->duplicates + s->reordered + s->strays, 0);
  CHECK_EQ(s->max_delta_ns, 20 * MS);
  CHECK_EQ(s->main_pt, 0);
  CHECK_EQ(s->pt0_count, N);
  CHECK_EQ(s->lane_mode, CT_LANES_ONE);
  CHECK_EQ(s->ts_step, 160);
  CHECK_EQ(s->state, CT_STREAM_ACCEPTED);
  CHECK_EQ(s->first_ns, T0);
  /* 30 s less one packet: five windows closed by a packet after their end, the sixth still open. */
  CHECK_EQ(windows, 5);
  for (int i = 0; i < 5; i++) {
    CHECK_EQ(window_log[i].packets, 250);
    CHECK_EQ(window_log[i].expected, 250);
    CHECK_EQ(window_log[i].lost, 0);
    CHECK_NEAR(window_log[i].start_us, (double)T0 / 1000 + i * 5e6, 0.5);
  }
  CHECK_EQ((uint32_t)s->packets - s->w_packets, 250);
  stop();
}

static void random_loss(int drop, uint16_t first_seq) {
  /* `drop` packets in all, at random places but not the ends. */
  static uint8_t gone[N];
  memset(gone, 0, sizeof(gone));
  for (int left = drop; left > 0;) {
    int i = 1 + (int)(rnd() % (N - 2));
    if (!gone[i]) gone[i] = 1, left--;
  }
  int n = 0, runs = 0, w_lost = 0, w_runs = 0;
  for (int i = 0; i < N; i++) {
    if (!gone[i])
      plan[n++] = nth(i, first_seq);
    else if (!gone[i - 1])
      runs++;
  }
  const struct ct_stream *s = run_plan(n);
  CHECK_EQ(opened, 1);
  CHECK_EQ(ct_stream_expected(s), N);
  CHECK_EQ(lost(s), drop);
  CHECK_EQ(s->loss_runs, runs);
  for (uint32_t i = 0; i < windows; i++)
    w_lost += (int)window_log[i].lost, w_runs += (int)window_log[i].loss_runs;
  CHECK_EQ(w_lost + (int)(ct_stream_expected(s) - s->w_expected - (s->unique - s->w_unique)), drop);
  CHECK_EQ(w_runs + (int)(s->loss_runs - s->w_loss_runs), runs);
  stop();
}

static void burst_loss(void) {
  /* Nine runs of five, 160 apart: 45 lost, each run a burst of its own. */
  int n = 0;
  for (int i = 0; i < N; i++)
    if (i < 100 || (i - 100) % 150 >= 5 || i >= 100 + 9 * 150) plan[n++] = nth(i, 60000);
  const struct ct_stream *s = run_plan(n);
  CHECK_EQ(lost(s), 45);
  CHECK_EQ(s->loss_runs, 9);
  /* The last run began at 1,300: it has left the 128-packet window, but its cluster is still open. */
  CHECK_EQ(s->burst_count, 8);
  CHECK_EQ(s->burst_packets, 40);
  CHECK_EQ(s->burst_lost, 40);
  CHECK_EQ(s->cluster_lost, 5);
  CHECK_EQ(s->gap_lost, 0);
  stop();
}

static void burst_and_gap(void) {
  /* Losses at 200, 210, 216: fewer than 16 received between, one burst of 17. At 400 alone: a gap loss. */
  int n = 0;
  for (int i = 0; i < N; i++)
    if (i != 200 && i != 210 && i != 216 && i != 400 && i != 600 && i != 617) plan[n++] = nth(i, 0);
  const struct ct_stream *s = run_plan(n);
  CHECK_EQ(lost(s), 6);
  CHECK_EQ(s->burst_count, 1);
  CHECK_EQ(s->burst_packets, 17);
  CHECK_EQ(s->burst_lost, 3);
  /* 600 and 617 have exactly 16 received between them: both isolated; the second cluster is still open. */
  CHECK_EQ(s->gap_lost, 2);
  CHECK_EQ(s->cluster_lost, 1);
  stop();
}

/* The jitter as RFC 3550 A.8 has it, from the plan in arrival order. */
static double reference_jitter(int n, double *max) {
  double j = 0, sum = 0;
  *max = 0;
  for (int i = 1; i < n; i++) {
    double d = fabs((double)(plan[i].at - plan[i - 1].at) / 1e6 -
                    (double)(int32_t)(plan[i].ts - plan[i - 1].ts) / 8);
    j += (d - j) / 16;
    sum += j;
    if (j > *max) *max = j;
  }
  return sum / (n - 1);
}

static void jitter_uniform(void) {
  double max;
  for (int i = 0; i < N; i++) plan[i] = nth(i, 100), plan[i].at += (int64_t)(uniform() * 40 * MS);
  const struct ct_stream *s = run_plan(N);
  double mean = reference_jitter(N, &max);
  CHECK_NEAR(jitter_mean(s, 0), mean, 0.01);
  CHECK_NEAR(jitter_max(s, 0), max, 0.01);
  CHECK_NEAR(mean, 14.2, 0.7); /* E|U1-U2| over 40 ms with reordering, as measured elsewhere: 14.17 */
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->discarded, 0);
  CHECK(s->reordered > 100);
  stop();
}

static void reorder(void) {
  for (int i = 0; i < N; i++) plan[i] = nth(i, 100);
  int swaps = 0;
  for (int i = 25; i + 1 < N; i += 50, swaps++) plan[i].at += 25 * MS;
  const struct ct_stream *s = run_plan(N);
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->reordered, swaps);
  CHECK_EQ(s->duplicates, 0);
  CHECK_EQ(s->loss_runs, 0);
  CHECK_EQ(s->burst_count + s->gap_lost, 0);
  stop();
}

static void duplicates(void) {
  int n = 0;
  for (int i = 0; i < N; i++) {
    plan[n++] = nth(i, 100);
    if (i % 20 == 10) plan[n] = plan[n - 1], plan[n++].at += MS;
  }
  const struct ct_stream *s = run_plan(n);
  CHECK_EQ(s->packets, N + 75);
  CHECK_EQ(s->duplicates, 75);
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->unique, N);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-6);
  stop();
}

static void ssrc_change(void) {
  for (int i = 0; i < N; i++) {
    plan[i] = nth(i, 100);
    if (i >= N / 2) plan[i].ssrc = 0x9999, plan[i].seq = (uint16_t)(40000 + i);
  }
  run_plan(N);
  CHECK_EQ(opened, 2);
  CHECK_EQ(accepted, 2);
  CHECK_EQ(stream(0)->packets, N / 2);
  CHECK_EQ(stream(1)->packets, N / 2);
  CHECK_EQ(lost(stream(0)) + lost(stream(1)), 0);
  stop();
}

static void sequence_wrap(void) {
  for (int i = 0; i < N; i++) plan[i] = nth(i, 65000), plan[i].ts += 0xffffff00u;
  const struct ct_stream *s = run_plan(N);
  CHECK_EQ(ct_stream_expected(s), N);
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->resyncs + s->strays, 0);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-6);
  stop();
  /* 200,000 packets: three wraps. */
  start(10, 10);
  for (uint32_t i = 0; i < 200000; i++)
    push(SEND(.at = T0 + (int64_t)i * 20 * MS, .ts = i * 160, .seq = (uint16_t)i));
  CHECK_EQ(ct_stream_expected(stream(0)), 200000);
  CHECK_EQ(lost(stream(0)), 0);
  stop();
}

static void silence(void) {
  /* Talkspurts of 250 packets, 5 s of silence between; sequence goes on, timestamps count the silence. */
  for (int i = 0; i < N; i++) {
    plan[i] = nth(i, 100);
    plan[i].at += i / 250 * 5 * SECOND;
    plan[i].ts += (uint32_t)(i / 250) * 40000;
    plan[i].marker = i % 250 == 0;
  }
  const struct ct_stream *s = run_plan(N);
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->markers, 6);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-3);
  CHECK_EQ(s->max_delta_ns, 5020 * MS);
  stop();
}

static void late_300ms(void) {
  int late = 0;
  for (int i = 0; i < N; i++) {
    plan[i] = nth(i, 100);
    if (i % 20 == 7) plan[i].at += 300 * MS, late++;
  }
  const struct ct_stream *s = run_plan(N);
  CHECK_EQ(late, 75);
  CHECK_EQ(lost(s), 0);
  CHECK_EQ(s->discarded, 75);
  CHECK_EQ(s->reordered, 75);
  CHECK_EQ(s->loss_runs, 0);
  CHECK_EQ(s->burst_count + s->gap_lost, 0);
  uint32_t in_windows = s->discarded - s->w_discarded;
  for (uint32_t i = 0; i < windows; i++) in_windows += window_log[i].discarded;
  CHECK_EQ(in_windows, 75);
  stop();
}

static void delay_step(void) {
  /* The path gets 200 ms longer for good: a fixed buffer starves for 25 packets, then has the new delay. */
  for (int i = 0; i < N; i++) plan[i] = nth(i, 100), plan[i].at += i >= 500 ? 200 * MS : 0;
  const struct ct_stream *s = run_plan(N);
  CHECK_EQ(s->discarded, 25);
  CHECK_EQ(lost(s), 0);
  stop();
}

/* ---- identity over time ---- */
static void reuse_by_next_call(void) {
  start(100, 100);
  for (int i = 0; i < 200; i++) push(nth(i, 1000));
  int64_t t = T0 + 200 * 20 * MS + 10 * SECOND;
  for (int i = 0; i < 300; i++)
    push(SEND(.at = t + i * 20 * MS, .ts = 5000u + 160u * (uint32_t)i, .seq = (uint16_t)(1000 + i)));
  CHECK_EQ(opened, 2);
  CHECK_EQ(accepted, 2);
  CHECK_EQ(evicted, 0);
  CHECK_EQ(stream(0)->packets, 200);
  CHECK(stream(0)->flags & CT_SF_RETIRED);
  CHECK_EQ(stream(1)->packets, 300);
  CHECK_EQ(lost(stream(0)) + lost(stream(1)), 0);
  CHECK_EQ(stream(1)->duplicates + stream(1)->strays, 0);
  stop();
  /* Forward by 500 after 10 s, but the timestamp moved by 1 s only: not the same call. */
  start(100, 100);
  for (int i = 0; i < 200; i++) push(nth(i, 1000));
  push(SEND(.at = t, .ts = 5000u + 160 * 200 + 8000, .seq = 1700));
  CHECK_EQ(opened, 2);
  stop();
  /* A stall of 3 s after which the queue comes out, but for five packets: the same call. */
  start(100, 100);
  for (int i = 0; i < 200; i++) push(nth(i, 1000));
  for (int i = 205; i < 400; i++) {
    struct send s = nth(i, 1000);
    s.at = T0 + 7 * SECOND + i * MS;
    push(s);
  }
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(stream(0)), 5);
  stop();
}

static void outage_is_loss(void) {
  /* 10 s without a packet, 500 lost, timestamps moved with the time: the same stream, and real loss. */
  start(100, 100);
  for (int i = 0; i < 700; i++)
    if (i < 100 || i >= 600) push(nth(i, 1000));
  CHECK_EQ(opened, 1);
  CHECK_EQ(lost(stream(0)), 500);
  CHECK_EQ(stream(0)->loss_runs, 1);
  stop();
}

static void hold_and_resume(void) {
  start(100, 100);
  for (int i = 0; i < 400; i++) {
    struct send s = nth(i, 1000);
    if (i >= 200) s.at += 40 * SECOND; /* the timestamp stood still in the hold */
    push(s);
  }
  CHECK_EQ(opened, 1);
  CHECK_EQ(stream(0)->packets, 400);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->ts_jumps, 1);
  CHECK_NEAR(jitter_mean(stream(0), 0), 0, 1e-3);
  CHECK_EQ(stream(0)->discarded, 0);
  stop();
}

static void restart_without_gap(void) {
  start(100, 100);
  for (int i = 0; i < 1000; i++) {
    struct send s = nth(i, 1000);
    if (i >= 500) s.seq = (uint16_t)(30000 + i), s.ts += 0x40000000;
    push(s);
  }
  const struct ct_stream *s = stream(0);
  CHECK_EQ(opened, 1);
  CHECK_EQ(s->resyncs, 1);
  CHECK_EQ(s->strays, 0);
  CHECK_EQ(ct_stream_expected(s), 1000);
  CHECK_EQ(s->unique, 1000);
  CHECK_EQ(lost(s), 0);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-3);
  stop();
  /* One foreign packet far off is no restart. */
  start(100, 100);
  for (int i = 0; i < 100; i++) {
    push(nth(i, 1000));
    if (i == 50) push(SEND(.at = T0 + 50 * 20 * MS + MS, .ts = 1, .seq = 50000));
  }
  CHECK_EQ(stream(0)->strays, 1);
  CHECK_EQ(stream(0)->resyncs, 0);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->packets, 101);
  stop();
}

static void starts_reordered(void) {
  start(10, 10);
  const int order[] = {2, 0, 1, 3, 4, 5, 6, 7};
  for (int i = 0; i < 8; i++) {
    struct send s = nth(order[i], 1000);
    s.at = T0 + i * 20 * MS;
    push(s);
  }
  CHECK_EQ(ct_stream_expected(stream(0)), 8);
  CHECK_EQ(lost(stream(0)), 0);
  CHECK_EQ(stream(0)->loss_runs, 0);
  CHECK_EQ(stream(0)->reordered, 2);
  CHECK_EQ(accepted, 1);
  stop();
}

/* ---- probing ---- */
static void heuristic(void) {
  start(100, 100);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(accepted, 0);
    push(nth(i, 0));
  }
  CHECK_EQ(accepted, 1);        /* the fourth of four */
  for (int i = 0; i < 5; i++) { /* one reorder */
    struct send s = nth((const int[]){0, 1, 3, 2, 4}[i], 0);
    s.ssrc = 2, s.at = T0 + i * 20 * MS;
    push(s);
  }
  CHECK_EQ(accepted, 2);
  for (int i = 0; i < 5; i++) { /* one loss */
    struct send s = nth(i < 2 ? i : i + 1, 0);
    s.ssrc = 3;
    push(s);
  }
  CHECK_EQ(accepted, 3);
  for (int i = 0; i < 50; i++) { /* a constant number is no step */
    struct send s = nth(i, 0);
    s.ssrc = 4, s.seq = 77;
    push(s);
  }
  for (int i = 0; i < 50; i++) { /* random numbers */
    struct send s = nth(i, 0);
    s.ssrc = 5, s.seq = (uint16_t)(i * 7919 + (i & 1) * 30000);
    push(s);
  }
  for (int i = 0; i < 50; i++) { /* every packet another type */
    struct send s = nth(i, 0);
    s.ssrc = 6, s.pt = (uint8_t)(i & 1 ? 8 : 0);
    push(s);
  }
  for (int i = 0; i < 50; i++) { /* a type nobody uses: 50 */
    struct send s = nth(i, 0);
    s.ssrc = 7, s.pt = 50;
    push(s);
  }
  for (int i = 0; i < 50; i++) { /* steps of 60 */
    struct send s = nth(i * 60, 0);
    s.ssrc = 8;
    push(s);
  }
  CHECK_EQ(opened, 8);
  CHECK_EQ(accepted, 3);
  stop();
}

static void candidates_are_recycled(void) {
  start(1000, 10);
  for (uint32_t i = 0; i < 10; i++) push(SEND(.at = T0 + i, .ssrc = i));
  CHECK_EQ(evicted, 0);
  stream(0)->claimed = 1; /* TypeScript found an SDP for the oldest */
  push(SEND(.at = T0 + 10, .ssrc = 10));
  CHECK_EQ(evicted, 0); /* the claimed one left the list and made room */
  push(SEND(.at = T0 + 11, .ssrc = 11));
  CHECK_EQ(evicted, 1);
  CHECK_EQ(stream(0)->state, CT_STREAM_PROBING);
  CHECK_EQ(stream(1)->state, CT_STREAM_FREE);
  CHECK_EQ(stream(1)->packets, 1); /* still readable */
  for (uint32_t i = 12; i < 5000; i++) push(SEND(.at = T0 + i, .ssrc = i));
  const uint64_t *c = ct_rtp_counters(table);
  CHECK_EQ(c[CT_RC_OPENED], 5000);
  CHECK_EQ(c[CT_RC_PROBING_RECYCLED], evicted);
  CHECK_EQ(c[CT_RC_OPENED] - evicted, 11);
  CHECK_EQ(stream(0)->packets, 1);
  push(SEND(.at = T0 + 6000, .ssrc = 0, .seq = 1));
  CHECK_EQ(stream(0)->packets, 2);
  stop();
}

static void oldest_is_evicted(void) {
  start(50, 1000);
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t i = 0; i < 50; i++)
      push(SEND(.at = T0 + k * 20 * MS + i, .ssrc = i, .seq = (uint16_t)k, .ts = k * 160));
  CHECK_EQ(accepted, 50);
  /* Streams 0..24 go on, the rest is idle. */
  for (uint32_t k = 5; k < 10; k++)
    for (uint32_t i = 0; i < 25; i++)
      push(SEND(.at = T0 + k * 20 * MS + i, .ssrc = i, .seq = (uint16_t)k, .ts = k * 160));
  struct ct_rtp_events ev = {0};
  for (uint32_t i = 0; i < 20; i++) {
    ev = push(SEND(.at = T0 + SECOND + i, .ssrc = 1000 + i));
    CHECK_EQ(ev.n, 3);
    CHECK_EQ(ev.ev[0].type, CT_RTP_WINDOW);
    CHECK_EQ(ev.ev[1].type, CT_RTP_EVICTED);
    CHECK_EQ(ev.ev[2].type, CT_RTP_OPENED);
    CHECK(ev.ev[1].index >= 25);
  }
  const uint64_t *c = ct_rtp_counters(table);
  CHECK_EQ(c[CT_RC_EVICTED], 20);
  for (uint32_t i = 0; i < 25; i++) CHECK_EQ(stream(i)->state, CT_STREAM_ACCEPTED);
  /* Far more than the cap: memory stays within it, every index carries a valid generation. */
  for (uint32_t i = 0; i < 20000; i++) push(SEND(.at = T0 + 2 * SECOND + i, .ssrc = 5000 + i));
  CHECK(ct_rtp_chunk(table, 1) == NULL);
  CHECK(stream(30)->generation > 100);
  stop();
}

static void index_grows(void) {
  /* 60,000 streams, IPv4 and IPv6, every one found again during and after each rebuild. */
  const uint32_t n = 60000;
  start(n, n);
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
  stop();
}

static void removal_under_rebuild(void) {
  /* Candidates come and go while the index is being rebuilt: none is lost or found twice. */
  start(100000, 3000);
  for (uint32_t i = 0; i < 40000; i++) {
    push(SEND(.at = T0 + i, .ssrc = i));
    if (i >= 2999) {
      uint32_t k = i - rnd() % 2999;
      uint32_t before = opened;
      push(SEND(.at = T0 + i, .ssrc = k, .seq = 1));
      CHECK_EQ(opened, before);
    }
  }
  CHECK_EQ(opened - evicted, 3000);
  stop();
}

static void same_slot_other_key(void) {
  /* The same hash for different keys: the caller hands the hash, so a full collision can be forced. */
  start(100, 100);
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t i = 0; i < 40; i++) {
      struct send s = SEND(.at = T0 + k * 20 * MS, .ssrc = 7, .host = i / 2, .port = (uint16_t)(i & 1),
                           .seq = (uint16_t)k);
      struct ct_packet p;
      uint8_t b[2048];
      struct ct_rtp_events ev;
      make_packet(&p, b, &s);
      ct_rtp_prefetch_stream(table, 0xffffffffffffffffu);
      ct_rtp_update(table, 0xffffffffffffffffu, &p, CT_ORIGIN_WIRE, &ev);
    }
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_OPENED], 40);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_ACCEPTED], 40);
  for (uint32_t i = 0; i < 40; i++) CHECK_EQ(stream(i)->packets, 5);
  stop();
  /* The key is the whole of it: origin and address family tell streams apart. */
  start(100, 100);
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
  stop();
}

/* ---- payloads ---- */
static void telephone_events_and_noise(void) {
  start(10, 10);
  uint32_t ts = 0;
  for (int i = 0; i < 300; i++) {
    struct send s = nth(i, 0);
    s.ts = ts = (uint32_t)i * 160;
    if (i >= 100 && i < 120) s.pt = 101, s.size = 4, s.ts = 100 * 160, s.marker = i == 100;
    if (i >= 200 && i < 210) s.pt = 13, s.size = 1, s.ts = ts + 55;
    push(s);
  }
  const struct ct_stream *s = stream(0);
  CHECK_EQ(s->event_packets, 20);
  CHECK_EQ(s->cn_packets, 10);
  CHECK_EQ(s->main_pt, 0);
  CHECK_EQ(s->pt_changes, 0);
  CHECK_EQ(lost(s), 0);
  CHECK_NEAR(jitter_mean(s, 0), 0, 1e-3);
  CHECK_EQ(s->octets, 270 * 160 + 20 * 4 + 10);
  CHECK_EQ(s->pt[1], 101);
  CHECK_EQ(s->pt_count[0], 20);
  CHECK_EQ(s->event_mask, 2);
  stop();
  /* Only events: no audio type, no jitter. */
  start(10, 10);
  for (int i = 0; i < 20; i++) push(SEND(.at = T0 + i * 20 * MS, .seq = (uint16_t)i, .pt = 101, .size = 4));
  CHECK_EQ(stream(0)->main_pt, CT_RTP_NO_PT);
  CHECK_EQ(stream(0)->event_packets, 20);
  CHECK_EQ(stream(0)->jitter_n, 0);
  stop();
}

static void dynamic_clock(uint32_t clock, int lane, bool has_other) {
  start(10, 10);
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
  CHECK_EQ(s->inferred_clock, clock);
  CHECK_EQ(s->clock, clock);
  CHECK_EQ(s->lane_mode, CT_LANES_ALL);
  CHECK_EQ(s->other_clock != 0, has_other);
  CHECK_NEAR(jitter_mean(s, lane), sum / n, 0.02);
  CHECK_NEAR(jitter_max(s, lane), max, 0.02);
  CHECK_EQ(s->discarded, 0);
  CHECK(windows >= 2);
  CHECK_NEAR(window_log[1].jitter_ms[lane], jitter_mean(s, lane), 1.0);
  stop();
}

static void clock_from_sdp(void) {
  /* TypeScript says 12,000 Hz from the 50th packet on: lane 4 runs from then. */
  start(10, 10);
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
  stop();
}

static void codec_change(void) {
  start(10, 10);
  for (int i = 0; i < 400; i++) {
    struct send s = nth(i, 0);
    if (i >= 200) s.pt = 96, s.ts = 5000u + 160u * 200u + 960u * (uint32_t)(i - 200), s.size = 70;
    push(s);
  }
  const struct ct_stream *s = stream(0);
  CHECK_EQ(s->pt_changes, 1);
  CHECK_EQ(s->main_pt, 0);
  CHECK_EQ(s->audio_pt, 96);
  CHECK_EQ(s->lane_mode, CT_LANES_ALL);
  CHECK_NEAR(jitter_mean(s, 2), 0, 0.01);
  CHECK_EQ(s->ts_step, 960);
  CHECK_EQ(s->inferred_clock, 48000); /* at the 256th sample, from the packets after the change only */
  CHECK_EQ(s->ts_jumps, 0);
  stop();
}

/* ---- hostile headers ---- */
static void headers(void) {
  struct ct_packet p;
  uint8_t b[2048];
  struct send s = SEND(.at = T0);
  struct ct_rtp_header h;
  make_packet(&p, b, &s);
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 160);
  p.len = p.wire_len = 11;
  CHECK(!ct_rtp_parse(&p, &h));
  p.len = p.wire_len = 12;
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 0);
  b[0] = 0x80 | 15; /* fifteen CSRC, none there */
  CHECK(!ct_rtp_parse(&p, &h));
  p.len = p.wire_len = 12 + 60 + 7;
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 7);
  b[0] = 0x90; /* extension of two words */
  p.len = p.wire_len = 12 + 4 + 8 + 20;
  b[14] = 0, b[15] = 2;
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 20);
  b[14] = 0xff, b[15] = 0xff; /* longer than the packet */
  CHECK(!ct_rtp_parse(&p, &h));
  p.len = p.wire_len = 15; /* cut inside the extension header */
  CHECK(!ct_rtp_parse(&p, &h));
  b[0] = 0xa0; /* padding */
  p.len = p.wire_len = 12 + 100;
  b[111] = 4;
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 96);
  b[111] = 101; /* more than there is: SRTP, or nonsense */
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 100);
  p.len = 40; /* snapped: the last byte was not captured */
  CHECK(ct_rtp_parse(&p, &h));
  CHECK_EQ(h.octets, 100);
  b[0] = 0x40;
  CHECK(!ct_rtp_parse(&p, &h));
  start(4, 4);
  p.len = p.wire_len = 5;
  push_packet(&p, 0);
  CHECK_EQ(opened, 0);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_MALFORMED], 1);
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_PACKETS], 1);
  stop();
}

static void impossible_times(void) {
  start(4, 4);
  const int64_t at[] = {0, INT64_MAX, INT64_MIN, -1, INT64_MAX - 1, 5, INT64_MIN + 1, T0, T0 + 20 * MS};
  for (uint32_t k = 0; k < 200; k++)
    for (uint32_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
      push(SEND(.at = at[(i * (k + 1)) % 9], .ts = rnd(), .seq = (uint16_t)(k * 9 + i),
                .pt = (uint8_t)(k & 1 ? 0 : 111)));
  CHECK_EQ(ct_rtp_counters(table)[CT_RC_PACKETS], 1800);
  stop();
}

/* ---- throughput ---- */
static double now_s(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}
static void bench(uint32_t streams, uint32_t total, uint8_t pt) {
  struct ct_rtp_opts o = {streams, streams, {11, 22}, 5 * SECOND, 60};
  table = ct_rtp_create(&o);
  struct ct_packet p[32];
  static uint8_t b[32][256];
  uint64_t h[32];
  struct ct_rtp_events ev;
  struct send s = SEND(.pt = pt);
  for (int i = 0; i < 32; i++) make_packet(&p[i], b[i], &s);
  uint32_t i = 0, round = 0;
  double fill = 0;
  double t0 = now_s();
  for (uint32_t done = 0; done < total;) {
    double f0 = now_s();
    for (int k = 0; k < 32; k++) {
      uint32_t id = i * 2654435761u;
      uint32_t ts = round * (pt < 35 ? 160 : 960);
      for (int n = 0; n < 4; n++)
        b[k][4 + n] = (uint8_t)(ts >> (24 - 8 * n)), b[k][8 + n] = (uint8_t)(id >> (24 - 8 * n));
      b[k][2] = (uint8_t)(round >> 8), b[k][3] = (uint8_t)round;
      p[k].ts_ns = T0 + round * 20 * MS + i * 100;
      p[k].sport = (uint16_t)(i * 2);
      memcpy(p[k].src, &id, 4);
      p[k].frame = NULL;
      if (++i == streams) i = 0, round++;
    }
    fill += now_s() - f0;
    for (int k = 0; k < 32; k++) h[k] = ct_rtp_hash(table, &p[k], 0), ct_rtp_prefetch_slot(table, h[k]);
    for (int k = 0; k < 32; k++) ct_rtp_prefetch_stream(table, h[k]);
    for (int k = 0; k < 32; k++) ct_rtp_update(table, h[k], &p[k], 0, &ev);
    done += 32;
  }
  double t = now_s() - t0 - fill;
  printf("%u streams, payload type %u: %.1f ns a packet (%u packets, making them %.1f ns apart)\n", streams,
         pt, t * 1e9 / total, total, fill * 1e9 / total);
  ct_rtp_free(table);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "bench") == 0) {
    for (int k = 0; k < 3; k++) {
      bench(1000, 6000000, 0);
      bench(1000, 6000000, 111);
      bench(93000, 6000000, 0);
      bench(93000, 6000000, 111);
    }
    return 0;
  }
  clean();
  random_loss(12, 100);
  random_loss(66, 65000);
  random_loss(136, 100);
  burst_loss();
  burst_and_gap();
  jitter_uniform();
  reorder();
  duplicates();
  ssrc_change();
  sequence_wrap();
  silence();
  late_300ms();
  delay_step();
  reuse_by_next_call();
  outage_is_loss();
  hold_and_resume();
  restart_without_gap();
  starts_reordered();
  heuristic();
  candidates_are_recycled();
  oldest_is_evicted();
  index_grows();
  removal_under_rebuild();
  same_slot_other_key();
  telephone_events_and_noise();
  dynamic_clock(8000, 0, false);
  dynamic_clock(16000, 1, false);
  dynamic_clock(48000, 2, false);
  dynamic_clock(90000, 3, false);
  dynamic_clock(32000, 4, true);
  clock_from_sdp();
  codec_change();
  headers();
  impossible_times();
  printf("test_rtp: %d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
