/* SPDX-License-Identifier: Apache-2.0
 * datagram.h - puts IP and UDP headers in front of a payload, and their checksums (RFC 1071).
 */
#ifndef CALLTAP_DATAGRAM_H
#define CALLTAP_DATAGRAM_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_DATAGRAM_HEADERS 48u /* at most: IPv6 40, UDP 8 */
#define CT_DATAGRAM_FRAME_ROOM (14u + CT_DATAGRAM_HEADERS + 65535u)
#define CT_DATAGRAM_FRAME_LINK 1u /* LINKTYPE_ETHERNET */

struct ct_datagram {
  const uint8_t *src, *dst; /* 4 or 16 bytes, network order */
  uint16_t src_port, dst_port;
  uint8_t version; /* 4 or 6 */
};
/* Headers and payload in `out`, which has room for CT_DATAGRAM_HEADERS and `len` bytes; their length. 0 when IP could not
 * carry so much. */
uint32_t ct_datagram_put(uint8_t *out, const struct ct_datagram *d, const uint8_t *payload, uint32_t len);
/* The same after an Ethernet header without addresses, for a capture file: a socket hands over the payload alone. `out`
 * has CT_DATAGRAM_FRAME_ROOM bytes. */
uint32_t ct_datagram_frame(uint8_t *out, const struct ct_datagram *d, const uint8_t *payload, uint32_t len);
/* Sets the checksum of a UDP header with its payload, `len` bytes, after this IP header. */
void ct_udp_checksum(uint8_t *udp, uint32_t len, const uint8_t *ip);

static inline void ct_put16(uint8_t *d, uint32_t v) {
  d[0] = (uint8_t)(v >> 8);
  d[1] = (uint8_t)v;
}
/* Adds an even or odd number of bytes; folded at the end. */
static inline uint32_t ct_sum16(uint32_t s, const uint8_t *d, uint32_t len) {
  for (; len >= 2; len -= 2, d += 2) s += (uint32_t)d[0] << 8 | d[1];
  return len == 1 ? s + ((uint32_t)d[0] << 8) : s;
}
static inline uint16_t ct_fold16(uint32_t s) {
  while (s >> 16) s = (s & 0xffff) + (s >> 16);
  return (uint16_t)~s;
}

#ifdef __cplusplus
}
#endif
#endif
