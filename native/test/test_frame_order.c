/* SPDX-License-Identifier: Apache-2.0
 * test_frame_order.c - which of two frames of the same time came first.
 */
#include "check.h"
#include "file/frame_order.h"
#include <string.h>

enum { UDP = 17, TCP = 6, FORTH = 0, BACK = 1, ELSEWHERE = 2 };

struct made {
  uint8_t bytes[128];
  uint32_t len;
};

/* Ethernet, IPv4 and the first bytes of UDP or TCP. */
static struct made made(uint8_t proto, int way, uint16_t id) {
  struct made m = {{0}, 0};
  uint8_t *ip = m.bytes + 14;
  m.bytes[12] = 8;
  memcpy(ip, (const uint8_t[]){0x45, 0, 0, 0, (uint8_t)(id >> 8), (uint8_t)id, 0, 0, 64, proto}, 10);
  const uint8_t here[] = {10, 0, 0, 1}, there[] = {10, 0, 0, (uint8_t)(way == ELSEWHERE ? 9 : 2)};
  memcpy(ip + 12, way == BACK ? there : here, 4);
  memcpy(ip + 16, way == BACK ? here : there, 4);
  memcpy(ip + 20, way == BACK ? "\x13\xc4\x20\x00" : "\x20\x00\x13\xc4", 4);
  return m;
}

static struct made finished(struct made m, uint32_t ip_len) {
  m.bytes[16] = (uint8_t)(ip_len >> 8);
  m.bytes[17] = (uint8_t)ip_len;
  m.len = 14 + ip_len;
  return m;
}

static struct made udp(int way, uint16_t id, const char *payload, uint32_t len) {
  struct made m = made(UDP, way, id);
  m.bytes[39] = (uint8_t)(8 + len);
  memcpy(m.bytes + 42, payload, len);
  return finished(m, 28 + len);
}

static struct made tcp(int way, uint32_t seq, uint32_t ack, uint8_t flags, uint32_t len) {
  struct made m = made(TCP, way, 0);
  for (int i = 0; i < 4; i++) {
    m.bytes[38 + i] = (uint8_t)(seq >> (24 - 8 * i));
    m.bytes[42 + i] = (uint8_t)(ack >> (24 - 8 * i));
  }
  m.bytes[46] = 0x50;
  m.bytes[47] = flags;
  return finished(m, 40 + len);
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
