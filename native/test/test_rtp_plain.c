/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_plain.c - the short way of plain frames: which frames it takes, and that it leaves behind what the long way
 * does, to the byte.
 */
#define _GNU_SOURCE
#include "check.h"
#include "plain_pair.h"

#define MS 1000000LL
#define SECOND (1000 * MS)
#define T0 (1700000000LL * SECOND)

static const struct ct_rtp_opts OPTS = {1000, {1, 2}, 5000000000ull, 60};

/* ---- which frames ---- */

/* One byte of a plain frame changed: whether it still is one. The long way must agree with each that is. */
static void which_frames(void) {
  static const struct {
    const char *what;
    uint32_t at;
    uint8_t to;
    bool plain;
  } C[] = {{"as it is", 0, 0, true},
           {"802.1Q", 12, 0x81, false},
           {"IPv6", 14, 0x65, false},
           {"options", 14, 0x46, false},
           {"another DSCP", 15, 0, true},
           {"a length beyond the frame", 16, 0x10, true},
           {"UDP beyond IP", 17, 20 + 8 + 12 + 19, false},
           {"don't fragment, offset 0", 20, 0x40, true},
           {"first fragment", 20, 0x20, false},
           {"later fragment", 21, 1, false},
           {"TCP", 23, 6, false},
           {"source port 1023", 34, 3, false},
           {"source port 4500", 35, 0x94, false},
           {"destination port below 1024", 36, 0, false},
           {"UDP one byte short of RTP", 39, 19, false},
           {"UDP of no RTP payload", 39, 20, true},
           {"version 1", 42, 0x40, false},
           {"padding", 42, 0xa0, false},
           {"extension", 42, 0x90, false},
           {"a CSRC", 42, 0x81, false},
           {"marker", 43, 0x80, true},
           {"type 63 with marker", 43, 191, true},
           {"RTCP's first type", 43, 192, false},
           {"RTCP's last type", 43, 223, false},
           {"type 96 with marker", 43, 224, true}};
  for (uint32_t i = 0; i < COUNT(C); i++) {
    subject = C[i].what;
    struct plain_pair w;
    struct plain_frame x;
    pair_open(&w, &OPTS);
    /* Port 4500 less its low byte, so that one byte makes it a tunnel's. */
    make_plain(&x, T0, 1, 0x1100, 9, 0, 1, 160, 20);
    if (i > 0) x.b[C[i].at] = C[i].to;
    if (C[i].at == 34) put16(x.b + 34, 0x03ff);
    CHECK_EQ(ct_is_plain_rtp(&x.f), C[i].plain);
    CHECK(pair_push(&w, &x.f, 0));
    CHECK(pair_is_same(&w));
    pair_close(&w);
  }
  subject = "";
  struct plain_frame x;
  make_plain(&x, T0, 1, 4000, 9, 0, 1, 160, 20);
  x.f.caplen = CT_PLAIN_END; /* cut after the RTP header, as a kernel filter leaves it */
  CHECK(ct_is_plain_rtp(&x.f));
  x.f.caplen = CT_PLAIN_END - 1;
  CHECK(!ct_is_plain_rtp(&x.f));
  x.f.caplen = CT_PLAIN_END;
  x.f.linktype = 113;
  CHECK(!ct_is_plain_rtp(&x.f));
}

/* ---- what is unusual goes the long way ---- */

/* How a packet differs from the one that is usual in its place. */
struct oddity {
  const char *what;
  int seq, steps, ticks, late_ms; /* steps: timestamps as of so many packets */
  uint32_t size;                  /* of the payload */
  uint8_t host, port, ssrc, type, origin;
  bool other_dscp, stays; /* stays: the packets after it differ too */
};
static const struct oddity oddities[] = {
    {.what = "nothing odd"},
    {"one lost", .seq = 1, .steps = 1, .stays = true},
    {"one again", .seq = -1, .steps = -1},
    {"one late", .seq = -20, .steps = -20},
    {"a stray", .seq = 20000},
    {"another DSCP", .other_dscp = true},
    {"another type", .type = 3},
    {"a key press", .type = 101, .size = 4},
    {"an odd step", .ticks = 7},
    {"time back", .ticks = -900000},
    {"a pause", .late_ms = 1500, .stays = true},
    {"earlier than the last", .late_ms = -30},
    {"delayed", .late_ms = 100},
    {"another SSRC", .ssrc = 1},
    {"another host", .host = 1},
    {"another port", .port = 2},
    {"another origin", .origin = 1},
    {"comfort noise", .size = 2},
};

/* 200 packets of a stream, an odd one, and 200 more. Returns whether the odd one went the short way. */
static bool with_oddity(const struct oddity *odd, uint8_t pt, struct plain_pair *w) {
  struct plain_frame x;
  bool was_short = false;
  int step = pt == 111 ? 960 : 160;
  for (int i = 0; i < 401; i++) {
    bool now = i == 200;
    const struct oddity *o = now || (i > 200 && odd->stays) ? odd : &oddities[0];
    make_plain(&x, T0 + (i * 20 + o->late_ms) * MS + below(2000) * 1000, 1 + o->host, 4000 + o->port, 7 + o->ssrc,
               o->type != 0 ? o->type : pt, (uint16_t)(65400 + i + o->seq),
               4294960000u + (uint32_t)((i + o->steps) * step + o->ticks), o->size != 0 ? o->size : 120);
    if (o->other_dscp) x.b[15] = 0;
    uint64_t before = w->shorter;
    CHECK(pair_push(w, &x.f, o->origin));
    if (now) was_short = w->shorter > before;
  }
  CHECK(pair_is_same(w));
  return was_short;
}

