/* SPDX-License-Identifier: Apache-2.0
 * pipeline.c - see pipeline.h.
 */
#include "pipeline/pipeline.h"
#include "decode/walk.h"
#include "pipeline/frame_record.h"
#include "pipeline/inject.h"
#include "pipeline/sip_flows.h"
#include "rtp/rtp_plain.h"
#include <string.h>

/* Streams on their way from memory at a time: their lines are as many as a core can wait for at once. */
#define CT_AHEAD 8u
/* Header, sources and extension of RTP in front of the four bytes of a telephone-event. */
#define KEY_BYTES 128u
/* Of a message outside the gate: what ct_looks_sip() looks at, and what the kernel filter leaves of it. */
#define SHOWN_BYTES 2048u
#define SECOND_NS 1000000000ll

bool ct_pipeline_init(struct ct_pipeline *pl) {
  pl->inject = ct_inject_create();
  return pl->inject != NULL;
}

void ct_pipeline_expect_copies(struct ct_pipeline *pl) {
  if (pl->copies == NULL) pl->copies = ct_copies_create(pl->copies_key);
}

static bool follow_connections(struct ct_pipeline *pl) {
  if (pl->flows == NULL) pl->flows = ct_sip_flows_create(pl->copies_key);
  return pl->flows != NULL;
}

bool ct_pipeline_take_any_sip(struct ct_pipeline *pl) {
  pl->gate.any_sip = follow_connections(pl);
  return pl->gate.any_sip;
}

bool ct_pipeline_learn_sip(struct ct_pipeline *pl) {
  pl->learns = follow_connections(pl);
  pl->gate.learned = pl->learns ? &pl->learned : NULL;
  return pl->learns;
}

void ct_pipeline_close(struct ct_pipeline *pl) {
  ct_sip_flows_free(pl->flows);
  pl->flows = NULL;
  ct_copies_free(pl->copies);
  pl->copies = NULL;
  ct_frame_filter_free(pl->filter);
  pl->filter = NULL;
  ct_inject_free(pl->inject);
  pl->inject = NULL;
}

/* ---- counting ---- */

/* What one batch or one datagram counts. Datagrams are decoded on another thread than batches, so the two share
 * counters: they are added to them with a locked instruction, once a batch and not once a packet. */
struct tally {
  uint32_t n[CT_N_COUNT + CT_REASON_COUNT + CT_CLS_COUNT];
};

