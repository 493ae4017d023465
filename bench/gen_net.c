/* SPDX-License-Identifier: Apache-2.0
 * gen_net.c - Ethernet frames with real checksums into a classic pcap file (us), 64-bit sizes.
 */
#define _GNU_SOURCE
#include "gen_net.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT_BYTES (4u * 1024u * 1024u)
#define OUT_RESERVE (80u * 1024u) /* no single datagram needs more, headers of its fragments included */
#define MTU 1500u

struct wire {
  int fd, err;
  size_t n;
  uint16_t ip_id;
  struct truth *truth;
  uint8_t datagram[65536];
  uint8_t out[OUT_BYTES];
};

static void flush(struct wire *w) {
  size_t at = 0;
  while (at < w->n && w->err == 0) {
    ssize_t k = write(w->fd, w->out + at, w->n - at);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0)
      w->err = errno;
    else
      at += (size_t)k;
  }
  w->n = 0;
}

static void put_le32(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8), p[2] = (uint8_t)(v >> 16), p[3] = (uint8_t)(v >> 24);
}
static void put_be16(uint8_t *p, uint32_t v) { p[0] = (uint8_t)(v >> 8), p[1] = (uint8_t)v; }
static void put_be32(uint8_t *p, uint32_t v) { put_be16(p, v >> 16), put_be16(p + 2, v & 0xffff); }

struct wire *wire_open(const char *path, struct truth *truth) {
  struct wire *w = calloc(1, sizeof(*w));
  if (w == NULL) return NULL;
  w->truth = truth;
  w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (w->fd < 0) {
    free(w);
    return NULL;
  }
  put_le32(w->out, 0xa1b2c3d4); /* microseconds */
  w->out[4] = 2, w->out[6] = 4; /* version 2.4 */
  put_le32(w->out + 16, 262144);
  put_le32(w->out + 20, 1); /* Ethernet */
  w->n = 24;
  return w;
}

int wire_close(struct wire *w) {
  flush(w);
  int err = w->err;
  if (close(w->fd) != 0 && err == 0) err = errno;
  free(w);
  return err;
}

/* Internet checksum (RFC 1071) in memory order: the sum is the same whichever byte comes first. */
static uint64_t sum_bytes(uint64_t sum, const uint8_t *p, size_t n) {
  for (; n >= 4; p += 4, n -= 4) {
    uint32_t v;
    memcpy(&v, p, 4);
    sum += v;
  }
  uint32_t rest = 0;
  memcpy(&rest, p, n);
  return sum + rest;
}
static void put_checksum(uint8_t *p, uint64_t sum, bool udp) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  uint16_t v = (uint16_t)~sum;
  if (udp && v == 0) v = 0xffff; /* zero would mean "none" */
  memcpy(p, &v, 2);
}
static uint64_t pseudo_header(bool v6, const struct endpoint *from, const struct endpoint *to, uint8_t proto,
                              size_t len) {
  uint8_t tail[4] = {0, proto, (uint8_t)(len >> 8), (uint8_t)len};
  size_t n = v6 ? 16 : 4;
  return sum_bytes(sum_bytes(sum_bytes(0, from->ip, n), to->ip, n), tail, 4);
}

/* Record header and Ethernet header; returns where the IP header goes. */
static uint8_t *begin_frame(struct wire *w, uint64_t t_us, const struct link_style *l, size_t ip_len) {
  size_t tags = (l->vlan != 0) + (l->outer_vlan != 0), len = 14 + 4 * tags + ip_len;
  uint8_t *p = w->out + w->n;
  put_le32(p, (uint32_t)(t_us / 1000000));
  put_le32(p + 4, (uint32_t)(t_us % 1000000));
  put_le32(p + 8, (uint32_t)len);
  put_le32(p + 12, (uint32_t)len);
  p += 16;
  static const uint8_t macs[12] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
  memcpy(p, macs, 12);
  p += 12;
  if (l->outer_vlan != 0) put_be16(p, 0x88a8), put_be16(p + 2, l->outer_vlan), p += 4;
  if (l->vlan != 0) put_be16(p, 0x8100), put_be16(p + 2, l->vlan), p += 4;
  put_be16(p, l->v6 ? 0x86dd : 0x0800);
  w->n += 16 + len;
  struct truth *t = w->truth;
  if (t->packets++ == 0) t->first_us = t_us;
  t->last_us = t_us;
  t->bytes += len;
  return p + 2;
}