static void unusual_packets_go_the_long_way(void) {
  static const uint8_t types[] = {0, 8, 18, 111};
  for (uint32_t t = 0; t < COUNT(types); t++)
    for (uint32_t i = 0; i < COUNT(oddities); i++) {
      const struct oddity *odd = &oddities[i];
      subject = odd->what;
      struct plain_pair w;
      pair_open(&w, &OPTS);
      /* Two octets are comfort noise in G.729 alone. */
      bool usual = i == 0 || (odd->size == 2 && types[t] != 18);
      /* Lateness of a dynamic type is judged at every clock that it may have, on either way. */
      usual |= odd->late_ms == 100 && types[t] == 111;
      CHECK_EQ(with_oddity(odd, types[t], &w), usual);
      CHECK(w.shorter > 300 && w.shorter < 401);
      /* Not: four that prove a stream, the new window that begins with packet 250; until a clock is inferred, and at those
       * samples. */
      if (i == 0) CHECK_EQ(w.shorter, types[t] == 111 ? 366 : 396);
      pair_close(&w);
    }
  subject = "";
}

/* A clock that an SDP gives while packets go the short way is taken at the next one. */
static void a_hint_is_taken(void) {
  struct plain_pair w;
  struct plain_frame x;
  pair_open(&w, &OPTS);
  for (int i = 0; i < 300; i++) {
    if (i == 150) pair_hint(&w, 0, 24000);
    make_plain(&x, T0 + i * 20 * MS, 1, 4000, 7, 111, (uint16_t)i, (uint32_t)i * 960, 100);
    uint64_t before = w.shorter;
    CHECK(pair_push(&w, &x.f, 0));
    if (i == 149) CHECK(w.shorter > before);
    if (i == 150) CHECK_EQ(w.shorter, before);
  }
  CHECK_EQ(pair_stream(w.may, 0)->clock, 24000);
  CHECK(pair_is_same(&w));
  pair_close(&w);
}

/* ---- much of it at random ---- */

struct talker {
  int64_t at;
  uint32_t ts, ssrc, step;
  uint16_t seq, port;
  uint8_t pt;
};

/* Forty streams of five kinds with everything that goes wrong on networks, and table limits that evict some. */
static void at_random(uint32_t trouble) {
  static const uint8_t pts[] = {0, 8, 9, 111, 96};
  static const uint32_t steps[] = {160, 160, 160, 960, 3000};
  struct ct_rtp_opts o = OPTS;
  if (trouble > 20) o.max_streams = 30;
  struct plain_pair w;
  struct talker talker[40];
  struct plain_frame x;
  pair_open(&w, &o);
  for (uint32_t i = 0; i < 40; i++)
    talker[i] = (struct talker){T0 + below(20) * MS,    below(1u << 31),          1000 + i,  steps[i % 5],
                                (uint16_t)below(65536), (uint16_t)(4000 + 2 * i), pts[i % 5]};
  bool same = true;
  for (uint32_t n = 0; n < 60000 && same; n++) {
    struct talker *k = &talker[below(40)];
    bool more = k->pt == 96 && below(3) > 0; /* several packets a picture */
    k->seq++;
    if (!more) k->ts += k->step, k->at += (k->pt == 96 ? 33 : 20) * MS;
    bool odd = below(1000) < trouble;
    uint32_t what = odd ? below(12) : 99, size = k->pt == 18 ? 20 : 60 + below(60);
    uint8_t type = k->pt, host = 1;
    int64_t at = k->at + below(4000) * 1000;
    uint16_t seq = k->seq;
    if (what == 0) k->seq = (uint16_t)(k->seq + below(10));
    if (what == 1) seq--;
    if (what == 2) seq = (uint16_t)(seq - below(140));
    if (what == 3) k->at += below(3000) * MS;
    if (what == 4) type = 13;
    if (what == 5) type = 101, size = 4;
    if (what == 6) k->ts += below(100000);
    if (what == 7) k->seq = (uint16_t)(k->seq + below(60000));
    if (what == 8) at -= below(100) * MS;
    if (what == 9) pair_hint(&w, below(40), below(3) * 8000);
    if (what == 10) at += below(200) * MS;
    if (what == 11 && below(100) == 0) at = below(2) == 0 ? INT64_MAX : INT64_MIN;
    make_plain(&x, at, host, k->port, k->ssrc, (uint8_t)(type | (below(50) == 0) << 7), seq, k->ts, size);
    if (odd && below(8) == 0) x.b[15] = (uint8_t)below(256);
    if (odd && below(8) == 0) x.f.caplen = 54 + below(10);
    same = pair_push(&w, &x.f, 0);
    if (n % 500 == 0) same = same && pair_is_same(&w);
  }
  CHECK(same);
  CHECK(pair_is_same(&w));
  /* Not vacuous: with little trouble most packets went the short way, with much of it many still did. */
  CHECK(w.shorter * 100 > w.frames * (trouble < 5 ? 80 : trouble < 100 ? 30 : 1));
  CHECK(w.shorter < w.frames);
  pair_close(&w);
}

int main(void) {
  which_frames();
  unusual_packets_go_the_long_way();
  a_hint_is_taken();
  at_random(1);
  at_random(20);
  at_random(50);
  at_random(300);
  return report("rtp plain");
}
