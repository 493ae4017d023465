/* SPDX-License-Identifier: Apache-2.0
 * source_packet.c - see source_packet.h; the watch over the interfaces is in source_packet_watch.c.
 *
 * Frames are decoded where the kernel put them: a batch points into the block, which is given back when
 * the batch has been processed.
 */
#define _GNU_SOURCE
#include "live/source_packet_internal.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS (1000 * 1000 * 1000ll) /* between two looks at the interfaces */
#define IDLE_MS 250                    /* longest sleep: datagrams put together elsewhere wait for it */
#define LINGER_NS (50 * 1000 * 1000ll) /* a block is handed over within two retire times */
#define TURN_BLOCKS 8u                 /* of one ring before the next ring has its turn */

#define GSO_UDP_L4 5 /* VIRTIO_NET_HDR_GSO_UDP_L4, which older headers do not have */

enum { LINK_ETHERNET = 1, LINK_RAW_IP = 101, LINK_C_HDLC = 104, LINK_UNKNOWN = 0xffffffff };

static const char *const names[CT_L_COUNT] = {
    "frames",        "kernel_packets", "kernel_drops", "kernel_freezes",     "unread_at_stop",
    "iface_packets", "iface_dropped",  "iface_missed", "loopback_copies",    "other_link",
    "gso_frames",    "gso_segments",   "gso_unsplit",  "checksum_not_ready", "vlan_tags",
    "bad_blocks",    "link_downs",     "rebinds",      "mtu_changes",        "socket_errors",
};
const char *ct_live_counter_name(uint32_t i) { return i < CT_L_COUNT ? names[i] : NULL; }

int64_t ct_live_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Devices without a link header hand over IP, and so do PPP devices: their header is put on below the tap
 * and taken off above it. */
uint32_t ct_live_link_type(uint16_t hatype) {
  switch (hatype) {
  case ARPHRD_ETHER:
  case ARPHRD_LOOPBACK: return LINK_ETHERNET;
  case ARPHRD_NONE:
  case ARPHRD_RAWIP:
  case ARPHRD_PPP:
  case ARPHRD_TUNNEL:
  case ARPHRD_TUNNEL6:
  case ARPHRD_SIT:
  case ARPHRD_IPGRE:
  case ARPHRD_IP6GRE: return LINK_RAW_IP;
  case ARPHRD_HDLC: return LINK_C_HDLC;
  default: return LINK_UNKNOWN;
  }
}

/* ---- One batch ---- */

static void flush(struct ct_live_source *s, struct ct_sink *sink) {
  struct ct_live_batch *b = s->batch;
  if (b->n == 0) return;
  ct_pipeline_batch(s->pl, sink, b->frame, b->n);
  b->n = 0;
  b->used = 0;
}

static void push(struct ct_live_source *s, struct ct_sink *sink, const struct tpacket3_hdr *h,
                 const uint8_t *frame, uint32_t caplen, uint32_t wirelen, uint32_t linktype, uint16_t vlan) {
  struct ct_live_batch *b = s->batch;
  struct ct_frame *f = &b->frame[b->n];
  f->data = frame;
  f->ts_ns = (int64_t)h->tp_sec * 1000000000 + h->tp_nsec;
  f->ordinal = s->ordinal++;
  f->caplen = caplen;
  f->wirelen = wirelen;
  f->linktype = linktype;
  f->if_index =
      (uint32_t)((const struct sockaddr_ll *)((const uint8_t *)h + TPACKET_ALIGN(sizeof *h)))->sll_ifindex;
  f->vlan = vlan;
  if (f->ts_ns > s->last_ns) s->last_ns = f->ts_ns;
  if (++b->n == CT_BATCH) flush(s, sink);
}

/* Every segment is a frame of its own in the batch's scratch memory. */
static bool push_segments(struct ct_live_source *s, struct ct_sink *sink, uint64_t *count,
                          const struct tpacket3_hdr *h, const uint8_t *frame, uint32_t len, uint32_t linktype,
                          uint32_t size) {
  struct ct_live_batch *b = s->batch;
  struct ct_gso g;
  if (!ct_gso_open(&g, frame, len, linktype, size)) return false;
  ct_live_add_to(&count[CT_L_GSO_FRAMES], 1);
  for (uint32_t need; (need = ct_gso_need(&g)) > 0;) {
    if (need > CT_GSO_SCRATCH - b->used) flush(s, sink);
    uint8_t *out = b->scratch + b->used;
    uint32_t made = ct_gso_next(&g, out, CT_GSO_SCRATCH - b->used);
    if (made == 0) return true; /* cannot be: a frame of the ring fits the scratch memory */
    b->used += made;
    ct_live_add_to(&count[CT_L_GSO_SEGMENTS], 1);
    push(s, sink, h, out, made, made, linktype, 0);
  }
  return true;
}

