/* SPDX-License-Identifier: Apache-2.0
 * test_rtp_admit.c - more streams than the table holds: which get a place, which keep theirs, what is counted.
 */
#define _GNU_SOURCE
#include "rtp_harness.h"

#define REFUSED(what) ct_rtp_counters(table)[CT_RC_##what]

static uint32_t said; /* events, whatever they say */
static void push_at(int64_t at, uint32_t ssrc, uint32_t k) {
  said += push(SEND(.at = at, .ssrc = ssrc, .host = ssrc * 2654435761u, .port = (uint16_t)(ssrc * 2),
                    .seq = (uint16_t)k, .ts = k * 160))
              .n;
}

enum order { IN_ORDER, BACKWARDS, AT_RANDOM };

/* A media host, or an agent that is restarted under load: `count` streams at once, a packet of each every `gap`. */
static void more_than_fit(uint32_t cap, uint32_t count, int64_t gap, enum order order) {
  const uint32_t rounds = 12;
  uint32_t turn[1000];
  start(cap);
  said = 0;
  for (uint32_t i = 0; i < count; i++) turn[i] = i;
  for (uint32_t k = 0; k < rounds; k++) {
    for (uint32_t i = count - 1; order == AT_RANDOM && i > 0; i--) {
      uint32_t j = rnd() % (i + 1), held = turn[i];
      turn[i] = turn[j], turn[j] = held;
    }
    for (uint32_t i = 0; i < count; i++) {
      bool back = order == BACKWARDS && k % 2 == 1;
      push_at(T0 + k * gap + i * gap / count, turn[back ? count - 1 - i : i], k);
    }
  }
  CHECK_EQ(accepted, cap);
  CHECK(REFUSED(REFUSED) >= count - cap);
  CHECK_EQ(REFUSED(EVICTED), 0);
  if (order == IN_ORDER) {
    CHECK_EQ(REFUSED(REFUSED), count - cap); /* each once, not once a packet */
    CHECK_EQ(REFUSED(PACKETS_REFUSED), (count - cap) * rounds);
    CHECK_EQ(REFUSED(PROBING_RECYCLED), 0);
    CHECK_EQ(said - windows, 2 * cap); /* opened and accepted: nothing is said of what was refused */
  }
}

/* Forged packets, each of another stream, 1 µs apart: a real stream that begins meanwhile takes the place of one. */
static void single_packets_keep_nobody_out(uint32_t cap) {
  start(cap);
  uint32_t forged = 1u << 20, real = 0, sent = 0;
  for (int64_t t = 0; t < 500 * MS; t += MS / 1000) {
    push_at(T0 + t, forged++, 7);
    if (t < 250 * MS || t % (20 * MS) != 0) continue;
    for (uint32_t i = 0; i < 20; i++) push_at(T0 + t, i, sent);
    sent++;
    real = accepted;
  }
  CHECK_EQ(real, 20);
  /* The last place was taken long ago: what the flood still makes is counted and told to nobody. */
  CHECK(REFUSED(REFUSED) > 490000 - cap);
  CHECK(said < 200000);
}

