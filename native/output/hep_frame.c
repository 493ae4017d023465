/* SPDX-License-Identifier: Apache-2.0
 * hep_frame.c - see hep_frame.h. RFC 791 s3.1, RFC 8200 s3, RFC 768; the checksum is that of RFC 1071.
 */
#include "output/hep_frame.h"
#include <string.h>

#define ETHER 14u
#define UDP 8u
#define MAX_DATAGRAM 65535u /* the length fields have 16 bits */

static void put16(uint8_t *d, uint32_t v) {
  d[0] = (uint8_t)(v >> 8);
  d[1] = (uint8_t)v;
}

static uint32_t sum(uint32_t s, const uint8_t *d, uint32_t n) {
  for (uint32_t i = 0; i + 1 < n; i += 2) s += (uint32_t)d[i] << 8 | d[i + 1];
  if (n & 1) s += (uint32_t)d[n - 1] << 8;
  return s;
}

static uint32_t fold(uint32_t s) {
  while (s > 0xffff) s = (s & 0xffff) + (s >> 16);
  return ~s & 0xffff;
}

/* | version, header length | DSCP | total length | id | flags, offset | TTL | protocol | checksum | source | destination | */
static uint32_t put_ipv4(uint8_t *ip, const struct ct_hep_datagram *d, uint32_t udp_len) {
  memset(ip, 0, 20);
  ip[0] = 0x45;
  put16(ip + 2, 20 + udp_len);
  put16(ip + 6, 0x4000);
  ip[8] = 64;
  ip[9] = 17;
  memcpy(ip + 12, d->src, 4);
  memcpy(ip + 16, d->dst, 4);
  put16(ip + 10, fold(sum(0, ip, 20)));
  return 20;
}

/* | version, class, label | payload length | next header | hop limit | source | destination | */
static uint32_t put_ipv6(uint8_t *ip, const struct ct_hep_datagram *d, uint32_t udp_len) {
  memset(ip, 0, 40);
  ip[0] = 0x60;
  put16(ip + 4, udp_len);
  ip[6] = 17;
  ip[7] = 64;
  memcpy(ip + 8, d->src, 16);
  memcpy(ip + 24, d->dst, 16);
  return 40;
}

uint32_t ct_hep_frame(uint8_t *out, const struct ct_hep_datagram *d, const uint8_t *payload, uint32_t len) {
  uint32_t is_v4 = d->version != 6;
  /* The UDP length, and over IPv4 the total length, must fit their fields. */
  if (len > MAX_DATAGRAM - UDP - (is_v4 ? 20u : 0u)) return 0;
  uint32_t udp_len = UDP + len;
  memset(out, 0, ETHER);
  put16(out + 12, is_v4 ? 0x0800 : 0x86dd);
  uint8_t *ip = out + ETHER;
  uint8_t *udp = ip + (is_v4 ? put_ipv4(ip, d, udp_len) : put_ipv6(ip, d, udp_len));
  put16(udp, d->src_port);
  put16(udp + 2, d->dst_port);
  put16(udp + 4, udp_len);
  put16(udp + 6, 0);
  if (len > 0) memcpy(udp + UDP, payload, len);
  /* Pseudo header: addresses, protocol, length. A computed 0 is sent as ffff. */
  uint32_t s = sum(17 + udp_len, is_v4 ? ip + 12 : ip + 8, is_v4 ? 8 : 32);
  uint32_t checksum = fold(sum(fold(s) ^ 0xffff, udp, udp_len));
  put16(udp + 6, checksum == 0 ? 0xffff : checksum);
  return (uint32_t)(udp - out) + udp_len;
}
