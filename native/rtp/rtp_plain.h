/* SPDX-License-Identifier: Apache-2.0
 * rtp_plain.h - the short way of a plain frame: Ethernet, IPv4 without options, UDP, RTP of 12 bytes of header.
 *
 * Nearly all media is made of these, each the next packet of a stream that is known and well. They need no decoding:
 * what their stream reads lies at fixed places. The short way does what the long way (decode.c, ip.c, classify.c,
 * rtp_header.c, rtp_update.c) does with them, bit by bit; whatever is not covered here is left to the long way.
 */
#ifndef CALLTAP_RTP_PLAIN_H
#define CALLTAP_RTP_PLAIN_H
#include "core/frame.h"
#include "decode/walk.h"
#include "rtp/rtp_stream.h"
#include <string.h>

#define CT_PLAIN_LINK 1u /* LINKTYPE_ETHERNET */
#define CT_PLAIN_IP 14u
#define CT_PLAIN_UDP (CT_PLAIN_IP + 20u)
#define CT_PLAIN_RTP (CT_PLAIN_UDP + 8u)
#define CT_PLAIN_END (CT_PLAIN_RTP + 12u)

static inline uint32_t ct_load32(const uint8_t *b) {
  uint32_t v;
  memcpy(&v, b, 4);
  return v;
}
static inline uint64_t ct_load64(const uint8_t *b) {
  uint64_t v;
  memcpy(&v, b, 8);
  return v;
}

/* Of a keyed hash: both halves of the product. */
static inline uint64_t ct_fold(uint64_t a, uint64_t b) {
  unsigned __int128 m = (unsigned __int128)a * b;
  return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t ct_be64(const uint8_t *d) { return (uint64_t)ct_be32(d) << 32 | ct_be32(d + 4); }

/* True when the long way would say CT_OK and CT_CLS_RTP, and find no CSRC, extension or padding in the header. The frame
 * may be cut after the RTP header.
 *
 *  12  Ethertype 0800            23  protocol 17               42  RTP: version 2, nothing else set
 *  14  version 4, 5 words        34  ports: from 1024, of no   43  not the types that RTCP has (RFC 5761 s4)
 *  20  no fragment                   tunnel, 38 length */
static inline bool ct_is_plain_rtp(const struct ct_frame *f) {
  const uint8_t *d = f->data;
  if (f->linktype != CT_PLAIN_LINK || f->caplen < CT_PLAIN_END) return false;
  /* Several header fields a load: `odd` is 0 when all of them are as they must be. */
  const uint64_t ether = ct_be64(d + 12), ttl = ct_be32(d + 20), udp = ct_be64(d + 38);
  uint64_t odd = (ether >> 40 ^ 0x080045) | ((ttl & 0x3fff00ff) ^ 17) | ((udp >> 24 & 0xff) ^ 0x80);
  const uint32_t total = ether >> 16 & 0xffff, length = (uint32_t)(udp >> 48),
                 ports = ct_be32(d + CT_PLAIN_UDP);
  if (odd != 0 || (udp >> 16 & 0xe0) == 0xc0) return false;
  /* UDP within IP, and a whole RTP header within UDP. */
  if (length < 20 || length + 20 > total) return false;
  if ((ports & 0xfc000000) == 0 || (ports & 0xfc00) == 0) return false;
  return !ct_is_tunnel_port((uint16_t)(ports >> 16)) && !ct_is_tunnel_port((uint16_t)ports);
}

/* Behind each packet that went the long way: whether, and how, the next may go the short one. */
void ct_stream_set_plain(struct ct_stream *s);
/* In front of it: the short way leaves out what follows from the rest. */
static inline void ct_stream_settle(struct ct_stream *s) {
  if (s->plain != 0) s->last_audio_ns = s->last_ns;
}
/* The short way in one stream, of which the caller knows nothing yet. */
bool ct_stream_plain_packet(struct ct_stream *s, const struct ct_frame *f, int64_t buffer_ns);

#endif
