/* SPDX-License-Identifier: Apache-2.0
 * test_selection.c - which frames a second pass takes: by number, by the sockets and the time of a flow, and fragments.
 */
#include "check.h"
#include "file/selection.h"
#include "net_frames.h"

#define SECOND 1000000000ll

static const uint64_t KEY[2] = {0x0123456789abcdef, 0xfedcba9876543210};
static const struct ct_decode_opts NONE;
static const uint8_t RTP[12] = {0x80, 0}, RTCP[12] = {0x80, 200}, STUN[12] = {0, 1};

/* Between 10.0.0.1 and 10.0.0.2. */
static struct ct_flow flow(uint16_t a, uint16_t b, double from_us, double to_us, bool is_control) {
  return (struct ct_flow){.a = {10, 0, 0, 1}, .b = {10, 0, 0, 2}, .a_port = a, .b_port = b, .version = 4,
                          .is_control = is_control, .from_us = from_us, .to_us = to_us};
}

static struct ct_frame frame_of(const uint8_t *d, uint32_t len, uint64_t ordinal, int64_t ts_ns) {
  return (struct ct_frame){.data = d, .caplen = len, .wirelen = len, .linktype = 1, .ordinal = ordinal, .ts_ns = ts_ns};
}

/* Whether a datagram of these ports, and its payload of 12 bytes, is taken. */
static bool takes(struct ct_selection *s, uint16_t sport, uint16_t dport, const void *payload, int64_t ts_ns) {
  uint8_t d[100];
  struct ct_frame f = frame_of(d, udp_frame(d, sport, dport, payload, 12), 0, ts_ns);
  uint8_t *exact = exact_copy(d, f.caplen);
  f.data = exact;
  bool taken = ct_selection_take(s, 0, &f, &NONE) == CT_TAKEN_BY_FLOW;
  free(exact);
  return taken;
}

static void flows(void) {
  const struct ct_flow rows[] = {flow(20000, 30000, 5e6, 9e6, false), flow(20001, 30001, 5e6, 9e6, true),
                                 flow(20000, 30000, 50e6, INFINITY, false)};
  struct ct_selection *s = ct_selection_create(1, rows, COUNT(rows), KEY);
  CHECK(takes(s, 20000, 30000, RTP, 6 * SECOND));
  CHECK(!takes(s, 20000, 30002, RTP, 6 * SECOND));
  CHECK(!takes(s, 20000, 30001, RTP, 6 * SECOND));
  CHECK(!takes(s, 30000, 20000, RTP, 6 * SECOND)); /* the addresses are not swapped */
  CHECK(takes(s, 20001, 30001, RTCP, 6 * SECOND));
  CHECK(takes(s, 20001, 30001, STUN, 6 * SECOND));
  CHECK(!takes(s, 20001, 30001, RTP, 6 * SECOND)); /* another call's */
  CHECK(takes(s, 20000, 30000, RTCP, 6 * SECOND)); /* one socket for both */
  CHECK(takes(s, 20000, 30000, RTP, 5 * SECOND));
  CHECK(!takes(s, 20000, 30000, RTP, 5 * SECOND - 1000));
  CHECK(takes(s, 20000, 30000, RTP, 9 * SECOND));
  CHECK(!takes(s, 20000, 30000, RTP, 9 * SECOND + 1000));
  CHECK(takes(s, 20000, 30000, RTP, 4000 * SECOND));
  uint8_t d[100], back[100];
  uint32_t len = udp_frame(d, 30000, 20000, RTP, 12);
  memcpy(back, d, len);
  memcpy(back + 26, d + 30, 4);
  memcpy(back + 30, d + 26, 4);
  struct ct_frame f = frame_of(back, len, 0, 6 * SECOND);
  CHECK_EQ(ct_selection_take(s, 0, &f, &NONE), CT_TAKEN_BY_FLOW);
  /* With a VLAN tag it goes the long way. */
  memmove(back + 16, back + 12, len - 12);
  memcpy(back + 12, (const uint8_t[]){0x81, 0, 0, 5}, 4);
  f.caplen = f.wirelen = len + 4;
  CHECK_EQ(ct_selection_take(s, 0, &f, &NONE), CT_TAKEN_BY_FLOW);
  len = tcp_frame(d, 20000, 30000, 16, RTP, 12);
  f = frame_of(d, len, 0, 6 * SECOND);
  CHECK_EQ(ct_selection_take(s, 0, &f, &NONE), CT_TAKEN_NOT);
  for (uint32_t cut = 0; cut < 54; cut++) {
    udp_frame(d, 20000, 30000, RTP, 12);
    uint8_t *exact = exact_copy(d, cut);
    f = frame_of(exact, cut, 0, 6 * SECOND);
    (void)ct_selection_take(s, 0, &f, &NONE);
    free(exact);
  }
  ct_selection_free(s);
}

static void ipv6(void) {
  struct ct_flow row = {.a_port = 20000, .b_port = 30000, .version = 6, .to_us = INFINITY};
  row.a[15] = 1;
  row.b[15] = 2;
  struct ct_selection *s = ct_selection_create(1, &row, 1, KEY);
  uint8_t d[100];
  uint32_t at = put_ether(d, 0x86dd);
  at += put_ipv6(d + at, 17, 20);
  at += put_udp(d + at, 20000, 30000, 12);
  memcpy(d + at, RTP, 12);
  struct ct_frame f = frame_of(d, at + 12, 0, 0);
  CHECK_EQ(ct_selection_take(s, 0, &f, &NONE), CT_TAKEN_BY_FLOW);
  CHECK(!takes(s, 20000, 30000, RTP, 0));
  ct_selection_free(s);
}