static void add(uint64_t *counter, uint64_t n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

static void add_tally(struct ct_pipeline *pl, const struct tally *t) {
  for (uint32_t i = 0; i < sizeof t->n / sizeof t->n[0]; i++)
    if (t->n[i] > 0) add(&pl->counters[i], t->n[i]);
}

/* Only the owner of the table writes these. */
static void show_rtp_counters(struct ct_pipeline *pl) {
  const uint64_t *from = ct_rtp_counters(pl->rtp);
  uint64_t *to = pl->counters + CT_N_COUNT + CT_REASON_COUNT + CT_CLS_COUNT;
  for (uint32_t i = 0; i < CT_RC_COUNT; i++) __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
}

/* Kinds of records whose frame TypeScript may name by its digest. */
static bool is_pointed_at(uint8_t kind) {
  return kind == CT_KIND_UDP || kind == CT_KIND_STREAM_OPENED || kind == CT_KIND_TCP ||
         kind == CT_KIND_FRAGMENT || kind == CT_KIND_HEP || kind == CT_KIND_MESSAGE;
}

/* A record with the packet's facts and `len` bytes of `bytes`. */
static void emit(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p, uint8_t kind,
                 const uint8_t *bytes, uint32_t len, uint32_t aux0, uint32_t aux1, uint32_t aux2) {
  uint32_t take = len;
  if (take > CT_SLAB_BYTES) {
    take = CT_SLAB_BYTES;
    add(&pl->counters[CT_N_RECORD_CUT], 1);
  }
  /* A record that may be pointed at comes with its whole frame, around the bytes it is about. */
  bool pointed = pl->digests && p->frame != NULL && is_pointed_at(kind);
  bool whole = pointed && p->caplen <= CT_SLAB_BYTES &&
               (take == 0 || (bytes >= p->frame && bytes + take <= p->frame + p->caplen));
  uint32_t lead = whole && take > 0 ? (uint32_t)(bytes - p->frame) : 0;
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, whole ? p->caplen : take, &data);
  if (r == NULL) {
    if (sink->scratch != NULL) add(&pl->counters[CT_N_RECORD_CUT], 1);
    return; /* the ring was stopped, or is live, full and has counted it */
  }
  if (whole)
    memcpy(data, p->frame, p->caplen);
  else if (take > 0)
    memcpy(data, bytes, take);
  r->ts_us = (double)(p->ts_ns / 1000) + (double)(p->ts_ns % 1000) / 1000.0;
  r->frame = ct_frame_number(pl, p);
  r->wire_len = p->wire_len > len ? p->wire_len : len;
  r->aux0 = aux0;
  r->aux1 = aux1;
  r->aux2 = aux2;
  r->src_port = p->sport;
  r->dst_port = p->dport;
  r->vlan = p->vlan;
  r->kind = kind;
  r->origin = p->is_message ? p->origin : pl->origin;
  r->ip_version = p->ip_version;
  r->transport = p->proto;
  r->dscp = p->dscp;
  r->flags = (uint8_t)(p->cls_flags | (r->wire_len > take ? CT_FLAG_SNAPPED : 0) |
                       (p->tunnel_depth > 0 ? CT_FLAG_TUNNELED : 0));
  r->source = pl->source_id;
  memcpy(r->src, p->src, 16);
  memcpy(r->dst, p->dst, 16);
  /* Whether anything will point at a SIP datagram is known in TypeScript only, which takes the digest then; but most
   * calls open with an INVITE, and this thread takes several at a time. */
  if (kind == CT_KIND_UDP ? whole && take > 6 && memcmp(bytes, "INVITE ", 7) == 0 : pointed) {
    if (whole)
      ct_sink_digest(sink, r, data, p->caplen);
    else
      r->digest = ct_fnv1a64(p->frame, p->caplen);
  }
  if (whole && kind == CT_KIND_UDP && pl->in_file) {
    r->file_at = (double)((uint64_t)(uintptr_t)bytes + pl->file_delta);
    r->check = ct_payload_check(bytes, take);
  }
  ct_sink_commit(sink, r);
  if (whole) {
    r->off += lead;
    r->len = take;
  }
  if (whole && kind == CT_KIND_UDP) {
    r->aux0 = lead;
    r->aux1 = p->caplen;
  }
}

static void emit_stream_events(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p,
                               const struct ct_rtp_events *ev, uint32_t ssrc) {
  for (uint32_t i = 0, windows = 0; i < ev->n; i++) {
    const struct ct_rtp_event *e = &ev->ev[i];
    uint8_t kind = e->type == CT_RTP_OPENED     ? CT_KIND_STREAM_OPENED
                   : e->type == CT_RTP_ACCEPTED ? CT_KIND_STREAM_ACCEPTED
                   : e->type == CT_RTP_WINDOW   ? CT_KIND_STREAM_WINDOW
                   : e->type == CT_RTP_SEGMENT  ? CT_KIND_STREAM_SEGMENT
                   : e->type == CT_RTP_KEY      ? CT_KIND_RTP_KEY
                                                : CT_KIND_STREAM_EVICTED;
    const uint8_t *bytes = NULL;
    uint32_t len = 0;
    if (e->type == CT_RTP_WINDOW) {
      bytes = (const uint8_t *)&ev->closed.window[windows++];
      len = (uint32_t)sizeof(struct ct_rtp_window);
    } else if (e->type == CT_RTP_SEGMENT) {
      bytes = (const uint8_t *)&ev->closed.segment;
      len = (uint32_t)sizeof(struct ct_rtp_segment);
    } else if (e->type == CT_RTP_OPENED && (p->cls_flags & CT_FLAG_RELAYED)) {
      bytes = p->wrap; /* who relays it, on which channel */
      len = p->wrap_len;
    } else if (e->type == CT_RTP_KEY) {
      bytes = p->payload;
      len = p->len < KEY_BYTES ? p->len : KEY_BYTES;
    }
    emit(pl, sink, p, kind, bytes, len, e->index, ssrc, e->generation);
  }
}

