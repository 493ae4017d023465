/* SPDX-License-Identifier: Apache-2.0
 * datagram.c - see datagram.h. RFC 791 s3.1, RFC 8200 s3, RFC 768.
 */
#include "core/datagram.h"
#include <stdbool.h>
#include <string.h>

#define ETHER 14u
#define UDP 8u
#define MAX_DATAGRAM 65535u /* the length fields have 16 bits */

/* | version, header length | DSCP | total length | id | flags, offset | TTL | protocol | checksum | source | destination | */
static uint32_t put_ipv4(uint8_t *ip, const struct ct_datagram *d, uint32_t udp_len) {
  memset(ip, 0, 20);
  ip[0] = 0x45;
  ct_put16(ip + 2, 20 + udp_len);
  ct_put16(ip + 6, 0x4000);
  ip[8] = 64;
  ip[9] = 17;
  memcpy(ip + 12, d->src, 4);
  memcpy(ip + 16, d->dst, 4);
  ct_put16(ip + 10, ct_fold16(ct_sum16(0, ip, 20)));
  return 20;
}

/* | version, class, label | payload length | next header | hop limit | source | destination | */
static uint32_t put_ipv6(uint8_t *ip, const struct ct_datagram *d, uint32_t udp_len) {
  memset(ip, 0, 40);
  ip[0] = 0x60;
  ct_put16(ip + 4, udp_len);
  ip[6] = 17;
  ip[7] = 64;
  memcpy(ip + 8, d->src, 16);
  memcpy(ip + 24, d->dst, 16);
  return 40;
}

/* Pseudo header and datagram (RFC 768, RFC 8200 s8.1). A computed 0 is sent as ffff. */
void ct_udp_checksum(uint8_t *udp, uint32_t len, const uint8_t *ip) {
  ct_put16(udp + 6, 0);
  uint32_t pseudo = ip[0] >> 4 == 4 ? ct_sum16(17 + len, ip + 12, 8) : ct_sum16(17 + len, ip + 8, 32);
  uint16_t checksum = ct_fold16(ct_sum16(pseudo, udp, len));
  ct_put16(udp + 6, checksum == 0 ? 0xffff : checksum);
}

uint32_t ct_datagram_put(uint8_t *out, const struct ct_datagram *d, const uint8_t *payload, uint32_t len) {
  const bool is_v4 = d->version != 6;
  /* The UDP length, and over IPv4 the total length, must fit their fields. */
  if (len > MAX_DATAGRAM - UDP - (is_v4 ? 20u : 0u)) return 0;
  const uint32_t udp_len = UDP + len;
  uint8_t *udp = out + (is_v4 ? put_ipv4(out, d, udp_len) : put_ipv6(out, d, udp_len));
  ct_put16(udp, d->src_port);
  ct_put16(udp + 2, d->dst_port);
  ct_put16(udp + 4, udp_len);
  if (len > 0) memcpy(udp + UDP, payload, len);
  ct_udp_checksum(udp, udp_len, out);
  return (uint32_t)(udp - out) + udp_len;
}

uint32_t ct_datagram_frame(uint8_t *out, const struct ct_datagram *d, const uint8_t *payload, uint32_t len) {
  memset(out, 0, ETHER);
  ct_put16(out + 12, d->version != 6 ? 0x0800 : 0x86dd);
  const uint32_t made = ct_datagram_put(out + ETHER, d, payload, len);
  return made == 0 ? 0 : ETHER + made;
}
