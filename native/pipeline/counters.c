/* SPDX-License-Identifier: Apache-2.0
 * counters.c - see counters.h.
 */
#include "pipeline/counters.h"
#include <stddef.h>

static const char *const OWN_NAMES[CT_N_COUNT] = {
    "frames",           "frame_bytes",         "snapped_frames",     "invalid_timestamps",
    "sip_outside_gate", "ws_sip_outside_gate", "rtp_from_fragments", "rtp_from_fragments_dropped",
    "records_cut",      "tunneled_frames",     "copied_frames",      "copies_missed",
    "bpf_skipped",      "bpf_unfit",
};
static const char *const CLASS_NAMES[CT_CLS_COUNT] = {
    "class_other", "class_sip",  "class_sip_outside", "class_ws_outside",
    "class_tcp",   "class_rtp",  "class_rtcp",        "class_stun",
    "class_hep",   "class_icmp", "class_keepalive",   "class_encrypted",
};
static const char *const RTP_NAMES[CT_RC_COUNT] = {
    "rtp_opened",  "rtp_accepted",  "rtp_evicted",         "rtp_probing_recycled",
    "rtp_packets", "rtp_malformed", "rtp_streams_refused", "rtp_packets_refused",
};

const char *ct_counter_name(uint32_t i) {
  if (i < CT_N_COUNT) return OWN_NAMES[i];
  i -= CT_N_COUNT;
  if (i < CT_REASON_COUNT) return ct_reason_name((enum ct_reason)i);
  i -= CT_REASON_COUNT;
  if (i < CT_CLS_COUNT) return CLASS_NAMES[i];
  i -= CT_CLS_COUNT;
  return i < CT_RC_COUNT ? RTP_NAMES[i] : NULL;
}
