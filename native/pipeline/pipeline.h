/* SPDX-License-Identifier: Apache-2.0
 * pipeline.h - from a decoded packet to a record, a stream update or a counter.
 *
 * One owner thread; the only door for other threads is inject.h, a bounded queue for RTP that was
 * found inside a reassembled datagram.
 */
#ifndef CALLTAP_PIPELINE_H
#define CALLTAP_PIPELINE_H
#include "core/digest.h"
#include "core/frame.h"
#include "core/slab.h"
#include "decode/packet.h"
#include "output/pcap_write.h"
#include "pipeline/copies.h"
#include "rtp/rtp_table.h"
#include "system/frame_filter.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CT_BATCH 64u

/* Counters seen by JavaScript as one array: these, then CT_REASON_COUNT reasons, then
 * CT_CLS_COUNT classes, then CT_RC_COUNT of the stream table. */
enum ct_counter {
  CT_N_FRAMES,
  CT_N_BYTES,
  CT_N_SNAPPED,
  CT_N_INVALID_TS,
  CT_N_SIP_OUT,
  CT_N_WS_OUT,
  CT_N_INJECTED,
  CT_N_INJECT_DROPPED,
  CT_N_RECORD_CUT,
  CT_N_TUNNELED,
  CT_N_COPIES,        /* frames that another source or interface gave: no other counter has them */
  CT_N_COPIES_MISSED, /* frames that could not be compared with all of their time */
  CT_N_BPF_SKIPPED,   /* frames that the expression of --bpf does not match: no other counter has them */
  CT_N_BPF_UNFIT,     /* likewise of a link type that it cannot be for */
  CT_N_COUNT
};
/* Of four enumerations: C++20 adds numbers only. */
#define CT_COUNTERS                                                                                          \
  ((uint32_t)CT_N_COUNT + (uint32_t)CT_REASON_COUNT + (uint32_t)CT_CLS_COUNT + (uint32_t)CT_RC_COUNT)
/* Name of counter i, snake_case; NULL past the end. */
const char *ct_counter_name(uint32_t i);

struct ct_inject;
struct ct_pipeline {
  struct ct_gate gate;
  struct ct_decode_opts decode;
  struct ct_rtp_table *rtp;
  uint64_t *counters;      /* CT_COUNTERS, memory of JavaScript; two threads add to them */
  uint32_t *sip_out_ports; /* 65,536 counts of excluded SIP by port */
  uint32_t *ws_out_ports;
  uint32_t source_id;
  uint8_t origin;
  bool in_file; /* frames lie in a file that can be read again; frame + file_delta is where */
  uint64_t file_delta;
  bool digests;                   /* take FNV-1a of frames that may be pointed at */
  struct ct_frame_filter *filter; /* frames that do not pass are nobody's (--bpf); NULL: all do */
  bool retain;                    /* RTP packets go to TypeScript whole, for their audio */
  bool frames;                    /* frames that may be of a call go to TypeScript, for the files of calls */
  bool cut_on_purpose; /* the kernel filter cuts media after its headers: no loss, not counted as snapped */
  int64_t shift_ns;    /* by which the times of frames are less than captured: steps of the clock */
  int64_t last_ns;     /* time of the newest frame, copies apart */
  uint64_t copies_key[2];   /* random */
  struct ct_copies *copies; /* frames seen by several sources are taken once; NULL: there is one source */
  struct ct_inject *inject;
  /* Where captured frames are written (-O); NULL nowhere. Set before the source starts, it outlives it. */
  struct ct_pcap_writer *output;
};

/* The time of a frame as it was captured; times are hostile, so that the sum may go round. */
static inline int64_t ct_captured_ns(const struct ct_pipeline *pl, int64_t ts_ns) {
  return (int64_t)((uint64_t)ts_ns + (uint64_t)pl->shift_ns);
}
bool ct_pipeline_init(struct ct_pipeline *pl);
void ct_pipeline_close(struct ct_pipeline *pl);
/* Owner: frames come from more than one source or interface from now on. Without memory all of them count. */
void ct_pipeline_expect_copies(struct ct_pipeline *pl);
/* Decode, classify, hash and update a batch of at most CT_BATCH frames in order, emitting to `sink`. */
void ct_pipeline_batch(struct ct_pipeline *pl, struct ct_sink *sink, const struct ct_frame *frame,
                       uint32_t n);
/* Decode a reassembled IP payload on the calling thread into a scratch sink; RTP is queued for the
 * owner. `p` has ts_ns, ordinal, addresses, ip_version, proto, dscp and vlan set. */
void ct_pipeline_datagram(struct ct_pipeline *pl, struct ct_sink *scratch, struct ct_packet *p,
                          const uint8_t *data, uint32_t len);
/* Owner: apply what was injected. */
void ct_pipeline_drain_injected(struct ct_pipeline *pl, struct ct_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
