/* SPDX-License-Identifier: Apache-2.0
 * test_copies.c - frames that several sources saw: which are the same, how they are paired, and what the window holds.
 */
#include "check.h"
#include "pipeline/copies.h"
#include "decode/walk.h"
#include "net_frames.h"
#include <stdlib.h>
#include <string.h>

#define MS 1000000ll
#define SHORTEST 60u

static const uint64_t KEY[2] = {0x0123456789abcdef, 0xfedcba9876543210};
static uint64_t missed;

struct made {
  uint8_t bytes[128];
  struct ct_frame frame;
};

/* Four bytes of payload and padding. */
static struct made made(uint16_t id, const char *payload, int64_t ms, uint32_t interface) {
  struct made m = {.frame = {.ts_ns = ms * MS, .caplen = SHORTEST, .wirelen = SHORTEST, .linktype = 1, .if_index = interface}};
  udp_frame(m.bytes, 5060, 5060, payload, 4);
  put16(m.bytes + 18, id);
  return m;
}

/* True when the frame is taken. */
static bool takes(struct ct_copies *c, uint32_t source, struct made m) {
  struct ct_frame out;
  static const struct ct_decode_opts o;
  m.frame.data = m.bytes;
  return ct_copies_drop(c, source, &o, &m.frame, 1, &out, &missed) == 1;
}

static void what_is_the_same(void) {
  static const struct {
    const char *what;
    uint8_t at, value;
    bool same;
  } CHANGES[] = {
      {"nothing", 47, 0, true},          {"a MAC address", 3, 99, true},   {"the hop limit", 22, 63, true},
      {"the IP checksum", 24, 1, true},  {"the UDP checksum", 40, 1, true}, {"the DSCP", 15, 46 << 2, true},
      {"padding of Ethernet", 50, 1, true}, {"the identification", 19, 8, false}, {"a source address", 29, 9, false},
      {"a destination address", 33, 9, false}, {"a port", 35, 9, false},   {"the payload", 45, 'x', false},
  };
  for (unsigned i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
    subject = CHANGES[i].what;
    struct ct_copies *c = ct_copies_create(KEY);
    struct made m = made(7, "abcd", 0, 0);
    CHECK(takes(c, 0, m));
    m.bytes[CHANGES[i].at] = CHANGES[i].value;
    CHECK_EQ(takes(c, 1, m), !CHANGES[i].same);
    ct_copies_free(c);
  }
  subject = "";
  /* A VLAN tag in front. */
  struct ct_copies *c = ct_copies_create(KEY);
  struct made plain = made(7, "abcd", 0, 0), tagged = plain;
  memmove(tagged.bytes + 16, plain.bytes + 12, 60);
  memcpy(tagged.bytes + 12, (const uint8_t[]){0x81, 0, 0, 5}, 4);
  tagged.frame.caplen = tagged.frame.wirelen = SHORTEST + 4;
  CHECK(takes(c, 0, plain));
  CHECK(!takes(c, 1, tagged));
  ct_copies_free(c);
}

/* RTP goes a short way without a tag and a long way with one. */
static void plain_rtp_is_the_same(void) {
  struct made rtp = made(7, "\x80\0\0\1", 0, 0), tagged;
  rtp.bytes[17] = 20 + 8 + 12;
  rtp.bytes[39] = 8 + 12;
  tagged = rtp;
  memmove(tagged.bytes + 16, rtp.bytes + 12, 60);
  memcpy(tagged.bytes + 12, (const uint8_t[]){0x81, 0, 0, 5}, 4);
  tagged.frame.caplen = tagged.frame.wirelen = SHORTEST + 4;
  struct ct_copies *c = ct_copies_create(KEY);
  CHECK(takes(c, 0, rtp));
  CHECK(!takes(c, 1, tagged));
  CHECK(!takes(c, 2, rtp));
  ct_copies_free(c);
}

/* Sources by letter, each with the time of an equal frame: "A0 B1" are two of the same packet. */
static unsigned taken(const char *steps) {
  struct ct_copies *c = ct_copies_create(KEY);
  unsigned n = 0;
  for (const char *s = steps; *s != 0;) {
    char *end;
    const uint32_t source = (uint32_t)(*s - 'A');
    n += takes(c, source, made(0, "abcd", strtol(s + 1, &end, 10), 0));
    s = *end == ' ' ? end + 1 : end;
  }
  ct_copies_free(c);
  return n;
}

static void pairs(void) {
  CHECK_EQ(taken("A0 B0"), 1);
  CHECK_EQ(taken("A0 B20"), 1);
  CHECK_EQ(taken("A0 B21"), 2);
  CHECK_EQ(taken("A5 B0"), 1); /* rings are read one after the other */
  CHECK_EQ(taken("A0 A1 A2"), 3); /* retransmissions */
  CHECK_EQ(taken("A0 B1 A2 B3"), 2);
  CHECK_EQ(taken("A0 A2 B1 B3"), 2);
  CHECK_EQ(taken("A0 B1 B2"), 2);
  CHECK_EQ(taken("A0 B1 C2 D3"), 1);
  CHECK_EQ(taken("A0 B1 B2 A3"), 2); /* the second was seen by B first */
  CHECK_EQ(taken("A0 A15 B16 B17"), 2);
  CHECK_EQ(taken("A0 B19 A500 B501"), 2);
  /* Interfaces of one source. */
  struct ct_copies *c = ct_copies_create(KEY);
  CHECK(takes(c, 0, made(1, "abcd", 0, 3)));
  CHECK(!takes(c, 0, made(1, "abcd", 0, 4)));
  CHECK(takes(c, 0, made(1, "abcd", 1, 3)));
  ct_copies_free(c);
}

/* Cooked capture of every interface (LINUX_SLL2): the frame says where it was. */
static void cooked(void) {
  struct ct_copies *c = ct_copies_create(KEY);
  struct made m = made(1, "abcd", 0, 0);
  memmove(m.bytes + 20, m.bytes + 14, 46);
  memset(m.bytes, 0, 20);
  m.bytes[0] = 8;
  m.frame.linktype = 276;
  m.frame.caplen = m.frame.wirelen = 66;
  m.bytes[7] = 3;
  CHECK(takes(c, 0, m));
  m.bytes[7] = 4;
  CHECK(!takes(c, 0, m));
  CHECK(takes(c, 0, m));
  ct_copies_free(c);
}

static void window_is_bounded(void) {
  struct ct_copies *c = ct_copies_create(KEY);
  missed = 0;
  /* Equal frames of one source: a new one looks at 64 of them. */
  for (unsigned i = 0; i <= CT_COPIES_STEPS; i++) CHECK(takes(c, 0, made(1, "same", 0, 0)));
  CHECK_EQ(missed, 0);
  CHECK(takes(c, 0, made(1, "same", 0, 0)));
  CHECK_EQ(missed, 1);
  ct_copies_free(c);
  c = ct_copies_create(KEY);
  missed = 0;
  CHECK(takes(c, 0, made(0, "lost", 0, 0)));
  for (uint32_t i = 0; i < CT_COPIES_KEPT; i++) {
    struct made m = made(1, "abcd", 0, 0);
    memcpy(m.bytes + 42, &i, 4);
    CHECK(takes(c, 0, m));
  }
  CHECK_EQ(missed, 1);
  CHECK(takes(c, 1, made(0, "lost", 1, 0))); /* it is no longer known */
  ct_copies_free(c);
}

int main(void) {
  what_is_the_same();
  plain_rtp_is_the_same();
  pairs();
  cooked();
  window_is_bounded();
  return report("copies");
}