/* Forged streams of four good packets fill the table with accepted ones: who an SDP names is let in all the same. */
static void named_come_first(void) {
  const uint32_t cap = 1000, calls = 50;
  uint8_t host[16] = {0};
  start(cap);
  uint32_t forged = 1u << 20, in = 0;
  for (uint32_t i = 0; i < calls; i++) {
    uint32_t h = (i + 1) * 2654435761u;
    memcpy(host, &h, 4);
    ct_rtp_name(table, host, (uint16_t)(2 * (i + 1)), true);
  }
  uint32_t k = 0;
  for (int64_t t = 0; t < 4 * SECOND; t += 10 * MS) {
    for (uint32_t n = 0; n < 100; n++, forged++)
      for (uint32_t p = 0; p < 4; p++) push_at(T0 + t + p, forged, p);
    if (t < 2 * SECOND || t % (20 * MS) != 0) continue;
    for (uint32_t i = 0; i < calls; i++) {
      uint32_t before = opened;
      push_at(T0 + t + 5, i + 1, k);
      in += opened - before;
      if (opened > before) stream(last_opened)->claimed = 1; /* as TypeScript does */
    }
    k++;
  }
  CHECK_EQ(in, calls);
  /* Without a name nobody else came in: accepted streams stay until they have ended. */
  CHECK_EQ(REFUSED(OPENED), cap + calls);
  /* A name that was taken back is none. */
  ct_rtp_name(table, host, (uint16_t)(2 * calls), false);
  uint32_t before = opened;
  push(SEND(.at = T0 + 4 * SECOND, .ssrc = 1, .host = calls * 2654435761u, .port = (uint16_t)(2 * calls)));
  CHECK_EQ(opened, before);
}

/* Streams of answered calls, ended long ago, and a flood of strangers that are accepted, one after the other. */
static void strangers_get_a_share(void) {
  const uint32_t cap = 1024;
  start(cap);
  for (uint32_t i = 0; i < cap; i++) {
    for (uint32_t k = 0; k < 5; k++) push_at(T0 + k * 20 * MS, i, k);
    stream(last_opened)->claimed = 1;
  }
  uint32_t forged = 1u << 20;
  for (int64_t t = 60 * SECOND; t < 200 * SECOND; t += MS)
    for (uint32_t p = 0; p < 4; p++) push_at(T0 + t, forged + (uint32_t)(t / MS), p);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < cap; i++) kept += stream(i)->state != CT_STREAM_FREE && stream(i)->claimed;
  CHECK(kept >= cap - cap / 6 && kept < cap);
  /* Within their share strangers go round: those that have ended make room for others. */
  CHECK(accepted > cap + 3 * cap / 8);
}

/* A file is read while TypeScript is behind: what it is about to claim is no stranger. */
static uint32_t settles;
static void claim_first_ten(void *arg) {
  (void)arg;
  settles++;
  for (uint32_t i = 0; i < 10; i++) stream(i)->claimed = 1;
}
static void waits_for_claims(void) {
  start(100);
  ct_rtp_on_settle(table, claim_first_ten, NULL);
  for (uint32_t i = 0; i < 100; i++)
    for (uint32_t k = 0; k < 5; k++) push_at(T0 + k * 20 * MS, i, k);
  CHECK_EQ(settles, 0);
  for (uint32_t i = 0; i < 1000; i++) /* 100 s */
    for (uint32_t k = 0; k < 5; k++) push_at(T0 + 60 * SECOND + i * 100 * MS + k * 20 * MS, 1000 + i, k);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < 10; i++) kept += stream(i)->state == CT_STREAM_ACCEPTED && stream(i)->claimed == 1;
  CHECK_EQ(kept, 10);
  CHECK(settles >= 3 && settles <= 6); /* once in 30 s of capture time, not once a stream */
  CHECK(REFUSED(EVICTED) > 200);
}

/* A table full of calls that have ended is the daily state: whoever comes gets a place with the first packet. */
static void ended_make_room(void) {
  const uint32_t cap = 1024;
  start(cap);
  for (uint32_t i = 0; i < 20 * cap; i++) {
    uint32_t before = opened;
    int64_t at = T0 + i * 100 * MS; /* the whole table is 100 s */
    for (uint32_t k = 0; k < 4; k++) push_at(at + k * MS, i, k);
    CHECK_EQ(opened, before + 1);
    stream(last_opened)->claimed = 1;
  }
  CHECK_EQ(REFUSED(REFUSED), 0);
  CHECK_EQ(REFUSED(EVICTED), 19 * cap);
}

