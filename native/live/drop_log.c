/* SPDX-License-Identifier: Apache-2.0
 * drop_log.c - see drop_log.h.
 */
#include "live/drop_log.h"
#include <string.h>

void ct_drop_log_note(struct ct_drop_log *l, int64_t from_ns, int64_t to_ns, uint64_t packets) {
  double from = (double)from_ns / 1e3, to = (double)to_ns / 1e3;
  if (from > to) from = to; /* the clock was set back */
  struct ct_drop_span *last = l->n > 0 ? &l->span[l->n - 1] : NULL;
  if (last != NULL && (l->n == CT_DROP_SPANS || (from <= last->to_us && to >= last->from_us))) {
    if (from < last->from_us) last->from_us = from;
    if (to > last->to_us) last->to_us = to;
    last->packets += (double)packets;
    return;
  }
  l->span[l->n++] = (struct ct_drop_span){from, to, (double)packets};
}

uint32_t ct_drop_log_take(struct ct_drop_log *l, struct ct_drop_span *out) {
  uint32_t n = l->n;
  memcpy(out, l->span, n * sizeof *out);
  l->n = 0;
  return n;
}