static void update_rtp(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p, uint64_t hash,
                       struct ct_stream *guess) {
  struct ct_rtp_events ev;
  ev.n = 0;
  ct_rtp_update(pl->rtp, hash, guess, p, pl->origin, &ev);
  if (ev.n > 0) emit_stream_events(pl, sink, p, &ev, ct_be32(p->payload + 8));
  if (pl->retain && ev.index != CT_RTP_NO_STREAM)
    emit(pl, sink, p, CT_KIND_RTP, p->payload, p->len, ev.index, 0, ev.generation);
  ct_emit_frame(pl, sink, p, CT_FRAME_MEDIA, ev.index, ev.generation);
}

/* ICMP errors quote what failed (RFC 792, RFC 4443); the rest of ICMP is not ours. */
static bool icmp_is_error(const struct ct_packet *p) {
  if (p->len < 1) return false;
  uint8_t type = p->payload[0];
  return p->proto == 58 ? type >= 1 && type <= 4 : type == 3 || type == 11 || type == 12;
}

static uint16_t lower_port(const struct ct_packet *p) { return p->sport < p->dport ? p->sport : p->dport; }

/* TypeScript learns from it which sockets are of SIP. Whoever floods the wire with what looks like SIP must not fill the
 * ring with it; what another thread put together from fragments goes straight to TypeScript. */
static void show_outside(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p) {
  if (!pl->learns || !ct_begins_sip(p->payload, p->len)) return;
  if (sink->scratch == NULL) {
    if (p->ts_ns - pl->shown_ns >= SECOND_NS || p->ts_ns < pl->shown_ns) {
      pl->shown_ns = p->ts_ns;
      pl->shown = 0;
    }
    if (pl->shown >= CT_SHOWN_A_SECOND) return;
    pl->shown++;
  }
  emit(pl, sink, p, CT_KIND_SIP_OUTSIDE, p->payload, ct_min32(p->len, SHOWN_BYTES), 0, 0, 0);
}

/* Everything but RTP. */
static void emit_class(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p) {
  switch ((enum ct_class)p->cls) {
  case CT_CLS_SIP:
    if (CT_UNLIKELY(p->is_message))
      emit(pl, sink, p, CT_KIND_MESSAGE, p->payload, p->len, 0, 0, p->transport);
    else
      emit(pl, sink, p, CT_KIND_UDP, p->payload, p->len, 0, 0, p->ip_id);
    break;
  case CT_CLS_TCP:
    emit(pl, sink, p, CT_KIND_TCP, p->payload, p->len, p->tcp_seq, p->tcp_flags, p->tcp_ack);
    break;
  case CT_CLS_RTCP: emit(pl, sink, p, CT_KIND_RTCP, p->payload, p->len, 0, 0, 0); break;
  case CT_CLS_STUN: emit(pl, sink, p, CT_KIND_STUN, p->payload, p->len, 0, 0, 0); break;
  case CT_CLS_HEP: emit(pl, sink, p, CT_KIND_HEP, p->payload, p->len, 0, 0, 0); break;
  case CT_CLS_ICMP:
    if (icmp_is_error(p)) emit(pl, sink, p, CT_KIND_ICMP, p->payload, p->len, 0, 0, p->ip_id);
    break;
  case CT_CLS_SIP_OUT:
    add(&pl->counters[CT_N_SIP_OUT], 1);
    __atomic_fetch_add(&pl->sip_out_ports[lower_port(p)], 1, __ATOMIC_RELAXED);
    show_outside(pl, sink, p);
    break;
  case CT_CLS_WS_OUT:
    add(&pl->counters[CT_N_WS_OUT], 1);
    __atomic_fetch_add(&pl->ws_out_ports[lower_port(p)], 1, __ATOMIC_RELAXED);
    break;
  default: break; /* counted by class */
  }
}

/* A TCP segment whose SIP is taken outside the gate. The connections are the owner's to know; of a segment that came in
 * fragments TypeScript sees whether it knows the connection. */
static enum ct_class class_of_segment(struct ct_pipeline *pl, struct ct_packet *p, bool is_owner) {
  bool taken = is_owner ? ct_sip_flows_take(pl->flows, p) : ct_begins_sip(p->payload, p->len);
  if (taken) p->cls_flags |= CT_FLAG_SIP_GATE;
  if (taken || (!is_owner && p->len > 0)) p->cls = CT_CLS_TCP;
  return (enum ct_class)p->cls;
}

