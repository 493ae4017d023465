/* SPDX-License-Identifier: Apache-2.0
 * test_frame_order.c - which of two frames of the same time came first.
 */
#include "check.h"
#include "file/frame_order.h"
#include "net_frames.h"

enum { FORTH, BACK, ELSEWHERE };

struct made {
  uint8_t bytes[128];
  uint32_t len;
};

/* The other way, or to another host. */
static struct made turned(struct made m, int way) {
  static const uint8_t back[] = {10, 0, 0, 2, 10, 0, 0, 1, 0x13, 0xc4, 0x20, 0};
  if (way == BACK) memcpy(m.bytes + 26, back, sizeof back);
  if (way == ELSEWHERE) m.bytes[33] = 9;
  return m;
}

static struct made udp(int way, uint16_t id, const char *payload, uint32_t len) {
  struct made m;
  m.len = udp_frame(m.bytes, 0x2000, 0x13c4, payload, len);
  put16(m.bytes + 18, id);
  return turned(m, way);
}

static struct made tcp(int way, uint32_t seq, uint32_t ack, uint8_t flags, uint32_t len) {
  static const uint8_t data[64];
  struct made m;
  m.len = tcp_frame(m.bytes, 0x2000, 0x13c4, flags, data, len);
  put32(m.bytes + 38, seq);
  put32(m.bytes + 42, ack);
  return turned(m, way);
}

static void order(const char *what, struct made a, struct made b, int want) {
  const struct ct_frame x = {.data = a.bytes, .caplen = a.len, .wirelen = a.len, .linktype = 1};
  const struct ct_frame y = {.data = b.bytes, .caplen = b.len, .wirelen = b.len, .linktype = 1};
  subject = what;
  CHECK_EQ(ct_frame_order(&x, &y), want);
  CHECK_EQ(ct_frame_order(&y, &x), -want);
  subject = "";
}

int main(void) {
  order("a handshake", tcp(FORTH, 100, 0, 2, 0), tcp(BACK, 900, 101, 18, 0), -1);
  order("its end", tcp(BACK, 900, 101, 18, 0), tcp(FORTH, 101, 901, 16, 0), -1);
  order("segments", tcp(FORTH, 101, 901, 24, 50), tcp(FORTH, 151, 901, 24, 50), -1);
  order("numbers that go round", tcp(FORTH, 0xfffffff0, 901, 24, 32), tcp(FORTH, 16, 901, 24, 50), -1);
  order("an acknowledgment and data behind it", tcp(FORTH, 101, 901, 16, 0), tcp(FORTH, 101, 901, 24, 9), -1);
  order("data and its acknowledgment", tcp(FORTH, 101, 901, 24, 50), tcp(BACK, 901, 151, 16, 0), -1);
  order("data of both", tcp(FORTH, 101, 901, 24, 50), tcp(BACK, 901, 101, 24, 50), 0);
  order("other connections", tcp(FORTH, 1, 0, 2, 0), tcp(ELSEWHERE, 2, 0, 2, 0), 0);
  order("identifications", udp(FORTH, 7, "one", 3), udp(FORTH, 8, "two", 3), -1);
  order("identifications that go round", udp(FORTH, 0xffff, "one", 3), udp(FORTH, 1, "two", 3), -1);
  order("nothing to tell", udp(FORTH, 0, "one", 3), udp(FORTH, 0, "two", 3), 0);
  order("RTP", udp(FORTH, 0, "\x80\0\0\1tttt1234", 12), udp(FORTH, 0, "\x80\0\0\2tttt1234", 12), -1);
  order("a request and its answer", udp(FORTH, 9, "INVITE sip", 10), udp(BACK, 1, "SIP/2.0 200", 11), -1);
  order("TCP and UDP", tcp(FORTH, 1, 0, 2, 0), udp(FORTH, 1, "one", 3), 0);
  return report("frame_order");
}
