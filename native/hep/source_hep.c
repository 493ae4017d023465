/* SPDX-License-Identifier: Apache-2.0
 * source_hep.c - see source_hep.h. Batches of CT_HEP_BATCH; a nap after a small one lets the next
 * grow, which is what makes a message cheap.
 */
#define _GNU_SOURCE
#include "hep/source_hep.h"
#include "core/clock.h"
#include "core/datagram.h"
#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_BYTES 65536u /* no datagram is longer than 65,527 bytes */
#define PUBLISH_NS 10000000ll
#define WATCH_NS 100000000ll /* how often the kernel's drops are looked at */
#define IDLE_MS 1000
#define RETRY_MS 2
#define REST_BATCHES 2048u /* read at the end: more than the receive buffer holds, some tenths of a second */
#define CONTROL_BYTES                                                                                        \
  (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t)) +                                      \
   CMSG_SPACE(sizeof(struct in6_pktinfo)))

struct ct_hep_batch {
  struct mmsghdr msg[CT_HEP_BATCH];
  struct iovec iov[CT_HEP_BATCH];
  struct sockaddr_in6 from[CT_HEP_BATCH]; /* holds an IPv4 one too */
  union {
    struct cmsghdr align;
    uint8_t bytes[CONTROL_BYTES];
  } control[CT_HEP_BATCH];
  uint8_t frame[CT_DATAGRAM_FRAME_ROOM];    /* one at a time */
  uint8_t data[CT_HEP_BATCH][BUFFER_BYTES]; /* touched only as far as datagrams reach */
};

static const char *const OWN_NAMES[CT_HEP_COUNTERS - CT_HEP_VERDICTS] = {
    "datagrams", "bytes", "kernel_dropped", "receive_errors", "batches", "held"};

const char *ct_hep_counter_name(uint32_t i) {
  if (i < CT_HEP_VERDICTS) return ct_hep_verdict_name(i);
  return i < CT_HEP_COUNTERS ? OWN_NAMES[i - CT_HEP_VERDICTS] : NULL;
}

/* Written by the thread, read by anyone. */
static void count(struct ct_hep_source *s, enum ct_hep_counter counter, uint64_t n) {
  __atomic_store_n(&s->counters[counter], s->counters[counter] + n, __ATOMIC_RELAXED);
}

/* ---- opening ---- */

/* Beyond rmem_max where the process may, up to it otherwise. */
static void raise_rcvbuf(struct ct_hep_source *s) {
  int want = (int)(s->rcvbuf == 0 ? CT_HEP_RCVBUF : s->rcvbuf), got = 0;
  socklen_t len = sizeof(got);
  if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &want, sizeof(want)) != 0)
    setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &want, sizeof(want));
  if (getsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &got, &len) == 0 && got > 0) s->rcvbuf_got = (uint32_t)got;
}

static int set_options(struct ct_hep_source *s) {
  int on = 1, off = 0;
  raise_rcvbuf(s);
  if (setsockopt(s->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) != 0) return -errno;
  if (setsockopt(s->fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on)) != 0) return -errno;
  if (s->version == 6) {
    /* [::] takes IPv4 senders too; any other address is one of IPv6 alone. */
    if (setsockopt(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) != 0) return -errno;
    if (s->is_any && setsockopt(s->fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on)) != 0) return -errno;
  } else if (s->is_any && setsockopt(s->fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on)) != 0) {
    return -errno;
  }
  return 0;
}

static bool is_zero(const uint8_t *b, size_t n) {
  uint8_t any = 0;
  for (size_t i = 0; i < n; i++) any |= b[i];
  return any == 0;
}

/* Address bytes and port of a socket address: 4 or 6. */
static uint8_t read_sockaddr(const void *sa, uint8_t addr[16], uint16_t *port) {
  const struct sockaddr_in6 *six = sa;
  memset(addr, 0, 16);
  if (six->sin6_family == AF_INET) {
    const struct sockaddr_in *four = sa;
    memcpy(addr, &four->sin_addr, 4);
    *port = ntohs(four->sin_port);
    return 4;
  }
  *port = ntohs(six->sin6_port);
  if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
    memcpy(addr, six->sin6_addr.s6_addr + 12, 4);
    return 4;
  }
  memcpy(addr, &six->sin6_addr, 16);
  return 6;
}

