/* SPDX-License-Identifier: Apache-2.0
 * live_frames.c - see live_frames.h.
 */
#define _GNU_SOURCE
#include "live/live_frames.h"
#include <arpa/inet.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/virtio_net.h>
#include <string.h>

#define GSO_UDP_L4 5 /* VIRTIO_NET_HDR_GSO_UDP_L4, which older headers do not have */

/* Devices without a link header hand over IP, and so do PPP devices: their header is put on below the tap
 * and taken off above it. */
uint32_t ct_live_link_type(uint16_t hatype) {
  switch (hatype) {
  case ARPHRD_ETHER:
  case ARPHRD_LOOPBACK: return CT_LIVE_ETHERNET;
  case ARPHRD_NONE:
  case ARPHRD_RAWIP:
  case ARPHRD_PPP:
  case ARPHRD_TUNNEL:
  case ARPHRD_TUNNEL6:
  case ARPHRD_SIT:
  case ARPHRD_IPGRE:
  case ARPHRD_IP6GRE: return CT_LIVE_RAW_IP;
  case ARPHRD_HDLC: return CT_LIVE_C_HDLC;
  default: return CT_LIVE_UNKNOWN;
  }
}

/* ---- One batch ---- */

void ct_live_frames_init(struct ct_live_frames *b, struct ct_pipeline *pl) {
  b->pl = pl;
  b->ordinal = 0;
  b->last_ns = 0;
  b->n = b->used = 0;
}

static void flush(struct ct_live_frames *b, struct ct_sink *sink) {
  if (b->n == 0) return;
  ct_pipeline_batch(b->pl, sink, b->frame, b->n);
  b->n = 0;
  b->used = 0;
}

/* When the frame was captured. All of a batch lie behind the same steps of the clock. */
static int64_t time_of(struct ct_live_frames *b, struct ct_live_iface *f, struct ct_sink *sink,
                       const struct tpacket3_hdr *h) {
  int64_t ns = ct_host_steady_ns(&f->stamps, (int64_t)h->tp_sec * 1000000000 + h->tp_nsec);
  if (f->stamps.shift_ns != b->pl->shift_ns) {
    flush(b, sink);
    b->pl->shift_ns = f->stamps.shift_ns;
  }
  return ns;
}

static void push(struct ct_live_frames *b, struct ct_sink *sink, const struct tpacket3_hdr *h, int64_t ts_ns,
                 const uint8_t *frame, uint32_t caplen, uint32_t wirelen, uint32_t linktype, uint16_t vlan) {
  struct ct_frame *f = &b->frame[b->n];
  f->data = frame;
  f->ts_ns = ts_ns;
  f->ordinal = b->ordinal++;
  f->caplen = caplen;
  f->wirelen = wirelen;
  f->linktype = linktype;
  f->if_index =
      (uint32_t)((const struct sockaddr_ll *)((const uint8_t *)h + TPACKET_ALIGN(sizeof *h)))->sll_ifindex;
  f->vlan = vlan;
  if (f->ts_ns > b->last_ns) b->last_ns = f->ts_ns;
  if (++b->n == CT_BATCH) flush(b, sink);
}

/* Every segment is a frame of its own in the batch's scratch memory. */
static bool push_segments(struct ct_live_frames *b, struct ct_sink *sink, uint64_t *count,
                          const struct tpacket3_hdr *h, int64_t ts_ns, const uint8_t *frame, uint32_t len,
                          uint32_t linktype, uint32_t size) {
  struct ct_gso g;
  if (!ct_gso_open(&g, frame, len, linktype, size)) return false;
  ct_live_add_to(&count[CT_L_GSO_FRAMES], 1);
  for (uint32_t need; (need = ct_gso_need(&g)) > 0;) {
    if (need > CT_GSO_SCRATCH - b->used) flush(b, sink);
    uint8_t *out = b->scratch + b->used;
    uint32_t made = ct_gso_next(&g, out, CT_GSO_SCRATCH - b->used);
    if (made == 0) return true; /* cannot be: a frame of the ring fits the scratch memory */
    b->used += made;
    ct_live_add_to(&count[CT_L_GSO_SEGMENTS], 1);
    push(b, sink, h, ts_ns, out, made, made, linktype, 0);
  }
  return true;
}

/* ---- One frame ---- */

/* The tag that card or stack took out of the frame goes back after the addresses, in the room in front of
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

static void take(struct ct_live_frames *b, struct ct_live_iface *f, struct ct_sink *sink,
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
  if (linktype == CT_LIVE_UNKNOWN) {
    /* Whatever the link header is, the kernel knows where it ends and what follows. */
    if ((from->sll_protocol != htons(ETH_P_IP) && from->sll_protocol != htons(ETH_P_IPV6)) ||
        behind > caplen) {
      ct_live_add_to(&count[CT_L_OTHER_LINK], 1);
      return;
    }
    linktype = CT_LIVE_RAW_IP;
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
        linktype == CT_LIVE_ETHERNET ? restore_tag(h, frame, caplen, (const uint8_t *)(from + 1)) : NULL;
    vlan = h->hv1.tp_vlan_tci & 0x0fff;
    ct_live_add_to(&count[CT_L_VLAN_TAGS], 1);
    if (tagged != NULL) {
      frame = tagged;
      caplen += 4;
      wirelen += 4;
    }
  }
  int64_t ts_ns = time_of(b, f, sink, h);
  if ((offload.gso_type & ~VIRTIO_NET_HDR_GSO_ECN) == GSO_UDP_L4) {
    if (push_segments(b, sink, count, h, ts_ns, frame, caplen, linktype, offload.gso_size)) return;
    ct_live_add_to(&count[CT_L_GSO_UNSPLIT], 1);
  }
  push(b, sink, h, ts_ns, frame, caplen, wirelen, linktype, vlan);
}

/* The kernel wrote the block; what it says is still held against the block before it is followed. */
void ct_live_take_block(struct ct_live_frames *b, struct ct_live_iface *f, struct ct_sink *sink,
                        struct tpacket_block_desc *block) {
  uint8_t *base = (uint8_t *)block;
  uint32_t n = block->hdr.bh1.num_pkts, at = block->hdr.bh1.offset_to_first_pkt;
  b->pl->source_id = f->source_id;
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
    take(b, f, sink, h);
    if (next == 0 || next > CT_BLOCK_BYTES - at) break;
    at += next;
  }
  flush(b, sink);
}