static uint8_t *put_ipv4(uint8_t *p, const struct endpoint *from, const struct endpoint *to, uint8_t proto,
                         size_t len, uint16_t id, uint32_t frag) {
  memset(p, 0, 20);
  p[0] = 0x45;
  p[1] = proto == 17 ? 0xb8 : 0x60; /* EF for what may be voice, CS3 for TCP signalling */
  put_be16(p + 2, (uint32_t)len + 20);
  put_be16(p + 4, id);
  put_be16(p + 6, frag);
  p[8] = 64;
  p[9] = proto;
  memcpy(p + 12, from->ip, 4);
  memcpy(p + 16, to->ip, 4);
  put_checksum(p + 10, sum_bytes(0, p, 20), false);
  return p + 20;
}
static uint8_t *put_ipv6(uint8_t *p, const struct endpoint *from, const struct endpoint *to, uint8_t next,
                         size_t len) {
  put_be32(p, 0x6b800000); /* version 6, EF */
  put_be16(p + 4, (uint32_t)len);
  p[6] = next;
  p[7] = 64;
  memcpy(p + 8, from->ip, 16);
  memcpy(p + 24, to->ip, 16);
  return p + 40;
}

static void send_fragment(struct wire *w, uint64_t t_us, const struct link_style *l,
                          const struct endpoint *from, const struct endpoint *to, uint8_t proto, size_t len,
                          size_t off, size_t part) {
  bool more = off + part < len;
  uint8_t *p;
  if (l->v6) {
    p = put_ipv6(begin_frame(w, t_us, l, 48 + part), from, to, 44, part + 8);
    put_be32(p, (uint32_t)proto << 24 | (uint32_t)off | more); /* fragment header, RFC 8200 s4.5 */
    put_be32(p + 4, w->ip_id);
    p += 8;
  } else {
    p = put_ipv4(begin_frame(w, t_us, l, 20 + part), from, to, proto, part, w->ip_id,
                 (uint32_t)(off / 8) | (more ? 0x2000 : 0));
  }
  memcpy(p, w->datagram + off, part);
  w->truth->fragments++;
}

/* Sends w->datagram[0..len), in fragments when it does not fit the MTU. */
static void send_ip(struct wire *w, uint64_t t_us, const struct link_style *l, const struct endpoint *from,
                    const struct endpoint *to, uint8_t proto, size_t len) {
  if (w->n + OUT_RESERVE > OUT_BYTES) flush(w);
  w->ip_id++;
  size_t header = l->v6 ? 40 : 20;
  if (header + len <= MTU) {
    uint8_t *p = begin_frame(w, t_us, l, header + len);
    p = l->v6 ? put_ipv6(p, from, to, proto, len) : put_ipv4(p, from, to, proto, len, w->ip_id, 0x4000);
    memcpy(p, w->datagram, len);
    return;
  }
  size_t most = (MTU - header - (l->v6 ? 8 : 0)) & ~7u, n = (len + most - 1) / most;
  for (size_t k = 0; k < n; k++) {
    size_t i = l->fragments_reversed ? n - 1 - k : k, off = i * most;
    send_fragment(w, t_us, l, from, to, proto, len, off, len - off < most ? len - off : most);
  }
}

void wire_udp(struct wire *w, uint64_t t_us, const struct link_style *l, const struct endpoint *from,
              const struct endpoint *to, const void *head, size_t head_len, const void *body,
              size_t body_len) {
  size_t len = 8 + head_len + body_len;
  uint8_t *d = w->datagram;
  put_be16(d, from->port);
  put_be16(d + 2, to->port);
  put_be16(d + 4, (uint32_t)len);
  put_be16(d + 6, 0);
  memcpy(d + 8, head, head_len);
  if (body_len > 0) memcpy(d + 8 + head_len, body, body_len);
  put_checksum(d + 6, sum_bytes(pseudo_header(l->v6, from, to, 17, len), d, len), true);
  send_ip(w, t_us, l, from, to, 17, len);
}

void wire_tcp(struct wire *w, uint64_t t_us, const struct link_style *l, const struct endpoint e[2],
              struct tcp_flow *f, int side, int flags, const void *data, size_t len) {
  uint8_t *d = w->datagram;
  put_be16(d, e[side].port);
  put_be16(d + 2, e[!side].port);
  put_be32(d + 4, f->seq[side]);
  put_be32(d + 8, (flags & TCP_ACK) != 0 ? f->seq[!side] : 0);
  d[12] = 5 << 4;
  d[13] = (uint8_t)flags;
  put_be16(d + 14, 64240);
  put_be32(d + 16, 0);
  if (len > 0) memcpy(d + 20, data, len);
  put_checksum(d + 16, sum_bytes(pseudo_header(l->v6, &e[side], &e[!side], 6, 20 + len), d, 20 + len), false);
  f->seq[side] += (uint32_t)len + ((flags & (TCP_SYN | TCP_FIN)) != 0);
  w->truth->tcp_packets++;
  send_ip(w, t_us, l, &e[side], &e[!side], 6, 20 + len);
}