static int bind_address(struct ct_hep_source *s, const struct addrinfo *ai) {
  struct sockaddr_in6 bound = {0};
  socklen_t len = sizeof(bound);
  uint16_t port;
  s->version = ai->ai_family == AF_INET6 ? 6 : 4;
  if (ai->ai_family == AF_INET6)
    s->is_any = is_zero(((const struct sockaddr_in6 *)(const void *)ai->ai_addr)->sin6_addr.s6_addr, 16);
  else
    s->is_any = ((const struct sockaddr_in *)(const void *)ai->ai_addr)->sin_addr.s_addr == 0;
  s->fd = socket(ai->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s->fd < 0) return -errno;
  int rc = set_options(s);
  if (rc == 0 && bind(s->fd, ai->ai_addr, ai->ai_addrlen) != 0) rc = -errno;
  if (rc == 0 && getsockname(s->fd, (struct sockaddr *)&bound, &len) != 0) rc = -errno;
  if (rc != 0) {
    close(s->fd);
    return rc;
  }
  read_sockaddr(&bound, s->bound, &port);
  s->port = port;
  return 0;
}

int ct_hep_open(struct ct_hep_source *s, const char *address, uint16_t port) {
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV},
                  *ai = NULL;
  char service[8];
  snprintf(service, sizeof(service), "%u", port);
  s->is_open = s->running = false;
  s->seen_drops = 0;
  atomic_store(&s->stop, 0);
  if (getaddrinfo(address, service, &hints, &ai) != 0 || ai == NULL) return -EINVAL;
  int rc = bind_address(s, ai);
  freeaddrinfo(ai);
  if (rc != 0) return rc;
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  /* calloc of this size is untouched memory: only the pages that datagrams reach become resident. */
  s->batch = s->wake < 0 ? NULL : calloc(1, sizeof(*s->batch));
  if (s->batch == NULL) {
    rc = s->wake < 0 ? -errno : -ENOMEM;
    if (s->wake >= 0) close(s->wake);
    close(s->fd);
    return rc;
  }
  s->is_open = true;
  return 0;
}

/* ---- the ring ---- */

static uint32_t free_slabs(const struct ct_ring *r) {
  uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  return r->n - (head - atomic_load_explicit(&r->tail, memory_order_acquire));
}

/* True when a batch of common size may not fit: the last free slab is mostly full, or there is none. */
static bool is_tight(const struct ct_ring *r) {
  uint32_t spare = free_slabs(r);
  if (spare != 1) return spare == 0;
  const struct ct_slab *open = &r->slab[atomic_load_explicit(&r->head, memory_order_relaxed) % r->n];
  return open->count > CT_SLAB_RECORDS / 4 * 3 || open->used > CT_SLAB_BYTES / 4 * 3;
}

/* ---- receiving ---- */

static void note_drops(struct ct_hep_source *s, uint32_t total) {
  uint32_t more = total - s->seen_drops; /* the kernel's count wraps at 32 bits */
  if ((int32_t)more <= 0) return;
  count(s, CT_HEP_N_KERNEL_DROPPED, more);
  s->seen_drops = total;
}

/* Drops by now, which the next datagram would tell only when it comes; bytes in the receive buffer. */
static uint32_t watch_socket(struct ct_hep_source *s) {
  uint32_t mem[SK_MEMINFO_VARS] = {0};
  socklen_t len = sizeof(mem);
  if (getsockopt(s->fd, SOL_SOCKET, SO_MEMINFO, mem, &len) != 0) return UINT32_MAX;
  if (len > SK_MEMINFO_DROPS * sizeof(mem[0])) note_drops(s, mem[SK_MEMINFO_DROPS]);
  return mem[SK_MEMINFO_RMEM_ALLOC];
}

struct arrival {
  int64_t ts_ns;    /* steady */
  int64_t stamp_ns; /* as the clock showed it; 0 not stamped */
  uint8_t dst[16];
  uint8_t src[16];
  uint16_t src_port;
  uint8_t version;
};

