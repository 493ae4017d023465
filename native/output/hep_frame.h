/* SPDX-License-Identifier: Apache-2.0
 * hep_frame.h - puts the headers back in front of a received datagram, so that -O can write it as a frame.
 *
 * A socket hands over the payload alone. The frame made of it is Ethernet without addresses, IP and UDP with the
 * addresses, ports and checksums the datagram had or could have had; what reads captures reads it.
 */
#ifndef CALLTAP_HEP_FRAME_H
#define CALLTAP_HEP_FRAME_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_HEP_FRAME_HEADERS 62u /* at most: Ethernet 14, IPv6 40, UDP 8 */
#define CT_HEP_FRAME_ROOM (CT_HEP_FRAME_HEADERS + 65535u)
#define CT_HEP_FRAME_LINK 1u /* LINKTYPE_ETHERNET */

struct ct_hep_datagram {
  const uint8_t *src, *dst; /* 4 or 16 bytes, network order */
  uint16_t src_port, dst_port;
  uint8_t version; /* 4 or 6 */
};
/* The frame in `out`, of CT_HEP_FRAME_ROOM bytes; its length. 0 when IP could not have carried so much. */
uint32_t ct_hep_frame(uint8_t *out, const struct ct_hep_datagram *d, const uint8_t *payload, uint32_t len);

#ifdef __cplusplus
}
#endif
#endif