/* Counts and classifies a decoded packet; true when it is RTP for the table. */
static bool account(struct ct_pipeline *pl, struct tally *t, struct ct_packet *p, enum ct_reason reason,
                    bool is_owner) {
  t->n[CT_N_COUNT + reason]++;
  if (p->tunnel_depth > 0) t->n[CT_N_TUNNELED]++;
  if (reason != CT_OK) return false;
  enum ct_class cls = ct_classify(p, &pl->gate, &pl->decode);
  if (p->proto == 6 && !(p->cls_flags & CT_FLAG_SIP_GATE) &&
      (pl->gate.any_sip || ct_is_learned(p, &pl->gate)))
    cls = class_of_segment(pl, p, is_owner);
  t->n[CT_N_COUNT + CT_REASON_COUNT + cls]++;
  return cls == CT_CLS_RTP;
}

/* As they were captured: before anything looks into them. */
static void write_frames(const struct ct_pipeline *pl, const struct ct_frame *frame, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct ct_frame *f = &frame[i];
    ct_pcap_write(pl->output, f->data, ct_captured_ns(pl, f->ts_ns), f->caplen, f->wirelen, f->linktype);
  }
}

static enum ct_reason decode(const struct ct_pipeline *pl, struct ct_packet *p, const struct ct_frame *f) {
  p->ts_ns = f->ts_ns;
  p->ordinal = f->ordinal;
  p->frame = f->data;
  p->caplen = f->caplen;
  p->wirelen = f->wirelen;
  p->linktype = f->linktype;
  p->vlan = f->vlan;
  return ct_decode_frame(p, f->linktype, &pl->decode);
}

/* What the first look at a frame made of it. */
enum look { LOOK_NOTHING, LOOK_CLASS, LOOK_FRAGMENT, LOOK_RTP, LOOK_PLAIN };

/* Of each frame of a batch. */
struct looked {
  uint64_t hash[CT_BATCH];            /* of RTP */
  struct ct_stream *stream[CT_BATCH]; /* of RTP: what ct_rtp_prefetch_stream() gave */
  uint8_t look[CT_BATCH];             /* enum look */
  struct ct_packet p[CT_BATCH]; /* but of plain frames, which are decoded when they turn out to need it */
};

static void look_at(struct ct_pipeline *pl, struct tally *tally, const struct ct_frame *f, struct looked *l,
                    uint32_t i) {
  struct ct_packet *p = &l->p[i];
  enum ct_reason reason = decode(pl, p, f);
  if (account(pl, tally, p, reason, true)) {
    l->look[i] = LOOK_RTP;
    l->hash[i] = ct_rtp_hash(pl->rtp, p, pl->origin);
    ct_rtp_prefetch_slot(pl->rtp, l->hash[i]);
  } else {
    l->look[i] = reason == CT_OK ? LOOK_CLASS : reason == CT_FRAGMENT ? LOOK_FRAGMENT : LOOK_NOTHING;
  }
}

static void emit_fragment(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_packet *p) {
  emit(pl, sink, p, CT_KIND_FRAGMENT, p->payload, p->len, p->frag_id, p->frag_off,
       (uint32_t)p->proto | (uint32_t)p->frag_more << 8);
  ct_emit_frame(pl, sink, p, CT_FRAME_PART, CT_RTP_NO_STREAM, 0);
}

/* A plain frame that its stream has more to say about than a count. */
static void update_rtp_of(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_frame *f,
                          struct looked *l, uint32_t i) {
  struct ct_packet *p = &l->p[i];
  decode(pl, p, f);
  ct_classify(p, &pl->gate, &pl->decode);
  update_rtp(pl, sink, p, l->hash[i], l->stream[i]);
}

static void fetch_stream(struct ct_pipeline *pl, const struct ct_frame *f, struct looked *l, uint32_t i) {
  if (l->look[i] == LOOK_PLAIN)
    l->stream[i] = ct_rtp_prefetch_stream(pl->rtp, l->hash[i], f[i].data[CT_PLAIN_RTP + 1]);
  else if (l->look[i] == LOOK_RTP)
    l->stream[i] = ct_rtp_prefetch_stream(pl->rtp, l->hash[i], l->p[i].payload[1]);
}