static void read_control(struct ct_hep_source *s, struct msghdr *h, struct arrival *a) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      memcpy(&t, CMSG_DATA(c), sizeof(t));
      a->stamp_ns = (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
    } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
      uint32_t total;
      memcpy(&total, CMSG_DATA(c), sizeof(total));
      note_drops(s, total);
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof(info));
      memcpy(a->dst, &info.ipi_addr, 4);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      struct in6_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof(info));
      if (a->version == 4)
        memcpy(a->dst, info.ipi6_addr.s6_addr + 12, 4);
      else
        memcpy(a->dst, &info.ipi6_addr, 16);
    }
  }
}

/* False when the ring has no room, or was stopped. */
static bool emit(struct ct_hep_source *s, struct ct_sink *sink, const struct arrival *a, const uint8_t *bytes,
                 uint32_t len) {
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, len, &data);
  if (r == NULL) return false;
  if (len > 0) memcpy(data, bytes, len);
  r->ts_us = (double)(a->ts_ns / 1000) + (double)(a->ts_ns % 1000) / 1000.0;
  r->frame = -1.0;
  r->wire_len = len;
  r->src_port = a->src_port;
  r->dst_port = s->port;
  r->kind = CT_KIND_HEP;
  r->origin = CT_ORIGIN_HEP;
  r->ip_version = a->version;
  r->transport = IPPROTO_UDP;
  r->dscp = 0xff;
  r->source = s->source_id;
  memcpy(r->src, a->src, 16);
  memcpy(r->dst, a->dst, 16);
  ct_sink_commit(sink, r);
  return true;
}

static void write_frame(struct ct_hep_source *s, const struct arrival *a, const uint8_t *bytes,
                        uint32_t len) {
  struct ct_datagram d = {a->src, a->dst, a->src_port, s->port, a->version};
  uint32_t made = ct_datagram_frame(s->batch->frame, &d, bytes, len);
  if (made > 0) ct_pcap_write(s->output, s->batch->frame, a->stamp_ns, made, made, CT_DATAGRAM_FRAME_LINK);
}

static void take_batch(struct ct_hep_source *s, struct ct_sink *sink, uint32_t n) {
  struct ct_hep_batch *b = s->batch;
  struct ct_hep_gate *g = s->gate;
  int64_t now = ct_clock_ns(CLOCK_MONOTONIC);
  ct_host_clock_look(); /* a step that any of the datagrams lies behind is known now */
  ct_hep_gate_lock(g);
  for (uint32_t i = 0; i < n; i++) {
    struct msghdr *h = &b->msg[i].msg_hdr;
    uint32_t len = b->msg[i].msg_len;
    struct arrival a = {0};
    a.version = read_sockaddr(&b->from[i], a.src, &a.src_port);
    count(s, CT_HEP_N_DATAGRAMS, 1);
    count(s, CT_HEP_N_BYTES, len);
    struct ct_hep_sender *sender;
    /* A datagram that did not fit its buffer is beyond every limit. */
    uint32_t told = h->msg_flags & MSG_TRUNC ? UINT32_MAX : len;
    enum ct_hep_verdict v = ct_hep_judge(g, a.src, a.version, b->data[i], told, now, &sender);
    memcpy(a.dst, s->bound, 16);
    read_control(s, h, &a);
    if (a.stamp_ns == 0) a.stamp_ns = ct_clock_ns(CLOCK_REALTIME);
    a.ts_ns = ct_host_steady_ns(&s->stamps, a.stamp_ns);
    if (v == CT_HEP_TAKEN && s->output != NULL) write_frame(s, &a, b->data[i], len);
    if (v == CT_HEP_TAKEN && !emit(s, sink, &a, b->data[i], len)) v = CT_HEP_RING_FULL;
    ct_hep_count(g, sender, v);
  }
  ct_hep_gate_unlock(g);
  count(s, CT_HEP_N_BATCHES, 1);
}

static void prepare(struct ct_hep_batch *b, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    b->iov[i] = (struct iovec){b->data[i], BUFFER_BYTES};
    b->msg[i].msg_hdr = (struct msghdr){.msg_name = &b->from[i],
                                        .msg_namelen = sizeof(b->from[i]),
                                        .msg_iov = &b->iov[i],
                                        .msg_iovlen = 1,
                                        .msg_control = &b->control[i],
                                        .msg_controllen = sizeof(b->control[i].bytes)};
  }
}

