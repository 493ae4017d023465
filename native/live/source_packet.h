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
#include "live/packet_ring.h"
#include "pipeline/pipeline.h"
#include <net/if.h>
#include <pthread.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_LIVE_MAX 16u /* interfaces in one source */
#define CT_LIVE_TEXT 256u
#define CT_LIVE_IFACES 1024u /* interfaces whose losses are followed for `any` */

enum ct_live_state {
  CT_LIVE_CAPTURING = 0,
  CT_LIVE_DOWN,   /* there, but down or without carrier: capturing goes on when it is up */
  CT_LIVE_GONE,   /* no interface of that name */
  CT_LIVE_FAILING /* cannot be bound; tried again every second */
};

/* One row of counters an interface, memory of JavaScript. */
enum ct_live_counter {
  CT_L_FRAMES,          /* taken from the ring */
  CT_L_KERNEL_PACKETS,  /* that passed the filter, drops included (PACKET_STATISTICS, added up) */
  CT_L_KERNEL_DROPS,    /* the ring was full */
  CT_L_KERNEL_FREEZES,  /* times it was */
  CT_L_UNREAD,          /* in the ring when the source was stopped */
  CT_L_IFACE_PACKETS,   /* that the interface received or sent, whatever they were */
  CT_L_IFACE_DROPPED,   /* rx_dropped: by the stack, also frames nobody listens for that were captured */
  CT_L_IFACE_MISSED,    /* rx_missed_errors: by the card, nobody ever saw them */
  CT_L_LOOPBACK_COPIES, /* outgoing twins of loopback packets, skipped */
  CT_L_OTHER_LINK,      /* not IP on a link without a decoder (netlink, CAN): not a loss */
  CT_L_GSO_FRAMES,      /* that stood for several datagrams and were split */
  CT_L_GSO_SEGMENTS,    /* in them */
  CT_L_GSO_UNSPLIT,     /* headers not understood: analysed as one packet, the others are lost */
  CT_L_CSUM_NOT_READY,  /* checksum left to the card: never a reason to complain */
  CT_L_VLAN_TAGS,       /* put back into the frame */
  CT_L_BAD_BLOCKS,      /* the rest of a block did not hold together */
  CT_L_LINK_DOWNS,      /* times the interface went down, lost its carrier or disappeared */
  CT_L_REBINDS,         /* times it was bound again after it had come back */
  CT_L_MTU_CHANGES,
  CT_L_ERRORS, /* of the socket, others than "network is down" */
  CT_L_COUNT
};
const char *ct_live_counter_name(uint32_t i); /* snake_case; NULL past the end */

struct ct_live_seen { /* losses of one interface when they were last read */
  int ifindex;
  uint64_t packets, dropped, missed;
};

/* Interfaces that could not be made promiscuous at the last look: how many, the first of them and why. */
struct ct_live_refused {
  uint32_t n;
  int error;
  char name[IFNAMSIZ];
};

struct ct_live_iface {
  char name[IFNAMSIZ]; /* "any" is every interface */
  bool is_any, is_bound;
  struct ct_packet_ring ring;
  uint64_t *counters; /* CT_L_COUNT */
  uint32_t source_id;
  uint32_t mtu;
  enum ct_live_state state;
  int error;                 /* why it cannot be bound */
  struct ct_live_seen *seen; /* 1, or CT_LIVE_IFACES for `any` */
  struct ct_live_refused refused;
};

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
  uint64_t ordinal;
  int64_t last_ns;
  uint64_t cpu_ns; /* of the thread, after ct_live_stop() */
  pthread_t thread;
  pthread_mutex_t lock; /* over what ct_live_status_of() reads */
  struct ct_live_batch *batch;
};

/* What an operator is told when an interface cannot be opened. */
struct ct_live_error {
  int err;          /* errno */
  const char *step; /* what could not be done */
};

/* Call first. 0 or -errno. */
int ct_live_init(struct ct_live_source *s);
/* What the frames of these interfaces have in common: for struct ct_filter_opts, before the first is added. */
enum ct_filter_link ct_live_common_link(struct ct_live_source *s, const char *const *names, uint32_t n);
/* Add an interface (its name, or "any") before the start: opens and binds, so privileges may be dropped
 * afterwards. `blocks` 0: CT_BLOCK_COUNT. An interface that is down is no error, one that does not exist is. */
bool ct_live_add(struct ct_live_source *s, const char *name, uint32_t source_id, uint32_t blocks,
                 uint64_t *counters, struct ct_live_error *error);
/* Starts the thread. 0 or -errno. */
int ct_live_start(struct ct_live_source *s);
/* Asks the thread to end: it takes in nothing more, reads what its rings hold (50 ms at most), then
 * publishes a CT_KIND_SOURCE_END record. Does not wait. */
void ct_live_ask_stop(struct ct_live_source *s);
/* The same and waits for the thread. Sockets stay open. Safe to call twice. */
void ct_live_stop(struct ct_live_source *s);
/* Stops and frees everything. Safe to call twice, on a zeroed struct, and after a failed ct_live_init(). */
void ct_live_close(struct ct_live_source *s);

/* From any thread. */
struct ct_live_status {
  enum ct_live_state state;
  uint32_t mtu;
  uint32_t ring_bytes;
  char text[CT_LIVE_TEXT]; /* one line for the operator: "eth0: capturing, MTU 1500, ring 64 MiB" */
};
bool ct_live_status_of(struct ct_live_source *s, uint32_t i, struct ct_live_status *out);

/* The link type (LINKTYPE_*) of frames that a raw packet socket gets from a device of type ARPHRD_*;
 * UINT32_MAX when their link header is not known here. */
uint32_t ct_live_link_type(uint16_t hatype);

#ifdef __cplusplus
}
#endif
#endif