void ct_pipeline_batch(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_frame *frame,
                       uint32_t n) {
  struct tally tally = {0};
  struct looked l;
  uint64_t bytes = 0;
  uint32_t plain = 0;
  const bool may_be_plain =
      !pl->retain && !pl->frames && pl->origin == CT_ORIGIN_WIRE; /* else they all go to TypeScript */
  struct ct_frame passed[CT_BATCH], once[CT_BATCH];
  if (pl->filter != NULL) {
    uint32_t unfit = 0, kept = ct_frame_filter_pass(pl->filter, frame, n, passed, &unfit);
    tally.n[CT_N_BPF_SKIPPED] = n - kept - unfit;
    tally.n[CT_N_BPF_UNFIT] = unfit;
    frame = passed;
    n = kept;
  }
  if (pl->copies != NULL) {
    uint64_t missed = 0;
    uint32_t kept = ct_copies_drop(pl->copies, pl->source_id, &pl->decode, frame, n, once, &missed);
    tally.n[CT_N_COPIES] = n - kept;
    tally.n[CT_N_COPIES_MISSED] = (uint32_t)missed;
    frame = once;
    n = kept;
  }
  for (uint32_t i = 0; i < n; i++)
    if (frame[i].ts_ns > pl->last_ns) pl->last_ns = frame[i].ts_ns;
  if (pl->output != NULL) write_frames(pl, frame, n);
  for (uint32_t i = 0; i < n; i++) {
    const struct ct_frame *f = &frame[i];
    bytes += f->caplen;
    if (f->caplen < f->wirelen && !pl->cut_on_purpose) tally.n[CT_N_SNAPPED]++;
    if (may_be_plain && CT_LIKELY(ct_is_plain_rtp(f))) {
      plain++;
      l.look[i] = LOOK_PLAIN;
      l.hash[i] = ct_rtp_hash_plain(pl->rtp, f->data, pl->origin);
      ct_rtp_prefetch_slot(pl->rtp, l.hash[i]);
    } else {
      look_at(pl, &tally, f, &l, i);
    }
  }
  tally.n[CT_N_FRAMES] = n;
  tally.n[CT_N_COUNT + CT_OK] += plain;
  tally.n[CT_N_COUNT + CT_REASON_COUNT + CT_CLS_RTP] += plain;
  add_tally(pl, &tally);
  add(&pl->counters[CT_N_BYTES], bytes);
  for (uint32_t i = 0; i < n && i < CT_AHEAD; i++) fetch_stream(pl, frame, &l, i);
  for (uint32_t i = 0; i < n; i++) {
    if (i + CT_AHEAD < n) fetch_stream(pl, frame, &l, i + CT_AHEAD);
    switch ((enum look)l.look[i]) {
    case LOOK_PLAIN:
      if (CT_UNLIKELY(!ct_rtp_update_plain(pl->rtp, l.stream[i], &frame[i])))
        update_rtp_of(pl, sink, &frame[i], &l, i);
      break;
    case LOOK_RTP: update_rtp(pl, sink, &l.p[i], l.hash[i], l.stream[i]); break;
    case LOOK_CLASS:
      emit_class(pl, sink, &l.p[i]);
      ct_emit_frame_of_class(pl, sink, &l.p[i]);
      break;
    case LOOK_FRAGMENT: emit_fragment(pl, sink, &l.p[i]); break;
    case LOOK_NOTHING: break;
    }
  }
  show_rtp_counters(pl);
}

void ct_pipeline_datagram(struct ct_pipeline *pl, struct ct_sink *scratch, struct ct_packet *p,
                          const uint8_t *data, uint32_t len) {
  p->frame = NULL;
  p->caplen = p->wirelen = 0;
  enum ct_reason reason = ct_decode_ip_payload(p, data, len, &pl->decode);
  struct tally tally = {0};
  bool rtp = account(pl, &tally, p, reason, false);
  add_tally(pl, &tally);
  if (rtp) {
    if (!ct_inject_put(pl->inject, p)) add(&pl->counters[CT_N_INJECT_DROPPED], 1);
  } else if (reason == CT_OK) {
    emit_class(pl, scratch, p);
  } else if (reason == CT_FRAGMENT) {
    emit_fragment(pl, scratch, p);
  }
}

void ct_pipeline_drain_injected(struct ct_pipeline *pl, struct ct_sink *sink) {
  if (ct_inject_is_empty(pl->inject)) return;
  static _Thread_local struct ct_injected item;
  while (ct_inject_take(pl->inject, &item)) {
    add(&pl->counters[CT_N_INJECTED], 1);
    update_rtp(pl, sink, &item.p, ct_rtp_hash(pl->rtp, &item.p, pl->origin), NULL);
  }
  show_rtp_counters(pl);
}