static bool should_stop(struct ct_hep_source *s) {
  return atomic_load_explicit(&s->stop, memory_order_relaxed) != 0 ||
         atomic_load_explicit(&s->ring->stop, memory_order_relaxed) != 0;
}

/* Nothing to read: waits for a datagram or the end. */
static void wait_readable(struct ct_hep_source *s, int ms) {
  struct pollfd p[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->wake, .events = POLLIN}};
  poll(p, 2, ms);
}

/* At the end, unless nobody reads the ring any more: what had arrived by then. */
static void take_rest(struct ct_hep_source *s, struct ct_sink *sink) {
  for (uint32_t i = 0; i < REST_BATCHES; i++) {
    if (atomic_load_explicit(&s->ring->stop, memory_order_relaxed) != 0) return;
    int n = recvmmsg(s->fd, s->batch->msg, CT_HEP_BATCH, MSG_DONTWAIT, NULL);
    if (n <= 0) break;
    take_batch(s, sink, (uint32_t)n);
    prepare(s->batch, 0, (uint32_t)n);
  }
  ct_ring_publish(s->ring);
}

static void *run(void *arg) {
  struct ct_hep_source *s = arg;
  struct ct_sink sink = {.ring = s->ring, .scratch = NULL};
  int64_t watched = 0, published = 0;
  prepare(s->batch, 0, CT_HEP_BATCH);
  ct_host_stamps_begin(&s->stamps);
  while (!should_stop(s)) {
    if (is_tight(s->ring) && watch_socket(s) < s->rcvbuf_got / 4 * 3) {
      count(s, CT_HEP_N_HELD, 1);
      if (free_slabs(s->ring) > 0) ct_ring_publish(s->ring);
      ct_nap_us(CT_HEP_NAP_US);
      continue;
    }
    int n = recvmmsg(s->fd, s->batch->msg, CT_HEP_BATCH, MSG_DONTWAIT, NULL);
    int err = errno;
    int64_t now = ct_clock_ns(CLOCK_MONOTONIC);
    if (now - watched >= WATCH_NS) {
      watched = now;
      watch_socket(s);
      if (s->output != NULL) ct_pcap_write_tick(s->output, now);
    }
    if (n <= 0) {
      bool is_waiting = ct_ring_publish_soon(s->ring);
      published = now;
      if (n == 0 || err == EINTR) continue;
      bool is_error = err != EAGAIN && err != EWOULDBLOCK;
      if (is_error) {
        count(s, CT_HEP_N_RECEIVE_ERRORS, 1);
        s->last_errno = err;
        ct_nap_us(CT_HEP_NAP_US); /* an error that stays must not keep the processor busy */
      } else {
        wait_readable(s, is_waiting ? RETRY_MS : IDLE_MS);
      }
      continue;
    }
    take_batch(s, &sink, (uint32_t)n);
    prepare(s->batch, 0, (uint32_t)n);
    if (now - published >= PUBLISH_NS && !ct_ring_publish_soon(s->ring)) published = now;
    if ((uint32_t)n < CT_HEP_BATCH / 4) ct_nap_us(CT_HEP_NAP_US);
  }
  take_rest(s, &sink);
  watch_socket(s);
  if (s->output != NULL) ct_pcap_write_flush(s->output);
  return NULL;
}

int ct_hep_start(struct ct_hep_source *s) {
  if (!s->is_open || s->running) return -EINVAL;
  s->ring->live = true;
  int rc = pthread_create(&s->thread, NULL, run, s);
  s->running = rc == 0;
  if (s->running) pthread_setname_np(s->thread, "calltap-hep");
  return -rc;
}

void ct_hep_halt(struct ct_hep_source *s) {
  if (!s->running) return;
  uint64_t one = 1;
  atomic_store_explicit(&s->stop, 1, memory_order_relaxed);
  if (write(s->wake, &one, sizeof(one)) < 0) s->last_errno = errno; /* a full counter wakes as well */
  pthread_join(s->thread, NULL);
  s->running = false;
}

void ct_hep_stop(struct ct_hep_source *s) {
  if (s->running) ct_ring_stop(s->ring);
  ct_hep_halt(s);
  if (!s->is_open) return;
  close(s->wake);
  close(s->fd);
  free(s->batch);
  s->batch = NULL;
  s->is_open = false;
}
