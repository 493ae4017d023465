/* SPDX-License-Identifier: Apache-2.0
 * exported_pdu.h - a SIP message that has no frame, as the packet of a capture file: what Wireshark calls an exported PDU.
 *
 * Link type 252, LINKTYPE_WIRESHARK_UPPER_PDU: | tag 16 | length 16 | value | for each tag, the tag 0 is the last, and then
 * the bytes of the message; all numbers are big-endian. Tag 12 names the dissector, 20 to 26 are addresses and ports, and
 * 33, the text of the protocol column, says what carried the message and which source saw it: "SIP/TLS uprobe", and
 * behind that "weak" for likely addresses and "cut" for a message without its end. (Original lengths could say the latter,
 * but tshark shows no header of such a message.)
 */
#ifndef CALLTAP_EXPORTED_PDU_H
#define CALLTAP_EXPORTED_PDU_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_PDU_LINK 252u
#define CT_PDU_TAGS 128u /* bytes of all tags that ct_pdu_put() writes, at most */

/* TRANSPORT of src/core/words.ts. */
enum ct_transport { CT_OVER_UDP, CT_OVER_TCP, CT_OVER_WS, CT_OVER_TLS, CT_OVER_WSS, CT_TRANSPORTS };

struct ct_pdu {
  const uint8_t *src, *dst; /* 4 or 16 bytes, network order */
  uint16_t src_port, dst_port;
  uint8_t version;   /* 4 or 6; 0: the addresses are not known */
  uint8_t transport; /* enum ct_transport */
  uint8_t origin;    /* enum ct_origin of record.h */
  bool is_weak;      /* the addresses are likely, not proven */
  bool is_cut;       /* bytes are missing at the end of the message */
};

/* Writes the tags for `pdu` to `out`, which has CT_PDU_TAGS bytes; their length. The message comes after them. */
uint32_t ct_pdu_put(uint8_t *out, const struct ct_pdu *pdu);

enum ct_pdu_status {
  CT_PDU_OK,
  CT_PDU_SHORT, /* cut inside the tags */
  CT_PDU_BAD,   /* a tag of an impossible length, or a port beyond 65535 */
  CT_PDU_OTHER  /* not for the dissector of SIP */
};
/* Reads the tags of a packet of CT_PDU_LINK, of which `len` bytes are there: *tags are theirs, and the message comes after
 * them. Addresses of `pdu` point into `d`. What another program wrote has the origin of the wire. */
enum ct_pdu_status ct_pdu_read(struct ct_pdu *pdu, const uint8_t *d, uint32_t len, uint32_t *tags);

#ifdef __cplusplus
}
#endif
#endif