/* ---- One frame ---- */

/* The tag that card or stack took out of the frame goes back behind the addresses, in the room in front of
 * the frame: | destination 6 | source 6 | TPID 2 | TCI 2 | Ethertype 2 |   IEEE 802.1Q s9.3
 * `least` is the first byte that may be written. */
static uint8_t *restore_tag(const struct tpacket3_hdr *h, uint8_t *frame, uint32_t caplen,
                            const uint8_t *least) {
  if (caplen < 14 || frame - least < 4) return NULL;
  uint16_t tpid = h->tp_status & TP_STATUS_VLAN_TPID_VALID ? h->hv1.tp_vlan_tpid : ETH_P_8021Q;
  frame -= 4;
  memmove(frame, frame + 4, 12);
  frame[12] = (uint8_t)(tpid >> 8);
  frame[13] = (uint8_t)tpid;
  frame[14] = (uint8_t)(h->hv1.tp_vlan_tci >> 8);
  frame[15] = (uint8_t)h->hv1.tp_vlan_tci;
  return frame;
}

static void take(struct ct_live_source *s, struct ct_live_iface *f, struct ct_sink *sink,
                 struct tpacket3_hdr *h) {
  uint64_t *count = f->counters;
  const struct sockaddr_ll *from = (const struct sockaddr_ll *)((uint8_t *)h + TPACKET_ALIGN(sizeof *h));
  uint8_t *frame = (uint8_t *)h + h->tp_mac;
  uint32_t caplen = h->tp_snaplen, wirelen = h->tp_len;
  if (from->sll_hatype == ARPHRD_LOOPBACK && from->sll_pkttype == PACKET_OUTGOING) {
    ct_live_add_to(&count[CT_L_LOOPBACK_COPIES], 1);
    return;
  }
  uint32_t linktype = ct_live_link_type(from->sll_hatype), behind = (uint32_t)h->tp_net - h->tp_mac;
  if (linktype == LINK_UNKNOWN) {
    /* Whatever the link header is, the kernel knows where it ends and what follows. */
    if ((from->sll_protocol != htons(ETH_P_IP) && from->sll_protocol != htons(ETH_P_IPV6)) ||
        behind > caplen) {
      ct_live_add_to(&count[CT_L_OTHER_LINK], 1);
      return;
    }
    linktype = LINK_RAW_IP;
    frame += behind;
    caplen -= behind;
    wirelen -= behind;
  }
  struct virtio_net_hdr offload = {.gso_type = VIRTIO_NET_HDR_GSO_NONE};
  if (f->ring.has_vnet) memcpy(&offload, (uint8_t *)h + h->tp_mac - sizeof offload, sizeof offload);
  if (h->tp_status & TP_STATUS_CSUMNOTREADY) ct_live_add_to(&count[CT_L_CSUM_NOT_READY], 1);
  uint16_t vlan = 0;
  if (h->tp_status & TP_STATUS_VLAN_VALID) {
    uint8_t *tagged =
        linktype == LINK_ETHERNET ? restore_tag(h, frame, caplen, (const uint8_t *)(from + 1)) : NULL;
    vlan = h->hv1.tp_vlan_tci & 0x0fff;
    ct_live_add_to(&count[CT_L_VLAN_TAGS], 1);
    if (tagged != NULL) {
      frame = tagged;
      caplen += 4;
      wirelen += 4;
    }
  }
  if ((offload.gso_type & ~VIRTIO_NET_HDR_GSO_ECN) == GSO_UDP_L4) {
    if (push_segments(s, sink, count, h, frame, caplen, linktype, offload.gso_size)) return;
    ct_live_add_to(&count[CT_L_GSO_UNSPLIT], 1);
  }
  push(s, sink, h, frame, caplen, wirelen, linktype, vlan);
}