/* Before it goes, a stream that was shown closes its window; one that continues stays. */
static void the_silent_one_goes(void) {
  start(50);
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t i = 0; i < 50; i++) push_at(T0 + k * 20 * MS + i, i, k);
  CHECK_EQ(accepted, 50);
  for (uint32_t k = 5; k < 2000; k++) /* 0..24 continue for 40 s, the rest is silent */
    for (uint32_t i = 0; i < 25; i++) push_at(T0 + k * 20 * MS + i, i, k);
  struct ct_rtp_events ev = push(SEND(.at = T0 + 20 * SECOND, .ssrc = 999));
  CHECK_EQ(ev.n, 0); /* silent for 20 s only: a hold */
  for (uint32_t i = 0; i < 25; i++) {
    ev = push(SEND(.at = T0 + 40 * SECOND + i * MS, .ssrc = 1000 + i));
    CHECK_EQ(ev.n, 3);
    CHECK_EQ(ev.ev[0].type, CT_RTP_WINDOW);
    CHECK_EQ(ev.ev[1].type, CT_RTP_EVICTED);
    CHECK_EQ(ev.ev[2].type, CT_RTP_OPENED);
    CHECK(ev.ev[1].index >= 25);
  }
  CHECK_EQ(REFUSED(EVICTED), 25);
  for (uint32_t i = 0; i < 25; i++) CHECK_EQ(stream(i)->state, CT_STREAM_ACCEPTED);
  /* Far more than the cap: memory stays within it. */
  for (uint32_t i = 0; i < 20000; i++) push(SEND(.at = T0 + 100 * SECOND + i * 40 * MS, .ssrc = 5000 + i));
  CHECK(ct_rtp_chunk(table, 1) == NULL);
  CHECK(stream(30)->generation > 10);
}

/* A key that another call uses again takes the place of its own past when the table is full. */
static void a_key_used_again_keeps_its_place(void) {
  start(10);
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t i = 0; i < 10; i++) push_at(T0 + k * 20 * MS, i, k);
  for (uint32_t k = 0; k < 4; k++) push_at(T0 + 2 * SECOND + k * 20 * MS, 3, 40000 + k);
  CHECK_EQ(accepted, 11);
  CHECK_EQ(REFUSED(EVICTED), 1);
  CHECK_EQ(REFUSED(REFUSED), 0);
}

/* Stamps that jump: a packet from the year 2200 holds its place no longer than others, and a rest ends. */
static void clocks_that_jump(void) {
  start(4);
  for (uint32_t i = 0; i < 4; i++) push_at(7258118400LL * SECOND, i, 0);
  push_at(T0, 10, 0);
  CHECK_EQ(opened, 5);
  for (uint32_t i = 0; i < 100; i++) push_at(T0 + i, 20 + i, 0);
  uint32_t before = opened;
  push_at(T0 - 3600 * SECOND, 500, 0); /* searches, although the search before it is a moment of the future */
  CHECK_EQ(opened, before + 1);
  const int64_t at[] = {INT64_MAX, INT64_MIN, 0, INT64_MAX - 1, INT64_MIN + 1};
  for (uint32_t i = 0; i < 5000; i++) push_at(at[i % 5], 1000 + i % 13, i);
  CHECK(opened - evicted <= 4);
}

int main(void) {
  more_than_fit(50, 200, 20 * MS, IN_ORDER);
  more_than_fit(50, 200, 2500 * MS, IN_ORDER);
  more_than_fit(250, 1000, 4900 * MS, IN_ORDER);
  more_than_fit(250, 1000, 20 * MS, BACKWARDS);
  more_than_fit(250, 1000, 2500 * MS, BACKWARDS);
  more_than_fit(250, 1000, 20 * MS, AT_RANDOM);
  more_than_fit(250, 1000, 2000 * MS, AT_RANDOM);
  single_packets_keep_nobody_out(100);
  single_packets_keep_nobody_out(20000);
  named_come_first();
  strangers_get_a_share();
  waits_for_claims();
  ended_make_room();
  the_silent_one_goes();
  a_key_used_again_keeps_its_place();
  clocks_that_jump();
  return rtp_report("rtp admit");
}
