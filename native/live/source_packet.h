/* SPDX-License-Identifier: Apache-2.0
 * source_packet.h - a thread that captures from network interfaces into the ring of slabs.
 *
 * One thread reads the packet rings of all interfaces of a source, so one thread owns the stream table.
 * It never ends by itself: an interface that goes down, disappears, comes back or changes is looked for
 * every second, and its state is a line of text that TypeScript shows. It never waits for JavaScript:
 * records that find no slab are dropped and counted (struct ct_ring, live). Every frame that the kernel
 * had for us and that was not analysed is in one of the counters below.
 */
#ifndef CALLTAP_SOURCE_PACKET_H
#define CALLTAP_SOURCE_PACKET_H
#include "live/live_frames.h"
#include <pthread.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_LIVE_MAX 16u /* interfaces in one source */
struct ct_live_source {
  /* Set by the caller, who owns them all until ct_live_close() has returned. */
  struct ct_pipeline *pl;
  struct ct_ring *ring; /* `live` is set by ct_live_start() */
  struct ct_packet_filter *filter;
  bool promiscuous; /* capture what is for other hosts too */
  /* Private. */
  struct ct_live_iface iface[CT_LIVE_MAX];
  uint32_t n;
  int wake, netlink;
  ct_atomic_u32 stop;
  bool is_open, running;
  uint64_t cpu_ns; /* of the thread, after ct_live_stop() */
  pthread_t thread;
  struct ct_live_frames *frames;
};

/* What an operator reads when an interface cannot be opened. */
struct ct_live_error {
  int err;          /* errno */
  const char *step; /* what could not be done */
};

/* Call first. 0 or -errno. */
int ct_live_init(struct ct_live_source *s);
/* What the frames of these interfaces have in common: for struct ct_filter_opts, before the first is added. */
enum ct_filter_link ct_live_common_link(struct ct_live_source *s, const char *const *names, uint32_t n);
/* Add an interface (its name, or "any") before the start: opens all that needs privileges, so they may be dropped
 * afterwards. `blocks` 0: CT_BLOCK_COUNT. An interface that is down is no error, one that does not exist is. */
bool ct_live_add(struct ct_live_source *s, const char *name, uint32_t source_id, uint32_t blocks,
                 uint64_t *counters, struct ct_live_error *error);
/* Binds the sockets: from now on the kernel fills the rings. */
void ct_live_bind(struct ct_live_source *s);
/* Binds and starts the thread: nothing waits in the rings for what a program does before. 0 or -errno. */
int ct_live_start(struct ct_live_source *s);
/* From now on these sockets are the learned ones (ct_pipeline_learn_sip()), and the filter lets their ports pass. From the
 * thread that adds interfaces. */
void ct_live_learned(struct ct_live_source *s, const struct ct_learned_key *keys, uint32_t n);
/* Asks the thread to end: it takes in nothing more, reads what its rings hold (50 ms at most), then
 * publishes a CT_KIND_SOURCE_END record. Does not wait. */
void ct_live_ask_stop(struct ct_live_source *s);
/* The same and waits for the thread. Sockets stay open. Safe to call twice. */
void ct_live_stop(struct ct_live_source *s);
/* Stops and frees everything. Safe to call twice, on a zeroed struct, and after a failed ct_live_init(). */
void ct_live_close(struct ct_live_source *s);

/* From any thread: when the ring of interface `i` dropped, CT_DROP_SPANS at most, each span given once; how many. */
uint32_t ct_live_take_drops(struct ct_live_source *s, uint32_t i, struct ct_drop_span *out);
/* From any thread; false when there is no interface `i`. */
bool ct_live_status_of(struct ct_live_source *s, uint32_t i, struct ct_live_status *out);

#ifdef __cplusplus
}
#endif
#endif
