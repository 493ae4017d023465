/* SPDX-License-Identifier: Apache-2.0
 * drop_log.h - when a capture ring dropped: spans of time, each with the packets that found no room in it.
 *
 * The thread of the source notes, JavaScript takes; the caller holds a lock. Nothing is forgotten: spans that touch are
 * one, and when the log is full the newest grows.
 */
#ifndef CALLTAP_DROP_LOG_H
#define CALLTAP_DROP_LOG_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_DROP_SPANS 32u

struct ct_drop_span {
  double from_us, to_us; /* since the epoch, the clock of the frames */
  double packets;
};

struct ct_drop_log {
  struct ct_drop_span span[CT_DROP_SPANS];
  uint32_t n;
};

void ct_drop_log_note(struct ct_drop_log *l, int64_t from_ns, int64_t to_ns, uint64_t packets);
/* Moves all spans to `out`, which has room for CT_DROP_SPANS; how many. */
uint32_t ct_drop_log_take(struct ct_drop_log *l, struct ct_drop_span *out);

#ifdef __cplusplus
}
#endif
#endif
