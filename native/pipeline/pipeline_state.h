/* SPDX-License-Identifier: Apache-2.0
 * pipeline_state.h - what a pipeline is told and keeps, for those who set it up and for its own files.
 */
#ifndef CALLTAP_PIPELINE_STATE_H
#define CALLTAP_PIPELINE_STATE_H
#include "core/digest.h"
#include "decode/learned.h"
#include "decode/packet.h"
#include "output/pcap_write.h"
#include "pipeline/copies.h"
#include "pipeline/counters.h"
#include "rtp/rtp_table.h"
#include "system/frame_filter.h"
#ifdef __cplusplus
extern "C" {
#endif

struct ct_inject;    /* inject.h */
struct ct_sip_flows; /* sip_flows.h */
struct ct_pipeline {
  struct ct_gate gate;
  struct ct_sip_flows *flows; /* of TCP outside the gate, where its SIP is taken */
  bool learns;                /* SIP outside the gate is shown to TypeScript, which learns sockets by it */
  struct ct_learned learned;  /* them */
  int64_t shown_ns;           /* begin of the second in which `shown` messages outside the gate were shown */
  uint32_t shown;
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

#ifdef __cplusplus
}
#endif
#endif
