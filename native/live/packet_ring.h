/* SPDX-License-Identifier: Apache-2.0
 * packet_ring.h - one packet socket with its mapped ring of blocks (AF_PACKET, TPACKET_V3), and what the
 * kernel says about the interface after it.
 */
#ifndef CALLTAP_PACKET_RING_H
#define CALLTAP_PACKET_RING_H
#include "live/packet_filter.h"
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel hands a block over after 10 ms however little is in it, and nothing is put into it afterwards. So a ring that
 * nobody reads is full after as many times 10 ms as it has blocks, at five packets a second as at five million: 64 blocks
 * were 0.64 s, these are 5 s in the same 64 MiB. A block still holds the largest frame that offload makes, 64 KiB. */
#define CT_BLOCK_BYTES (128u << 10)
#define CT_BLOCK_COUNT 512u
#define CT_RETIRE_MS 10u

struct ct_packet_ring {
  int fd;
  uint8_t *map;
  size_t map_bytes;
  uint32_t blocks, at; /* the next block to look at */
  int ifindex;         /* bound to; 0 every interface */
  bool has_vnet;       /* a struct virtio_net_hdr lies in front of each frame */
};

/* Socket, filter and ring, not yet bound: nothing is captured. Asks for `blocks` and takes what memory
 * allows down to 4. 0, or -errno with the step that failed in *step. */
int ct_packet_ring_open(struct ct_packet_ring *r, struct ct_packet_filter *f, uint32_t blocks,
                        const char **step);
/* Start capturing on an interface, 0 for all. May be repeated with another index. 0 or -errno. */
int ct_packet_ring_bind(struct ct_packet_ring *r, int ifindex);
/* True while it is bound to this interface: one that was deleted and made again with its old index is another. */
bool ct_packet_ring_is_bound(const struct ct_packet_ring *r, int ifindex);
/* Frames for other hosts are captured there too (PACKET_MR_PROMISC), for as long as socket and interface live. Needs no
 * privilege beyond the socket. 0 or -errno. */
int ct_packet_ring_promiscuous(const struct ct_packet_ring *r, int ifindex);
void ct_packet_ring_close(struct ct_packet_ring *r);
/* The next block that the kernel has handed over, or NULL. Give it back before asking again. */
struct tpacket_block_desc *ct_packet_ring_block(struct ct_packet_ring *r);
void ct_packet_ring_give_back(struct ct_packet_ring *r);
/* Take no further frame in: those in the ring stay and are handed over. */
void ct_packet_ring_shut(struct ct_packet_ring *r);
/* Counts since the last call (the kernel resets them when they are read). */
struct ct_ring_stats {
  uint32_t packets; /* that passed the filter, drops included */
  uint32_t drops;   /* no room in the ring */
  uint32_t freezes; /* times the ring was full */
};
bool ct_packet_ring_stats(const struct ct_packet_ring *r, struct ct_ring_stats *out);
/* The error that woke poll(), cleared; 0 without one. */
int ct_packet_ring_error(const struct ct_packet_ring *r);

/* ---- packet_iface.c: what the kernel says about interfaces ---- */

struct ct_iface_facts {
  int ifindex;
  char name[IFNAMSIZ];
  uint32_t flags; /* IFF_* */
  uint32_t mtu;
  uint32_t promiscuity;     /* how many keep it promiscuous */
  uint16_t hatype;          /* ARPHRD_* */
  uint64_t packets;         /* received and sent */
  uint64_t dropped, missed; /* by the stack, and by the card before anybody could see it */
};
/* A netlink socket in the network namespace of the caller; -errno. */
int ct_iface_open(void);
/* By name; 0, or -errno: -ENODEV when there is no such interface. */
int ct_iface_find(int netlink, const char *name, struct ct_iface_facts *out);
/* Every interface there is; 0 or -errno. */
int ct_iface_each(int netlink, void (*each)(void *arg, const struct ct_iface_facts *facts), void *arg);

/* ---- packet_gso.c: a frame that stands for several datagrams ---- */

#define CT_GSO_SCRATCH (128u * 1024u)
#define CT_GSO_SEGMENTS 1024u /* no stack puts together more than 128; a guest may claim 65,507 of one byte */

struct ct_gso {
  const uint8_t *frame;
  uint32_t header;  /* bytes up to the payload of the innermost UDP header */
  uint32_t payload; /* bytes of payload in all segments together */
  uint32_t size;    /* of each segment but the last */
  uint32_t done;    /* bytes of payload handed out */
  uint32_t index;
  uint32_t linktype;
};
/* True when the frame can be split in segments of `size`: a whole UDP datagram, all of its lengths found. */
bool ct_gso_open(struct ct_gso *g, const uint8_t *frame, uint32_t len, uint32_t linktype, uint32_t size);
/* The next segment as a frame of its own in `out`: headers with its lengths, identification and checksums.
 * Its length; 0 when all are done, or when `room` is too small for it. */
uint32_t ct_gso_next(struct ct_gso *g, uint8_t *out, uint32_t room);
/* Bytes the next segment needs; 0 when all are done. */
uint32_t ct_gso_need(const struct ct_gso *g);

#endif