static void numbers(void) {
  static const double first[] = {0, 3, 4}, second[] = {9};
  struct ct_selection *s = ct_selection_create(2, NULL, 0, KEY);
  ct_selection_set_numbers(s, 0, first, COUNT(first));
  ct_selection_set_numbers(s, 1, second, COUNT(second));
  ct_selection_set_numbers(s, 2, second, COUNT(second)); /* there is no such file */
  static const uint8_t any[1];
  char found[8] = "";
  for (uint64_t i = 0; i < 6; i++) {
    struct ct_frame f = frame_of(any, 1, i, 0);
    found[i] = ct_selection_take(s, 0, &f, &NONE) == CT_TAKEN_BY_NUMBER ? 'x' : '-';
    CHECK_EQ(ct_selection_take(s, 1, &f, &NONE), CT_TAKEN_NOT);
    CHECK_EQ(ct_selection_take(s, 7, &f, &NONE), CT_TAKEN_NOT);
  }
  CHECK(strcmp(found, "x--xx-") == 0);
  CHECK_EQ(ct_selection_missing(s), 1);
  ct_selection_free(s);
}

/* A fragment of a datagram of 40 bytes of UDP: its frame in `d`. */
static enum ct_taken fragment(struct ct_selection *s, uint16_t sport, uint16_t id, uint32_t offset, uint32_t n, int64_t ts_ns) {
  uint8_t udp[48], d[100];
  put_udp(udp, sport, 30000, 40);
  memcpy(udp + 8, RTP, 12);
  memset(udp + 20, 7, 28);
  uint32_t at = put_ether(d, 0x0800);
  put_ipv4(d + at, 17, n);
  put16(d + at + 4, id);
  put16(d + at + 6, (offset + n < 48 ? 0x2000u : 0) | offset / 8);
  memcpy(d + at + 20, udp + offset, n);
  uint8_t *exact = exact_copy(d, at + 20 + n);
  struct ct_frame f = frame_of(exact, at + 20 + n, 0, ts_ns);
  enum ct_taken taken = ct_selection_take(s, 0, &f, &NONE);
  free(exact);
  return taken;
}

static void fragments(void) {
  const struct ct_flow row = flow(20000, 30000, 0, INFINITY, false);
  struct ct_selection *s = ct_selection_create(1, &row, 1, KEY);
  CHECK_EQ(fragment(s, 20000, 1, 0, 24, 0), CT_TAKEN_BY_FLOW);
  CHECK_EQ(fragment(s, 20000, 1, 24, 16, 0), CT_TAKEN_BY_FLOW);
  CHECK_EQ(fragment(s, 20000, 1, 40, 8, 1), CT_TAKEN_BY_FLOW);
  CHECK_EQ(fragment(s, 20000, 1, 40, 8, 40 * SECOND), CT_TAKEN_NOT); /* of a later datagram */
  CHECK_EQ(fragment(s, 20002, 2, 0, 24, 0), CT_TAKEN_NOT);
  CHECK_EQ(fragment(s, 20002, 2, 24, 24, 0), CT_TAKEN_NOT);
  CHECK_EQ(fragment(s, 20000, 3, 24, 24, 0), CT_TAKEN_NOT);
  CHECK_EQ(ct_selection_missed_fragments(s), 0);
  CHECK_EQ(fragment(s, 20000, 3, 0, 24, 0), CT_TAKEN_BY_FLOW);
  CHECK_EQ(ct_selection_missed_fragments(s), 1);
  /* Another datagram has the identification again. */
  CHECK_EQ(fragment(s, 20002, 3, 0, 24, 0), CT_TAKEN_NOT);
  CHECK_EQ(fragment(s, 20002, 3, 24, 24, 0), CT_TAKEN_NOT);
  /* The table is full many times over: what came last is known. */
  for (uint32_t id = 100; id < 10000; id++) {
    CHECK_EQ(fragment(s, 20000, (uint16_t)id, 0, 24, id), CT_TAKEN_BY_FLOW);
    CHECK_EQ(fragment(s, 20000, (uint16_t)id, 24, 24, id), CT_TAKEN_BY_FLOW);
  }
  ct_selection_free(s);
}

/* An error about a packet of 10.0.0.1, quoted as far as `n` bytes. */
static bool takes_error(struct ct_selection *s, uint8_t type, uint16_t sport, uint32_t n) {
  uint8_t quoted[60], d[120];
  udp_datagram(quoted, sport, 30000, RTP, 12);
  uint32_t at = put_ether(d, 0x0800);
  at += put_ipv4(d + at, 1, 8 + n);
  memcpy(d + at, (const uint8_t[]){type, 3, 0, 0, 0, 0, 0, 0}, 8);
  memcpy(d + at + 8, quoted, n);
  uint8_t *exact = exact_copy(d, at + 8 + n);
  struct ct_frame f = frame_of(exact, at + 8 + n, 0, SECOND);
  bool taken = ct_selection_take(s, 0, &f, &NONE) == CT_TAKEN_BY_FLOW;
  free(exact);
  return taken;
}

static void errors(void) {
  const struct ct_flow row = flow(20000, 30000, 0, 2e6, false);
  struct ct_selection *s = ct_selection_create(1, &row, 1, KEY);
  CHECK(takes_error(s, 3, 20000, 40));
  CHECK(takes_error(s, 11, 20000, 28)); /* as little as RFC 792 asks for */
  CHECK(!takes_error(s, 8, 20000, 40));
  CHECK(!takes_error(s, 3, 20002, 40));
  for (uint32_t n = 0; n < 28; n++) CHECK_EQ(takes_error(s, 3, 20000, n), n >= 24);
  ct_selection_free(s);
}

int main(void) {
  flows();
  errors();
  ipv6();
  numbers();
  fragments();
  return report("selection");
}
