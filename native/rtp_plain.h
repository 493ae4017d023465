/* SPDX-License-Identifier: Apache-2.0
 * rtp_plain.h - the short way of a plain frame: Ethernet, IPv4 without options, UDP, RTP of 12 bytes of header.
 *
 * Nearly all media is made of these, each the next packet of a stream that is known and well. They need no decoding:
 * what their stream reads lies at fixed places. The short way does what the long way (link.c, ip.c, classify.c,
 * rtp_header.c, rtp_update.c) does with them, bit by bit; whatever is not covered here is left to the long way.
 */
#ifndef CALLTAP_RTP_PLAIN_H
#define CALLTAP_RTP_PLAIN_H
#include "frame.h"
#include "rtp_stream.h"
#include "walk.h"
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

/* True when the long way would say CT_OK and CT_CLS_RTP, and find no CSRC, extension or padding in the header. The frame
 * may be cut behind the RTP header.
 *
 *  12  Ethertype 0800            23  protocol 17               42  RTP: version 2, nothing else set
 *  14  version 4, 5 words        34  ports: from 1024, of no   43  not the types that RTCP has (RFC 5761 s4)
 *  20  no fragment                   tunnel, 38 length */
static inline bool ct_is_plain_rtp(const struct ct_frame *f) {
  const uint8_t *d = f->data;
  if (f->linktype != CT_PLAIN_LINK || f->caplen < CT_PLAIN_END) return false;
  if (ct_be16(d + 12) != 0x0800 || d[CT_PLAIN_IP] != 0x45 || d[23] != 17 || d[CT_PLAIN_RTP] != 0x80)
    return false;
  if ((ct_be16(d + 20) & 0x3fff) != 0 || (uint8_t)(d[CT_PLAIN_RTP + 1] - 192) < 32) return false;
  uint32_t total = ct_be16(d + 16), udp = ct_be16(d + 38);
  /* UDP within IP, and a whole RTP header within UDP. */
  if (udp < 20 || udp + 20 > total) return false;
  uint16_t sport = ct_be16(d + CT_PLAIN_UDP), dport = ct_be16(d + CT_PLAIN_UDP + 2);
  if (sport < 1024 || dport < 1024) return false;
  return !ct_is_tunnel_port(sport) && !ct_is_tunnel_port(dport);
}

/* For a plain frame what ct_rtp_hash() is for its packet. */
uint64_t ct_rtp_hash_plain(const struct ct_rtp_table *t, const uint8_t *frame, uint8_t origin);
/* Counts the plain frame as the next of its stream, which `guess` of ct_rtp_prefetch_stream() may be. False when there is
 * more to say about it, or when it is of another stream: then nothing was changed, and ct_rtp_update_at() has to. */
bool ct_rtp_update_plain(struct ct_rtp_table *t, uint32_t guess, const struct ct_frame *f, uint8_t origin);

/* What ct_stream.plain must be for the packet of a type to go the short way: the type and 1; 0 none does. */
uint8_t ct_stream_plain_of(const struct ct_stream *s);
/* The short way in one stream, of which the caller knows nothing yet. */
bool ct_stream_plain_packet(struct ct_stream *s, const struct ct_frame *f, uint8_t origin, int64_t buffer_ns);

#endif
