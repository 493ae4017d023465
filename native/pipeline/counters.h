/* SPDX-License-Identifier: Apache-2.0
 * counters.h - what a pipeline counts, and under which names.
 */
#ifndef CALLTAP_COUNTERS_H
#define CALLTAP_COUNTERS_H
#include "decode/packet.h"
#include "rtp/rtp_table.h"
#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
