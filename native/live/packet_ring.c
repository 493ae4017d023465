/* SPDX-License-Identifier: Apache-2.0
 * packet_ring.c - see packet_ring.h. packet(7); the kernel's packet_mmap documentation.
 */
#define _GNU_SOURCE
#include "live/packet_ring.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define LEAST_BLOCKS 4u

static int set(int fd, int option, int value) {
  return setsockopt(fd, SOL_PACKET, option, &value, sizeof value) == 0 ? 0 : -errno;
}

/* Memory for the ring is taken in pieces of a block, so a fragmented or small machine may have fewer. */
static int make_ring(struct ct_packet_ring *r, uint32_t blocks) {
  for (;; blocks /= 2) {
    struct tpacket_req3 req = {.tp_block_size = CT_BLOCK_BYTES,
                               .tp_block_nr = blocks,
                               .tp_frame_size = 2048, /* only its product with tp_frame_nr matters in V3 */
                               .tp_frame_nr = CT_BLOCK_BYTES / 2048 * blocks,
                               .tp_retire_blk_tov = CT_RETIRE_MS};
    if (setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof req) == 0) {
      r->blocks = blocks;
      return 0;
    }
    if ((errno != ENOMEM && errno != ENOBUFS) || blocks / 2 < LEAST_BLOCKS) return -errno;
  }
}

static int open_steps(struct ct_packet_ring *r, struct ct_packet_filter *f, uint32_t blocks,
                      const char **step) {
  *step = "a packet socket";
  /* Protocol 0: nothing arrives before filter and ring are in place. */
  r->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (r->fd < 0) return -errno;
  *step = "PACKET_VERSION";
  int err = set(r->fd, PACKET_VERSION, TPACKET_V3);
  if (err != 0) return err;
  /* Without it segmentation offload cannot be undone; such a kernel is older than any with TPACKET_V3. */
  r->has_vnet = set(r->fd, PACKET_VNET_HDR, 1) == 0;
  ct_filter_attach(f, r->fd);
  *step = "the capture ring";
  err = make_ring(r, blocks < LEAST_BLOCKS ? LEAST_BLOCKS : blocks);
  if (err != 0) return err;
  *step = "mapping the capture ring";
  r->map_bytes = (size_t)CT_BLOCK_BYTES * r->blocks;
  r->map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
  if (r->map == MAP_FAILED) {
    r->map = NULL;
    return -errno;
  }
  return 0;
}

int ct_packet_ring_open(struct ct_packet_ring *r, struct ct_packet_filter *f, uint32_t blocks,
                        const char **step) {
  memset(r, 0, sizeof *r);
  r->fd = -1;
  r->ifindex = -1;
  int err = open_steps(r, f, blocks, step);
  if (err != 0) ct_packet_ring_close(r);
  return err;
}

int ct_packet_ring_bind(struct ct_packet_ring *r, int ifindex) {
  struct sockaddr_ll a = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = ifindex};
  if (bind(r->fd, (const struct sockaddr *)&a, sizeof a) != 0) return -errno;
  r->ifindex = ifindex;
  return 0;
}

bool ct_packet_ring_is_bound(const struct ct_packet_ring *r, int ifindex) {
  struct sockaddr_ll a = {.sll_ifindex = -1};
  socklen_t size = sizeof a;
  return getsockname(r->fd, (struct sockaddr *)&a, &size) == 0 && a.sll_ifindex == ifindex;
}

int ct_packet_ring_promiscuous(const struct ct_packet_ring *r, int ifindex) {
  struct packet_mreq m = {.mr_ifindex = ifindex, .mr_type = PACKET_MR_PROMISC};
  return setsockopt(r->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &m, sizeof m) == 0 ? 0 : -errno;
}

void ct_packet_ring_close(struct ct_packet_ring *r) {
  if (r->map != NULL) munmap(r->map, r->map_bytes);
  if (r->fd >= 0) close(r->fd);
  r->map = NULL;
  r->fd = -1;
}

static struct tpacket_block_desc *block(const struct ct_packet_ring *r) {
  return (struct tpacket_block_desc *)(r->map + (size_t)r->at * CT_BLOCK_BYTES);
}

struct tpacket_block_desc *ct_packet_ring_block(struct ct_packet_ring *r) {
  struct tpacket_block_desc *b = block(r);
  uint32_t status = __atomic_load_n(&b->hdr.bh1.block_status, __ATOMIC_ACQUIRE);
  return status & TP_STATUS_USER ? b : NULL;
}

void ct_packet_ring_give_back(struct ct_packet_ring *r) {
  __atomic_store_n(&block(r)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
  if (++r->at == r->blocks) r->at = 0;
}

void ct_packet_ring_shut(struct ct_packet_ring *r) {
  struct sock_filter none = {.code = BPF_RET | BPF_K, .k = 0};
  struct sock_fprog program = {.len = 1, .filter = &none};
  setsockopt(r->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

bool ct_packet_ring_stats(const struct ct_packet_ring *r, struct ct_ring_stats *out) {
  struct tpacket_stats_v3 s;
  socklen_t size = sizeof s;
  if (getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &s, &size) != 0) return false;
  *out = (struct ct_ring_stats){.packets = s.tp_packets, .drops = s.tp_drops, .freezes = s.tp_freeze_q_cnt};
  return true;
}

int ct_packet_ring_error(const struct ct_packet_ring *r) {
  int err = 0;
  socklen_t size = sizeof err;
  return getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &err, &size) == 0 ? err : errno;
}
