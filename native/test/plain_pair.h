/* SPDX-License-Identifier: Apache-2.0
 * plain_pair.h - two stream tables that are given the same frames, one of them always by the long way: what plain
 * frames leave behind must not depend on the way that they took.
 */
#ifndef PLAIN_PAIR_H
#define PLAIN_PAIR_H
#include <stdlib.h>
#include <string.h>

#include "core/record.h"
#include "net_frames.h"
#include "rtp/rtp_plain.h"
#include "rtp/rtp_table.h"

struct plain_pair {
  struct ct_rtp_table *may, *never; /* go the short way */
  uint64_t frames, plain, shorter;
  uint32_t highest; /* index of a stream, and 1 */
  struct ct_rtp_events ev;
};

static inline void pair_open(struct plain_pair *w, const struct ct_rtp_opts *o) {
  memset(w, 0, sizeof *w);
  w->may = ct_rtp_create(o);
  w->never = ct_rtp_create(o);
  if (w->may == NULL || w->never == NULL) abort();
}
static inline void pair_close(struct plain_pair *w) {
  ct_rtp_free(w->may);
  ct_rtp_free(w->never);
}
static inline struct ct_stream *pair_stream(struct ct_rtp_table *t, uint32_t i) {
  struct ct_stream *chunk = ct_rtp_chunk(t, i / CT_RTP_CHUNK);
  return chunk == NULL ? NULL : &chunk[i % CT_RTP_CHUNK];
}

/* Gives a frame to both; false when they, or the two looks at the frame, differ. */
static inline bool pair_push(struct plain_pair *w, const struct ct_frame *f, uint8_t origin) {
  static const struct ct_gate gate;
  static const struct ct_decode_opts opts;
  struct ct_packet p = {
      .ts_ns = f->ts_ns, .ordinal = f->ordinal, .frame = f->data, .caplen = f->caplen, .wirelen = f->wirelen};
  w->frames++;
  bool rtp = ct_decode_frame(&p, f->linktype, &opts) == CT_OK && ct_classify(&p, &gate, &opts) == CT_CLS_RTP;
  bool plain = ct_is_plain_rtp(f);
  if (plain && !rtp) return false;
  if (!rtp) return true;
  uint64_t hash = ct_rtp_hash(w->never, &p, origin);
  if (plain && ct_rtp_hash_plain(w->may, f->data, origin) != hash) return false;
  memset(&w->ev, 0, sizeof w->ev);
  struct ct_rtp_events ev = w->ev;
  ct_rtp_update(w->never, hash, NULL, &p, origin, &w->ev);
  struct ct_stream *guess = ct_rtp_prefetch_stream(w->may, hash, p.payload[1]);
  w->plain += plain;
  if (plain && origin == CT_ORIGIN_WIRE && ct_rtp_update_plain(w->may, guess, f)) {
    w->shorter++;
    return w->ev.n == 0;
  }
  ct_rtp_update(w->may, hash, guess, &p, origin, &ev);
  for (uint32_t i = 0; i < ev.n; i++)
    if (ev.ev[i].index + 1 > w->highest) w->highest = ev.ev[i].index + 1;
  return ev.n == w->ev.n && ev.index == w->ev.index && ev.generation == w->ev.generation &&
         memcmp(ev.ev, w->ev.ev, ev.n * sizeof ev.ev[0]) == 0 &&
         memcmp(&ev.closed, &w->ev.closed, sizeof ev.closed) == 0;
}

/* True when both tables hold the same, to the byte. */
static inline bool pair_is_same(const struct plain_pair *w) {
  for (uint32_t i = 0; i < w->highest; i++) {
    struct ct_stream *a = pair_stream(w->may, i), *b = pair_stream(w->never, i);
    ct_stream_settle(a);
    if (memcmp(a, b, sizeof *a) != 0) return false;
  }
  return memcmp(ct_rtp_counters(w->may), ct_rtp_counters(w->never), CT_RC_COUNT * sizeof(uint64_t)) == 0;
}

/* What TypeScript writes into a stream, in both. */
static inline void pair_hint(const struct plain_pair *w, uint32_t i, uint32_t clock) {
  if (i >= w->highest) return;
  pair_stream(w->may, i)->clock_hint = pair_stream(w->never, i)->clock_hint = clock;
  pair_stream(w->may, i)->claimed = pair_stream(w->never, i)->claimed = 1;
}

/* ---- a frame ---- */

struct plain_frame {
  uint8_t b[14 + 20 + 8 + 12 + 256];
  struct ct_frame f;
};

/* A plain frame with `size` bytes (at most 256) after the RTP header; the caller makes it less plain. */
static inline void make_plain(struct plain_frame *x, int64_t at, uint8_t host, uint16_t port, uint32_t ssrc,
                              uint8_t type, uint16_t seq, uint32_t ts, uint32_t size) {
  uint8_t *b = x->b, rtp[12 + 256];
  rtp_payload(rtp, seq, ssrc, 12 + size);
  rtp[1] = type;
  put32(rtp + 4, ts);
  udp_frame(b, port, 5000, rtp, 12 + size);
  b[15] = 46 << 2;
  put32(b + 26, 0x0a000000u | host);
  put32(b + 30, 0x0a000100u);
  x->f = (struct ct_frame){
      .data = b, .ts_ns = at, .caplen = 54 + size, .wirelen = 54 + size, .linktype = CT_PLAIN_LINK};
}

#endif