/* The kernel wrote the block; what it says is still held against the block before it is followed. */
static void take_block(struct ct_live_source *s, struct ct_live_iface *f, struct ct_sink *sink,
                       struct tpacket_block_desc *block) {
  uint8_t *base = (uint8_t *)block;
  uint32_t n = block->hdr.bh1.num_pkts, at = block->hdr.bh1.offset_to_first_pkt;
  s->pl->source_id = f->source_id;
  for (uint32_t i = 0; i < n; i++) {
    struct tpacket3_hdr *h = (struct tpacket3_hdr *)(base + at);
    if (at > CT_BLOCK_BYTES - sizeof *h || h->tp_mac < sizeof *h + sizeof(struct sockaddr_ll) ||
        h->tp_net < h->tp_mac || h->tp_mac > CT_BLOCK_BYTES - at ||
        h->tp_snaplen > CT_BLOCK_BYTES - at - h->tp_mac) {
      ct_live_add_to(&f->counters[CT_L_BAD_BLOCKS], 1);
      break;
    }
    uint32_t next = h->tp_next_offset;
    __builtin_prefetch((uint8_t *)h + next);
    __builtin_prefetch((uint8_t *)h + next + h->tp_mac);
    ct_live_add_to(&f->counters[CT_L_FRAMES], 1);
    take(s, f, sink, h);
    if (next == 0 || next > CT_BLOCK_BYTES - at) break;
    at += next;
  }
  flush(s, sink);
}

/* True when there was something in one of the rings. */
static bool take_turn(struct ct_live_source *s, struct ct_sink *sink) {
  bool any = false;
  for (uint32_t i = 0; i < s->n; i++) {
    struct ct_live_iface *f = &s->iface[i];
    for (uint32_t n = 0; n < TURN_BLOCKS; n++) {
      struct tpacket_block_desc *block = ct_packet_ring_block(&f->ring);
      if (block == NULL) break;
      any = true;
      take_block(s, f, sink, block);
      ct_packet_ring_give_back(&f->ring);
    }
  }
  return any;
}

/* ---- The thread ---- */

static void wait_for_frames(struct ct_live_source *s, int timeout_ms) {
  struct pollfd fds[CT_LIVE_MAX + 1];
  for (uint32_t i = 0; i < s->n; i++) fds[i] = (struct pollfd){.fd = s->iface[i].ring.fd, .events = POLLIN};
  fds[s->n] = (struct pollfd){.fd = s->wake, .events = POLLIN};
  if (poll(fds, s->n + 1, timeout_ms) <= 0) return;
  for (uint32_t i = 0; i < s->n; i++) {
    if (fds[i].revents & (POLLERR | POLLHUP | POLLNVAL)) ct_live_on_error(s, &s->iface[i]);
  }
}

static void finish(struct ct_live_source *s, struct ct_sink *sink) {
  int64_t until = ct_live_clock() + LINGER_NS;
  for (uint32_t i = 0; i < s->n; i++) ct_packet_ring_shut(&s->iface[i].ring);
  /* The block that is being filled is handed over when its time is up; until then, look. */
  while (ct_live_clock() < until && !ct_live_is_read(s)) {
    if (take_turn(s, sink)) continue;
    struct timespec nap = {.tv_nsec = 1000 * 1000};
    nanosleep(&nap, NULL);
  }
  ct_live_count_unread(s);
  ct_pipeline_drain_injected(s->pl, sink);
  /* Before the end is told: who hears of it says how many frames are in the file. */
  if (s->pl->output != NULL) ct_pcap_write_flush(s->pl->output);
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, 0, &data);
  if (r != NULL) {
    r->kind = CT_KIND_SOURCE_END;
    r->aux0 = CT_END_STOPPED;
    r->frame = (double)s->ordinal;
    r->ts_us = (double)(s->last_ns / 1000);
    r->source = s->pl->source_id;
    ct_sink_commit(sink, r);
  }
  ct_ring_publish(s->ring);
}

static void *run(void *arg) {
  struct ct_live_source *s = arg;
  struct ct_sink sink = {.ring = s->ring, .scratch = NULL};
  int64_t next_tick = ct_live_clock();
  while (atomic_load_explicit(&s->stop, memory_order_acquire) == 0 &&
         atomic_load_explicit(&s->ring->stop, memory_order_relaxed) == 0) {
    bool any = take_turn(s, &sink);
    ct_pipeline_drain_injected(s->pl, &sink);
    bool waiting = ct_ring_publish_soon(s->ring);
    int64_t now = ct_live_clock();
    if (now >= next_tick) {
      ct_live_tick(s);
      if (s->pl->output != NULL) ct_pcap_write_tick(s->pl->output, now);
      next_tick = now + TICK_NS;
    }
    if (!any) wait_for_frames(s, waiting ? (int)CT_RETIRE_MS : IDLE_MS);
  }
  finish(s, &sink);
  struct timespec cpu;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0) {
    s->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
  }
  return NULL;
}

/* ---- Lifetime ---- */

