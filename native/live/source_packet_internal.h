/* SPDX-License-Identifier: Apache-2.0
 * source_packet_internal.h - what source_packet.c and source_packet_watch.c share.
 */
#ifndef CALLTAP_SOURCE_PACKET_INTERNAL_H
#define CALLTAP_SOURCE_PACKET_INTERNAL_H
#include "live/source_packet.h"

struct ct_live_batch {
  struct ct_frame frame[CT_BATCH];
  uint32_t n;
  uint32_t used;                   /* of scratch */
  uint8_t scratch[CT_GSO_SCRATCH]; /* frames made from segmentation offload */
};

/* Counters are written by one thread and read by another. */
static inline void ct_live_add_to(uint64_t *counter, uint64_t n) {
  __atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

int64_t ct_live_clock(void); /* monotonic, ns */
/* The state of an interface that was just bound, and its losses so far, which are not ours. */
void ct_live_watch_first(struct ct_live_source *s, struct ct_live_iface *f,
                         const struct ct_iface_facts *facts);
/* poll() reported an error on the socket. */
void ct_live_on_error(struct ct_live_source *s, struct ct_live_iface *f);
/* Once a second: kernel counts, losses, state; binds again what came back. */
void ct_live_tick(struct ct_live_source *s);
/* True when every frame the kernel had put into the rings has been read. */
bool ct_live_is_read(struct ct_live_source *s);
/* At the end: what the kernel had and nobody read. */
void ct_live_count_unread(struct ct_live_source *s);

#endif
