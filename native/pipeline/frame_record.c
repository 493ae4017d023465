/* SPDX-License-Identifier: Apache-2.0
 * frame_record.c - see frame_record.h.
 */
#include "pipeline/frame_record.h"
#include <string.h>

#define SECOND_NS 1000000000ll
#define UDP 17

/* Of an interface no frame can be read again: its numbers run downwards from -2. */
double ct_frame_number(const struct ct_pipeline *pl, const struct ct_packet *p) {
  if (pl->digests) return (double)p->ordinal;
  return pl->frames && p->frame != NULL ? -2.0 - (double)p->ordinal : -1.0;
}

void ct_emit_frame(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p,
                   enum ct_frame_part part, uint32_t stream, uint32_t generation) {
  if (!pl->frames || p->frame == NULL) return;
  if (p->caplen > CT_SLAB_BYTES) {
    __atomic_fetch_add(&pl->counters[CT_N_RECORD_CUT], 1, __ATOMIC_RELAXED);
    return;
  }
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, p->caplen, &data);
  if (r == NULL) return; /* the ring was stopped, or is live, full and has counted it */
  memcpy(data, p->frame, p->caplen);
  const int64_t captured_ns = ct_captured_ns(pl, p->ts_ns); /* what is written is as it was captured */
  r->ts_us = (double)(captured_ns / 1000) + (double)(captured_ns % 1000) / 1000.0;
  r->frame = ct_frame_number(pl, p);
  r->wire_len = p->wirelen > p->caplen ? p->wirelen : p->caplen;
  r->aux0 = part;
  r->aux1 = stream;
  r->aux2 = generation;
  r->src_port = p->sport;
  r->dst_port = p->dport;
  r->kind = CT_KIND_FRAME;
  r->origin = pl->origin;
  r->ip_version = p->ip_version;
  r->transport = p->proto;
  r->source = pl->source_id;
  memcpy(r->src, p->src, 16);
  memcpy(r->dst, p->dst, 16);
  /* A double has no nanoseconds of our days. */
  r->check = (uint32_t)((captured_ns % SECOND_NS + SECOND_NS) % SECOND_NS);
  r->link = p->linktype;
  ct_sink_commit(sink, r);
}

void ct_emit_frame_of_class(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p) {
  enum ct_frame_part part = CT_FRAME_MEDIA;
  switch ((enum ct_class)p->cls) {
  case CT_CLS_SIP:
  case CT_CLS_HEP:
  case CT_CLS_ICMP: part = CT_FRAME_MESSAGE; break;
  case CT_CLS_TCP:
    if (p->len == 0) return; /* an acknowledgement carries nothing */
    part = CT_FRAME_PART;
    break;
  case CT_CLS_RTCP: part = CT_FRAME_CONTROL; break;
  case CT_CLS_SIP_OUT:
  case CT_CLS_WS_OUT:
  case CT_CLS_KEEPALIVE: return;
  case CT_CLS_OTHER:
    /* Of an interface it is known at once which sockets calls name: the rest of its traffic is none of ours. */
    if (p->proto != UDP || (!pl->digests && !ct_rtp_is_named(pl->rtp, p))) return;
    break;
  default:
    if (p->proto != UDP) return;
  }
  ct_emit_frame(pl, sink, p, part, CT_RTP_NO_STREAM, 0);
}
