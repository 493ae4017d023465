/* SPDX-License-Identifier: Apache-2.0
 * test_pipeline.c - batches on one thread and reassembled datagrams on another: every count is right in the end.
 */
#define _GNU_SOURCE
#include "check.h"
#include "pipeline/frame_record.h"
#include "pipeline/pipeline.h"
#include "net_frames.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 3000u
#define ETHERNET 1u

static uint64_t counters[CT_COUNTERS];
static uint32_t sip_out[65536], ws_out[65536];
static struct ct_pipeline pl;
static struct ct_ring ring;
static struct ct_slab slabs[2];

static const char SIP[] = "OPTIONS sip:a@192.0.2.1 SIP/2.0\r\nCall-ID: 1\r\n\r\n";
static uint8_t frame[200];
static uint32_t frame_len;

static void *batches(void *arg) {
  static struct ct_frame batch[CT_BATCH];
  struct ct_sink sink = {.ring = &ring};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t i = 0; i < CT_BATCH; i++) {
      batch[i] = (struct ct_frame){
          .data = frame, .caplen = frame_len, .wirelen = frame_len + 1, .linktype = ETHERNET};
    }
    ct_pipeline_batch(&pl, &sink, batch, CT_BATCH);
    ct_pipeline_drain_injected(&pl, &sink);
  }
  return arg;
}

static void datagrams(uint8_t *data, struct ct_record *rows, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    struct ct_slab scratch = {.data = data, .rec = rows};
    struct ct_sink sink = {.scratch = &scratch};
    struct ct_packet p = {.ip_version = 4, .proto = 17};
    ct_pipeline_datagram(&pl, &sink, &p, frame + 34, frame_len - 34);
  }
}

static uint64_t named(const char *name) {
  for (uint32_t i = 0; i < CT_COUNTERS; i++)
    if (strcmp(ct_counter_name(i), name) == 0) return __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
  printf("no counter %s\n", name);
  failures++;
  return 0;
}

/* ---- frames that are named by their digest ---- */

static const uint8_t RTP[20] = {0x80, 0, 0, 1, 0, 0, 0, 160, 1, 2, 3, 4};
static const char INVITE[] = "INVITE sip:a@192.0.2.1 SIP/2.0\r\nCall-ID: 1\r\n\r\n";

static void digests_are_those_of_the_whole_frame(void) {
  struct ct_frame batch[4];
  static const uint8_t kinds[4] = {CT_KIND_UDP, CT_KIND_UDP, CT_KIND_STREAM_OPENED, CT_KIND_TCP};
  static const bool digested[4] = {true, false, true, true};
  uint8_t frames[4][200];
  uint32_t len[4];
  struct ct_ring own = {.slab = slabs, .n = 2};
  struct ct_sink sink = {.ring = &own};
  len[0] = udp_frame(frames[0], 5060, 5060, INVITE, sizeof INVITE - 1);
  len[1] = udp_frame(frames[1], 5060, 5060, SIP, sizeof SIP - 1);
  len[2] = udp_frame(frames[2], 20000, 20000, RTP, sizeof RTP);
  len[3] = tcp_frame(frames[3], 5060, 5060, 0, SIP, sizeof SIP - 1);
  slabs[0].used = slabs[0].count = slabs[1].used = slabs[1].count = 0;
  pl.digests = true;
  pl.gate.sip[5060 / 64] |= UINT64_C(1) << (5060 % 64);
  for (uint32_t i = 0; i < 4; i++) {
    memcpy(frames[i] + len[i], "tail", 4); /* belongs to the frame only */
    len[i] += 4;
    batch[i] = (struct ct_frame){
        .data = frames[i], .caplen = len[i], .wirelen = len[i], .ordinal = i, .linktype = ETHERNET};
  }
  ct_pipeline_batch(&pl, &sink, batch, 4);
  CHECK_EQ(slabs[0].count, 4);
  ct_ring_publish(&own);
  for (uint32_t i = 0; i < 4; i++) {
    const struct ct_record *r = &slabs[0].rec[i];
    const char *text = i == 0 ? INVITE : SIP;
    CHECK_EQ(r->kind, kinds[i]);
    CHECK_EQ(r->digest, digested[i] ? ct_fnv1a64(frames[i], len[i]) : 0);
    CHECK_EQ(r->len, i == 2 ? 0 : strlen(text));
    CHECK_EQ(memcmp(slabs[0].data + r->off, text, r->len), 0);
  }
  CHECK_EQ(slabs[0].rec[1].aux1, len[1]);
  CHECK_EQ(memcmp(slabs[0].data + slabs[0].rec[1].off - slabs[0].rec[1].aux0, frames[1], len[1]), 0);
  pl.digests = false;
}

