/* SPDX-License-Identifier: Apache-2.0
 * rtp_header.c - reads the RTP fixed header (RFC 3550 s5.1) and knows the clocks of RFC 3551.
 *
 *   0                   1                   2                   3
 *   |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 *   |                           timestamp                           |
 *   |                             SSRC                              |
 *   |                   CSRC, CC times (4 bytes each)               |
 *   |  defined by profile           |  length in 32-bit words       |  when X
 */
#include "decode/walk.h"
#include "rtp/rtp_stream.h"

bool ct_rtp_parse(const struct ct_packet *p, struct ct_rtp_header *h) {
  const uint8_t *b = p->payload;
  /* The fixed header is 12 bytes. */
  if (p->len < 12) return false;
  if (b[0] >> 6 != 2) return false;
  uint32_t wire = p->wire_len > p->len ? p->wire_len : p->len;
  /* The CSRC list lies within the datagram, whether captured or not. */
  uint32_t off = 12u + 4u * (b[0] & 15u);
  if (off > wire) return false;
  if (b[0] & 0x10) {
    /* The extension header is 4 bytes, its length counts words after them. */
    if (wire - off < 4) return false;
    uint32_t ext = 0;
    if (p->len >= off + 4) ext = 4u * ct_be16(b + off + 2);
    off += 4;
    if (ext > wire - off) return false;
    off += ext;
  }
  h->octets = wire - off;
  if ((b[0] & 0x20) && p->len == wire && h->octets > 0) {
    /* The last byte counts the padding. In SRTP it is ciphertext: a count that cannot be is no padding. */
    uint32_t pad = b[p->len - 1];
    if (pad <= h->octets) h->octets -= pad;
  }
  /* Padding that was cut off may begin anywhere. */
  const bool knows = p->len > off && (!(b[0] & 0x20) || p->len == wire);
  h->known = !knows ? 0 : p->len - off < h->octets ? p->len - off : h->octets;
  h->payload = knows ? b + off : b;
  h->marker = b[1] >> 7;
  h->pt = b[1] & 0x7f;
  h->seq = ct_be16(b + 2);
  h->ts = ct_be32(b + 4);
  h->ssrc = ct_be32(b + 8);
  return true;
}

/* RFC 3551 tables 4 and 5. G.722 runs at 8000 there by an old mistake that became the rule (s4.5.2). */
#define HZ(n)                                                                                                \
  { n, 1e3f / (n), 1e9f / (n) }
const struct ct_static_clock ct_static_clocks[128] = {
    [0] = HZ(8000),   [3] = HZ(8000),   [4] = HZ(8000),   [5] = HZ(8000),   [6] = HZ(16000),
    [7] = HZ(8000),   [8] = HZ(8000),   [9] = HZ(8000),   [10] = HZ(44100), [11] = HZ(44100),
    [12] = HZ(8000),  [13] = HZ(8000),  [14] = HZ(90000), [15] = HZ(8000),  [16] = HZ(11025),
    [17] = HZ(22050), [18] = HZ(8000),  [19] = HZ(8000),  [25] = HZ(90000), [26] = HZ(90000),
    [28] = HZ(90000), [31] = HZ(90000), [32] = HZ(90000), [33] = HZ(90000), [34] = HZ(90000),
};
