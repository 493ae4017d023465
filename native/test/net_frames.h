/* SPDX-License-Identifier: Apache-2.0
 * net_frames.h - frames of Ethernet, IPv4 and UDP or TCP from 10.0.0.1 to 10.0.0.2, header by header.
 */
#ifndef CALLTAP_TEST_NET_FRAMES_H
#define CALLTAP_TEST_NET_FRAMES_H
#include <stdint.h>
#include <string.h>

static inline void put16(uint8_t *d, uint32_t v) {
  d[0] = (uint8_t)(v >> 8);
  d[1] = (uint8_t)v;
}
static inline void put32(uint8_t *d, uint32_t v) {
  put16(d, v >> 16);
  put16(d + 2, v);
}
/* RFC 1071, over an even or odd number of bytes. */
static inline uint32_t sum16(uint32_t s, const uint8_t *d, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) s += i & 1 ? d[i] : (uint32_t)d[i] << 8;
  while (s >> 16) s = (s & 0xffff) + (s >> 16);
  return s;
}
/* Each puts one header in front of `payload` bytes and returns its size. */
static inline uint32_t put_ether(uint8_t *d, uint32_t type) {
  memcpy(d, "\x02\0\0\0\0\x0b\x02\0\0\0\0\x0a", 12);
  put16(d + 12, type);
  return 14;
}
static inline uint32_t put_ipv4(uint8_t *d, uint32_t proto, uint32_t payload) {
  memcpy(d, "\x45\0\0\0\x01\0\x40\0\x40\0\0\0\x0a\0\0\x01\x0a\0\0\x02", 20);
  put16(d + 2, payload + 20);
  d[9] = (uint8_t)proto;
  put16(d + 10, ~sum16(0, d, 20));
  return 20;
}
static inline uint32_t put_ipv6(uint8_t *d, uint32_t proto, uint32_t payload) {
  memset(d, 0, 40);
  d[0] = 0x60;
  put16(d + 4, payload);
  d[6] = (uint8_t)proto;
  d[7] = 64;
  d[23] = 1;
  d[39] = 2;
  return 40;
}
static inline uint32_t put_udp(uint8_t *d, uint32_t sport, uint32_t dport, uint32_t payload) {
  put16(d, sport);
  put16(d + 2, dport);
  put16(d + 4, payload + 8);
  put16(d + 6, 0);
  return 8;
}
/* Each makes a whole datagram or frame and returns its length. */
static inline uint32_t udp_datagram(uint8_t *d, uint32_t sport, uint32_t dport, const void *data, uint32_t n) {
  uint32_t at = put_ipv4(d, 17, n + 8);
  at += put_udp(d + at, sport, dport, n);
  memcpy(d + at, data, n);
  return at + n;
}
static inline uint32_t udp_frame(uint8_t *d, uint32_t sport, uint32_t dport, const void *data, uint32_t n) {
  uint32_t at = put_ether(d, 0x0800);
  return at + udp_datagram(d + at, sport, dport, data, n);
}
static inline uint32_t tcp_frame(uint8_t *d, uint32_t sport, uint32_t dport, uint32_t flags, const void *data,
                                 uint32_t n) {
  uint32_t at = put_ether(d, 0x0800);
  at += put_ipv4(d + at, 6, n + 20);
  memset(d + at, 0, 20);
  put16(d + at, sport);
  put16(d + at + 2, dport);
  d[at + 12] = 0x50;
  d[at + 13] = (uint8_t)flags;
  memcpy(d + at + 20, data, n);
  return at + 20 + n;
}
static inline uint32_t rtp_payload(uint8_t *d, uint32_t seq, uint32_t ssrc, uint32_t n) {
  memset(d, 0xd5, n);
  d[0] = 0x80;
  d[1] = 0;
  put16(d + 2, seq);
  put32(d + 4, seq * 160);
  put32(d + 8, ssrc);
  return n;
}

#endif