int ct_live_init(struct ct_live_source *s) {
  s->n = 0;
  s->running = false;
  s->is_open = true;
  s->ordinal = s->cpu_ns = 0;
  s->last_ns = 0;
  atomic_store(&s->stop, 0);
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int err = s->wake < 0 ? -errno : 0;
  s->netlink = ct_iface_open();
  s->batch = malloc(sizeof *s->batch);
  pthread_mutex_init(&s->lock, NULL);
  if (s->batch != NULL) s->batch->n = s->batch->used = 0;
  if (err == 0 && s->netlink < 0) err = s->netlink;
  return err == 0 && s->batch == NULL ? -ENOMEM : err;
}

enum ct_filter_link ct_live_common_link(struct ct_live_source *s, const char *const *names, uint32_t n) {
  enum ct_filter_link common = CT_LINK_MIXED;
  for (uint32_t i = 0; i < n; i++) {
    struct ct_iface_facts facts;
    if (strcmp(names[i], "any") == 0 || ct_iface_find(s->netlink, names[i], &facts) != 0)
      return CT_LINK_MIXED;
    uint32_t type = ct_live_link_type(facts.hatype);
    enum ct_filter_link link = type == LINK_ETHERNET ? CT_LINK_ETHER
                               : type == LINK_RAW_IP ? CT_LINK_IP
                                                     : CT_LINK_MIXED;
    if (link == CT_LINK_MIXED || (i > 0 && link != common)) return CT_LINK_MIXED;
    common = link;
  }
  return common;
}

bool ct_live_add(struct ct_live_source *s, const char *name, uint32_t source_id, uint32_t blocks,
                 uint64_t *counters, struct ct_live_error *error) {
  struct ct_live_iface *f = &s->iface[s->n];
  *error = (struct ct_live_error){.err = 0, .step = "one more interface"};
  if (s->n == CT_LIVE_MAX || s->running) {
    error->err = EMFILE;
    return false;
  }
  memset(f, 0, sizeof *f);
  f->is_any = strcmp(name, "any") == 0;
  f->counters = counters;
  f->source_id = source_id;
  struct ct_iface_facts facts = {0};
  error->step = "the interface";
  if (!f->is_any) error->err = -ct_iface_find(s->netlink, name, &facts);
  if (error->err != 0) return false;
  strncpy(f->name, name, sizeof f->name - 1);
  error->err = -ct_packet_ring_open(&f->ring, s->filter, blocks == 0 ? CT_BLOCK_COUNT : blocks, &error->step);
  if (error->err != 0) return false;
  f->seen = calloc(f->is_any ? CT_LIVE_IFACES : 1, sizeof *f->seen);
  if (f->seen == NULL) error->err = ENOMEM;
  error->step = "binding to the interface";
  if (error->err == 0) error->err = -ct_packet_ring_bind(&f->ring, f->is_any ? 0 : facts.ifindex);
  if (error->err != 0) {
    ct_packet_ring_close(&f->ring);
    free(f->seen);
    return false;
  }
  f->is_bound = true;
  s->n++;
  ct_live_watch_first(s, f, &facts);
  return true;
}

int ct_live_start(struct ct_live_source *s) {
  s->ring->live = true;
  s->pl->cut_on_purpose = s->filter->mode == CT_FILTER_EBPF;
  if (s->n > 1 || s->iface[0].is_any) ct_pipeline_expect_copies(s->pl);
  int err = pthread_create(&s->thread, NULL, run, s);
  s->running = err == 0;
  if (s->running) pthread_setname_np(s->thread, "calltap-live");
  return -err;
}

void ct_live_ask_stop(struct ct_live_source *s) {
  uint64_t one = 1;
  atomic_store_explicit(&s->stop, 1, memory_order_release);
  if (s->wake >= 0 && write(s->wake, &one, sizeof one) < 0) return; /* full: it is awake already */
}

void ct_live_stop(struct ct_live_source *s) {
  if (!s->running) return;
  ct_live_ask_stop(s);
  pthread_join(s->thread, NULL);
  s->running = false;
}

void ct_live_close(struct ct_live_source *s) {
  if (!s->is_open) return;
  s->is_open = false;
  ct_live_stop(s);
  for (uint32_t i = 0; i < s->n; i++) {
    ct_packet_ring_close(&s->iface[i].ring);
    free(s->iface[i].seen);
  }
  s->n = 0;
  if (s->wake >= 0) close(s->wake);
  if (s->netlink >= 0) close(s->netlink);
  pthread_mutex_destroy(&s->lock);
  free(s->batch);
  s->batch = NULL;
}