static void frames_follow_what_they_gave(void) {
  static const struct {
    uint8_t kind;
    uint32_t part, of;
  } want[] = {{CT_KIND_UDP, 0, 0},           {CT_KIND_FRAME, CT_FRAME_MESSAGE, 0},
              {CT_KIND_STREAM_OPENED, 0, 1}, {CT_KIND_FRAME, CT_FRAME_MEDIA, 1},
              {CT_KIND_TCP, 0, 2},           {CT_KIND_FRAME, CT_FRAME_PART, 2}};
  const uint32_t n = sizeof want / sizeof want[0];
  struct ct_frame batch[4];
  uint8_t frames[4][200];
  uint32_t len[4];
  struct ct_ring own = {.slab = slabs, .n = 2};
  struct ct_sink sink = {.ring = &own};
  len[0] = udp_frame(frames[0], 5060, 5060, SIP, sizeof SIP - 1);
  len[1] = udp_frame(frames[1], 30000, 30000, RTP, sizeof RTP);
  len[2] = tcp_frame(frames[2], 5060, 5060, 0, SIP, sizeof SIP - 1);
  len[3] = udp_frame(frames[3], 5999, 6999, SIP, sizeof SIP - 1); /* outside the gate: nobody's */
  slabs[0].used = slabs[0].count = slabs[1].used = slabs[1].count = 0;
  pl.frames = true;
  for (uint32_t i = 0; i < 4; i++)
    batch[i] = (struct ct_frame){.data = frames[i],
                                 .caplen = len[i],
                                 .wirelen = len[i] + i,
                                 .ordinal = 7 + i,
                                 .ts_ns = 1764100000123456789,
                                 .linktype = ETHERNET};
  ct_pipeline_batch(&pl, &sink, batch, 4);
  CHECK_EQ(slabs[0].count, n);
  ct_ring_publish(&own);
  for (uint32_t i = 0; i < n && i < slabs[0].count; i++) {
    const struct ct_record *r = &slabs[0].rec[i];
    CHECK_EQ(r->kind, want[i].kind);
    CHECK_EQ((int64_t)r->frame, -9 - (int64_t)want[i].of); /* of no file: cannot be read again */
    if (r->kind != CT_KIND_FRAME) continue;
    CHECK_EQ(r->aux0, want[i].part);
    CHECK_EQ(r->check, 123456789);
    CHECK_EQ(r->link, ETHERNET);
    CHECK_EQ(r->wire_len, len[want[i].of] + want[i].of);
    CHECK_EQ(r->len, len[want[i].of]);
    CHECK_EQ(memcmp(slabs[0].data + r->off, frames[want[i].of], r->len), 0);
  }
  CHECK_EQ(slabs[0].rec[3].aux1, slabs[0].rec[2].aux0);
  CHECK_EQ(slabs[0].rec[5].aux1, CT_RTP_NO_STREAM);
  /* What is no media that calltap knows (T.38, say) only where a call may have named the socket. */
  const uint8_t host[16] = {0};
  struct ct_packet p = {.frame = frames[0], .caplen = len[0], .wirelen = len[0], .proto = 17, .ip_version = 4};
  p.dport = 4000;
  const uint32_t before = slabs[1].count;
  ct_emit_frame_of_class(&pl, &sink, &p);
  CHECK_EQ(slabs[1].count, before);
  ct_rtp_name(pl.rtp, host, 4000, true);
  ct_emit_frame_of_class(&pl, &sink, &p);
  CHECK_EQ(slabs[1].count, before + 1);
  ct_rtp_name(pl.rtp, host, 4000, false);
  pl.digests = true; /* of a file every socket may be named later */
  ct_emit_frame_of_class(&pl, &sink, &p);
  CHECK_EQ(slabs[1].count, before + 2);
  pl.digests = pl.frames = false;
}

