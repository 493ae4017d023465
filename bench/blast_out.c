/* SPDX-License-Identifier: Apache-2.0
 * blast_out.c - sends in batches with sendmmsg(2), and counts what the kernel took, never what was tried.
 *
 * Datagrams of one length that follow each other leave in one send, and the kernel cuts them apart again (UDP_SEGMENT,
 * udp(7)): the sender stands for other hosts, and shall not take the processor from the one that receives. That one gets
 * each as a datagram of its own.
 */
#define _GNU_SOURCE
#include "blast.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64u
#define MOST_BYTES 60000u /* of the datagrams in one send */

struct out {
  int fd;
  uint32_t n;
  uint16_t ip_id;
  uint64_t taken, sends;
  struct mmsghdr msg[BATCH];
  struct iovec iov[BATCH];
  uint64_t *count[BATCH];
  bool joins; /* several datagrams in one send */
  uint32_t parts[BATCH];
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(uint16_t))];
  } control[BATCH];
  uint8_t data[BATCH][OUT_ROOM];
};

static struct out *open_on(int fd) {
  struct out *o = fd < 0 ? NULL : calloc(1, sizeof *o);
  if (o == NULL) return NULL;
  o->fd = fd;
  for (uint32_t i = 0; i < BATCH; i++) o->iov[i].iov_base = o->data[i];
  return o;
}

struct out *out_open_iface(const char *name) {
  int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1, size = 8 << 20;
  struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name)};
  if (fd < 0 || to.sll_ifindex == 0 || bind(fd, (struct sockaddr *)&to, sizeof to) != 0) return NULL;
  setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
  return open_on(fd);
}

struct out *out_open_udp(const char *text) {
  char host[64];
  const char *colon = strrchr(text, ':');
  if (colon == NULL || (size_t)(colon - text) >= sizeof host) return errno = EINVAL, NULL;
  memcpy(host, text, (size_t)(colon - text));
  host[colon - text] = 0;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1))};
  if (inet_pton(AF_INET, host, &to.sin_addr) != 1) return errno = EINVAL, NULL;
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = 8 << 20;
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) return NULL;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
  struct out *o = open_on(fd);
  if (o != NULL) o->joins = true;
  return o;
}

/* The datagrams from `at` on that can leave together: of one length, but that the last may be shorter. */
static uint32_t joined(const struct out *o, uint32_t at) {
  size_t each = o->iov[at].iov_len, all = each;
  uint32_t i = at + 1;
  if (!o->joins) return 1;
  for (; i < o->n && o->iov[i].iov_len <= each && all + each <= MOST_BYTES; i++) {
    all += o->iov[i].iov_len;
    if (o->iov[i].iov_len < each) return i + 1 - at;
  }
  return i - at;
}

/* Fills o->msg with what is to be sent; how many sends that is. */
static uint32_t join(struct out *o) {
  uint32_t n = 0;
  for (uint32_t at = 0; at < o->n; n++) {
    struct msghdr *h = &o->msg[n].msg_hdr;
    uint32_t parts = joined(o, at);
    *h = (struct msghdr){.msg_iov = &o->iov[at], .msg_iovlen = parts};
    if (parts > 1) {
      uint16_t each = (uint16_t)o->iov[at].iov_len;
      h->msg_control = &o->control[n];
      h->msg_controllen = sizeof o->control[n].bytes;
      struct cmsghdr *c = CMSG_FIRSTHDR(h);
      *c = (struct cmsghdr){CMSG_LEN(sizeof each), SOL_UDP, UDP_SEGMENT};
      memcpy(CMSG_DATA(c), &each, sizeof each);
    }
    o->parts[n] = parts;
    at += parts;
  }
  return n;
}

void out_flush(struct out *o) {
  uint32_t n = join(o);
  for (uint32_t at = 0, done = 0; at < n;) {
    int k = sendmmsg(o->fd, o->msg + at, n - at, 0);
    if (k <= 0) {
      /* Full, or nobody listens yet: another go, soon. What stands for good is a fault of the set-up. */
      if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED) {
        perror("blast: send");
        exit(1);
      }
      struct timespec nap = {0, 50000};
      nanosleep(&nap, NULL);
      continue;
    }
    for (uint32_t end = at + (uint32_t)k; at < end; at++) {
      o->taken += o->parts[at];
      o->sends++;
      for (uint32_t i = 0; i < o->parts[at]; i++) ++*o->count[done++];
    }
  }
  o->n = 0;
}

uint8_t *out_room(struct out *o) {
  if (o->n == BATCH) out_flush(o);
  return o->data[o->n];
}

void out_commit(struct out *o, size_t len, uint64_t *count) {
  o->iov[o->n].iov_len = len;
  o->count[o->n++] = count;
  if (o->n == BATCH) out_flush(o);
}

uint64_t out_taken(const struct out *o) { return o == NULL ? 0 : o->taken; }
uint64_t out_sends(const struct out *o) { return o == NULL ? 0 : o->sends; }

static void be16(uint8_t *p, uint32_t v) { p[0] = (uint8_t)(v >> 8), p[1] = (uint8_t)v; }

static uint8_t *headers(struct out *o, const struct endpoint *from, const struct endpoint *to, uint8_t proto,
                        size_t len) {
  uint8_t *d = out_room(o);
  memcpy(d, "\x02\0\0\0\0\x0b\x02\0\0\0\0\x0a\x08\0", 14);
  uint8_t *ip = d + 14;
  memcpy(ip, "\x45\0\0\0\0\0\0\0\x40\0\0\0", 12);
  be16(ip + 2, (uint32_t)len + 20);
  be16(ip + 4, ++o->ip_id);
  ip[9] = proto;
  memcpy(ip + 12, from->ip, 4);
  memcpy(ip + 16, to->ip, 4);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 20; i += 2) sum += (uint32_t)ip[i] << 8 | ip[i + 1];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  be16(ip + 10, ~sum & 0xffff);
  be16(ip + 20, from->port);
  be16(ip + 22, to->port);
  return ip + 24;
}

void out_udp(struct out *o, const struct endpoint *from, const struct endpoint *to, const void *payload,
             size_t len, uint64_t *count) {
  uint8_t *p = headers(o, from, to, 17, len + 8);
  be16(p, (uint32_t)len + 8);
  be16(p + 2, 0); /* no checksum: allowed with IPv4 (RFC 768) */
  memcpy(p + 4, payload, len);
  out_commit(o, 14 + 20 + 8 + len, count);
}

void out_tcp(struct out *o, const struct endpoint *from, const struct endpoint *to, const void *payload,
             size_t len, uint64_t *count) {
  uint8_t *p = headers(o, from, to, 6, len + 20);
  memset(p, 0, 16);
  p[8] = 0x50;
  p[9] = 0x10;
  memcpy(p + 16, payload, len);
  out_commit(o, 14 + 20 + 20 + len, count);
}
