/* SPDX-License-Identifier: Apache-2.0
 * test_datagram.c - headers put in front of a payload: their fields, their checksums, and the longest that IP carries.
 */
#include "check.h"
#include "core/datagram.h"

static const uint8_t four[8] = {192, 0, 2, 1, 198, 51, 100, 2};
static const uint8_t six[32] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1, [16] = 0x20, 0x01, 0x0d, 0xb8, [31] = 2};
static uint8_t out[CT_DATAGRAM_FRAME_ROOM], payload[65536];

static uint32_t be16(const uint8_t *b) { return (uint32_t)b[0] << 8 | b[1]; }

/* RFC 1071, once more and in another way: the sum of all words with the carry put back at once. */
static uint32_t ones_sum(uint32_t s, const uint8_t *d, uint32_t len) {
  for (uint32_t i = 0; i < len; i++) {
    s += i % 2 == 0 ? (uint32_t)d[i] << 8 : d[i];
    if (s > 0xffff) s -= 0xffff;
  }
  return s;
}

static struct ct_datagram datagram(uint8_t version) {
  if (version == 6) return (struct ct_datagram){six, six + 16, 5060, 5080, 6};
  return (struct ct_datagram){four, four + 4, 5060, 5080, 4};
}

static void check_udp(const uint8_t *udp, const uint8_t *addresses, uint32_t n_addresses, uint32_t len) {
  CHECK_EQ(be16(udp), 5060);
  CHECK_EQ(be16(udp + 2), 5080);
  CHECK_EQ(be16(udp + 4), 8 + len);
  CHECK(memcmp(udp + 8, payload, len) == 0);
  /* With its checksum in it the sum is all ones; RFC 768: an odd last byte counts as the high one. */
  CHECK_EQ(ones_sum(ones_sum(17 + 8 + len, addresses, n_addresses), udp, 8 + len), 0xffff);
  CHECK(be16(udp + 6) != 0); /* 0 would say that there is none */
}

static void fields(uint32_t len) {
  struct ct_datagram d = datagram(4);
  CHECK_EQ(ct_datagram_put(out, &d, payload, len), 28 + len);
  CHECK_EQ(out[0], 0x45);
  CHECK_EQ(be16(out + 2), 28 + len);
  CHECK_EQ(out[9], 17);
  CHECK(memcmp(out + 12, four, 8) == 0);
  CHECK_EQ(ones_sum(0, out, 20), 0xffff);
  check_udp(out + 20, four, 8, len);

  d = datagram(6);
  CHECK_EQ(ct_datagram_put(out, &d, payload, len), 48 + len);
  CHECK_EQ(out[0], 0x60);
  CHECK_EQ(be16(out + 4), 8 + len);
  CHECK_EQ(out[6], 17);
  CHECK(memcmp(out + 8, six, 32) == 0);
  check_udp(out + 40, six, 32, len);

  CHECK_EQ(ct_datagram_frame(out, &d, payload, len), 62 + len);
  CHECK_EQ(be16(out + 12), 0x86dd);
  CHECK_EQ(out[14], 0x60);
}

/* Among all values of two bytes one makes the computed checksum 0, which is sent as ffff. */
static void zero_checksum(void) {
  const struct ct_datagram d = datagram(4);
  uint32_t all_ones = 0;
  for (uint32_t v = 0; v <= 0xffff; v++) {
    const uint8_t two[2] = {(uint8_t)(v >> 8), (uint8_t)v};
    ct_datagram_put(out, &d, two, 2);
    CHECK(be16(out + 26) != 0);
    all_ones += be16(out + 26) == 0xffff;
  }
  CHECK(all_ones > 0);
}

static void longest(void) {
  const struct ct_datagram d4 = datagram(4), d6 = datagram(6);
  fields(65507);
  CHECK_EQ(ct_datagram_put(out, &d4, payload, 65508), 0);
  CHECK_EQ(ct_datagram_frame(out, &d4, payload, 65508), 0);
  CHECK_EQ(ct_datagram_put(out, &d6, payload, 65527), 48 + 65527);
  check_udp(out + 40, six, 32, 65527);
  CHECK_EQ(ct_datagram_put(out, &d6, payload, 65528), 0);
  CHECK_EQ(ct_datagram_frame(out, &d6, payload, 65528), 0);
}

int main(void) {
  for (uint32_t i = 0; i < sizeof payload; i++) payload[i] = (uint8_t)below(256);
  for (uint32_t len = 0; len < 70; len++) fields(len);
  zero_checksum();
  longest();
  return report("test_datagram");
}
