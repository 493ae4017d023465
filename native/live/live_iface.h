/* SPDX-License-Identifier: Apache-2.0
 * live_iface.h - one interface of a live source: its counters, its state, and the looks at it every second.
 */
#ifndef CALLTAP_LIVE_IFACE_H
#define CALLTAP_LIVE_IFACE_H
#include "live/drop_log.h"
#include "live/packet_ring.h"
#include "system/host_clock.h"
#include <net/if.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_LIVE_TEXT 256u
#define CT_LIVE_IFACES 1024u /* interfaces whose losses are followed for `any` */

enum ct_live_state {
  CT_LIVE_CAPTURING = 0,
  CT_LIVE_DOWN,   /* there, but down or without carrier: capturing continues when it is up */
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
  /* Set by who adds it. */
  char name[IFNAMSIZ]; /* "any" is every interface */
  bool is_any, is_bound;
  bool promiscuous; /* capture what is for other hosts too */
  int netlink;      /* where its facts are asked for */
  struct ct_packet_ring ring;
  uint64_t *counters; /* CT_L_COUNT */
  uint32_t source_id;
  int ifindex;                  /* when it was added; 0 every interface */
  struct ct_live_seen *seen;    /* 1, or CT_LIVE_IFACES for `any` */
  struct ct_host_stamps stamps; /* of its frames */
  int64_t sure_ns;              /* every drop until then is noted (steady time) */
  pthread_mutex_t lock;         /* over what follows, which other threads read */
  struct ct_drop_log drops;
  uint32_t mtu;
  enum ct_live_state state;
  int error; /* why it cannot be bound */
  struct ct_live_refused refused;
};

/* Counters are written by one thread and read by another. */
static inline void ct_live_add_to(uint64_t *counter, uint64_t n) {
  __atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* The state of an interface that was just bound, and its losses so far, which are not ours. */
void ct_live_watch_first(struct ct_live_iface *f, const struct ct_iface_facts *facts);
/* Once a second: kernel counts, losses, state; binds again what came back. */
void ct_live_watch(struct ct_live_iface *f);
/* The kernel's counts so far; a drop is noted with the time that it can have been in. */
void ct_live_read_counts(struct ct_live_iface *f);
/* A block is about to be read: notes the drops that it tells of. */
void ct_live_before_block(struct ct_live_iface *f, const struct tpacket_block_desc *block);
/* poll() reported an error on the socket. */
void ct_live_on_error(struct ct_live_iface *f);
/* Frames that the kernel has put into the ring and nobody has read. */
uint64_t ct_live_unread(struct ct_live_iface *f);

struct ct_live_status {
  enum ct_live_state state;
  uint32_t mtu;
  uint32_t ring_bytes;
  char text[CT_LIVE_TEXT]; /* one line for the operator: "eth0: capturing, MTU 1500, ring 64 MiB" */
};
/* From any thread. */
void ct_live_iface_status(struct ct_live_iface *f, struct ct_live_status *out);

#ifdef __cplusplus
}
#endif
#endif