/* Whoever floods the wire with what looks like SIP fills no slabs with it, second by second; all of it is counted. */
static void few_messages_outside_are_shown(void) {
  struct ct_ring own = {.slab = slabs, .n = 2, .live = true};
  struct ct_sink sink = {.ring = &own};
  struct ct_frame batch[CT_BATCH];
  const uint64_t before = named("sip_outside_gate");
  const uint32_t flood = (CT_SHOWN_A_SECOND / CT_BATCH + 8) * CT_BATCH;
  ct_pipeline_learn_sip(&pl);
  for (int64_t second = 0; second < 2; second++) {
    slabs[0].used = slabs[0].count = slabs[1].used = slabs[1].count = 0;
    own.head = own.tail = 0;
    for (uint32_t i = 0; i < CT_BATCH; i++)
      batch[i] = (struct ct_frame){.data = frame,
                                   .caplen = frame_len,
                                   .wirelen = frame_len,
                                   .ts_ns = 1764100000000000000 + second * 1000000000,
                                   .linktype = ETHERNET};
    for (uint32_t n = 0; n < flood; n += CT_BATCH) ct_pipeline_batch(&pl, &sink, batch, CT_BATCH);
    CHECK_EQ(slabs[0].count + slabs[1].count, CT_SHOWN_A_SECOND);
    CHECK_EQ(slabs[0].rec[0].kind, CT_KIND_SIP_OUTSIDE);
    CHECK_EQ(slabs[0].rec[0].len, sizeof SIP - 1);
  }
  CHECK_EQ(named("sip_outside_gate"), before + 2ull * flood);
  pl.learns = false;
}

int main(void) {
  struct ct_rtp_opts o = {.max_streams = 16, .buffer_ms = 60};
  pthread_t thread;
  for (int i = 0; i < 2; i++) {
    slabs[i].data = malloc(CT_SLAB_BYTES);
    slabs[i].rec = calloc(CT_SLAB_RECORDS, sizeof(struct ct_record));
  }
  ring.slab = slabs;
  ring.n = 2;
  ring.live = true;
  pl.counters = counters;
  pl.sip_out_ports = sip_out;
  pl.ws_out_ports = ws_out;
  pl.rtp = ct_rtp_create(&o);
  if (pl.rtp == NULL || !ct_pipeline_init(&pl)) return 1;
  frame_len = udp_frame(frame, 5999, 6999, SIP, sizeof SIP - 1); /* outside the gate */
  uint8_t *data = malloc(CT_SLAB_BYTES);
  struct ct_record *rows = calloc(CT_SLAB_RECORDS, sizeof *rows);
  const uint32_t each = ROUNDS * CT_BATCH;
  pthread_create(&thread, NULL, batches, NULL);
  datagrams(data, rows, each);
  pthread_join(thread, NULL);
  CHECK_EQ(named("frames"), each);
  CHECK_EQ(named("frame_bytes"), (uint64_t)each * frame_len);
  CHECK_EQ(named("snapped_frames"), each);
  CHECK_EQ(named("ok"), 2 * each);
  CHECK_EQ(named("class_sip_outside"), 2 * each);
  CHECK_EQ(named("sip_outside_gate"), 2 * each);
  CHECK_EQ(sip_out[5999], 2 * each);
  CHECK_EQ(named("class_sip"), 0);
  digests_are_those_of_the_whole_frame();
  frames_follow_what_they_gave();
  few_messages_outside_are_shown();
  ct_pipeline_close(&pl);
  ct_rtp_free(pl.rtp);
  free(data);
  free(rows);
  for (int i = 0; i < 2; i++) {
    free(slabs[i].data);
    free(slabs[i].rec);
  }
  return report("pipeline");
}
