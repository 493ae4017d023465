/* SPDX-License-Identifier: Apache-2.0
 * source_tls.c - see source_tls.h. While there is traffic the ring is looked at every POLL_MS and the kernel
 * wakes nobody before a part of it is full; after a quiet time the thread sleeps until the next event.
 */
#define _GNU_SOURCE
#include "tls/source_tls.h"
#include "core/clock.h"
#include "system/host_clock.h"
#include "tls/tls_names.h"
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define POLL_MS 5
#define SLEEP_MS 200   /* bounds what a lost wake-up costs */
#define QUIET_POLLS 20 /* then it sleeps */
#define SLICE 512u     /* events between looks at the clock */
#define PUBLISH_NS 5000000ll
#define CLOCK_NS 1000000000ll /* how often the clocks are compared */
#define NAP_US 500u
#define READER_NICE (-10)

static const char *const own_names[CT_TLS_COUNTERS - CT_TLS_N_COUNT] = {"records", "held", "malformed"};

const char *ct_tls_counter_name(uint32_t i) {
  if (i < CT_TLS_N_COUNT) return ct_tls_count_name(i);
  return i < CT_TLS_COUNTERS ? own_names[i - CT_TLS_N_COUNT] : NULL;
}

void ct_tls_record(const struct ct_tls_event *e, int64_t to_wall_ns, struct ct_record *r, uint8_t *data) {
  static const uint8_t kinds[CT_TLS_EV_KINDS] = {
      [CT_TLS_EV_DATA] = CT_KIND_TLS_DATA,
      [CT_TLS_EV_BIND] = CT_KIND_TLS_BIND,
      [CT_TLS_EV_CLOSE] = CT_KIND_TLS_CLOSE,
  };
  int64_t ts = (int64_t)e->ts_ns + to_wall_ns;
  /* A read travelled from the remote end to the local one; anything else is told from the local end. */
  bool inward = e->kind == CT_TLS_EV_DATA && !(e->flags & CT_TLS_WRITTEN);
  r->ts_us = (double)(ts / 1000) + (double)(ts % 1000) / 1000.0;
  r->frame = (double)e->stream_off;
  r->digest = e->pid | (uint64_t)e->tid << 32;
  r->wire_len = e->call_len;
  r->aux0 = (uint32_t)e->conn;
  r->aux1 = (uint32_t)(e->conn >> 32);
  r->aux2 = e->flags | (uint32_t)e->library << CT_TLS_LIBRARY_SHIFT;
  r->link = e->proof;
  r->kind = kinds[e->kind];
  r->origin = CT_ORIGIN_UPROBE;
  r->ip_version = e->family;
  r->transport = IPPROTO_TCP;
  r->dscp = 0xff;
  if (e->family != 0) {
    r->src_port = inward ? e->rport : e->lport;
    r->dst_port = inward ? e->lport : e->rport;
    memcpy(r->src, inward ? e->raddr : e->laddr, 16);
    memcpy(r->dst, inward ? e->laddr : e->raddr, 16);
  }
  if (e->chunk_len > 0) memcpy(data, e + 1, e->chunk_len);
}

static bool should_stop(struct ct_tls_source *s) {
  return atomic_load_explicit(&s->stop, memory_order_relaxed) != 0 ||
         atomic_load_explicit(&s->ring->stop, memory_order_relaxed) != 0;
}

/* Room for the largest event, so that nothing need be dropped here. */
static bool has_room(const struct ct_ring *r) {
  uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  uint32_t spare = r->n - (head - atomic_load_explicit(&r->tail, memory_order_acquire));
  if (spare != 1) return spare > 0;
  const struct ct_slab *open = &r->slab[head % r->n];
  return open->count < CT_SLAB_RECORDS && open->used <= CT_SLAB_BYTES - CT_TLS_CHUNK;
}

/* Moves up to SLICE events. How many; -1 when the slabs are full. */
static int move_events(struct ct_tls_source *s, struct ct_sink *sink) {
  int n = 0;
  bool is_full = false;
  for (; (uint32_t)n < SLICE; n++) {
    const struct ct_tls_event *e = ct_tls_ring_peek(&s->events);
    if (e == NULL) break;
    uint8_t *data;
    struct ct_record *r = has_room(s->ring) ? ct_sink_reserve(sink, e->chunk_len, &data) : NULL;
    is_full = r == NULL;
    if (is_full) break;
    ct_tls_record(e, s->to_wall_ns, r, data);
    r->source = s->source_id;
    ct_sink_commit(sink, r);
    ct_tls_ring_next(&s->events);
  }
  __atomic_fetch_add(&s->records, (uint64_t)n, __ATOMIC_RELAXED);
  return n == 0 && is_full ? -1 : n;
}

static void reader_waits(struct ct_tls_source *s, enum ct_tls_reader how) {
  __atomic_store_n(s->probe->reader_waits, (uint32_t)how, __ATOMIC_SEQ_CST);
}

/* Until there is reason to look again. Edge-triggered: that something lies in the ring is no reason yet, since one
 * look at many events costs little more than one at a single event. */
static void wait_events(struct ct_tls_source *s, bool deeply) {
  struct epoll_event e[2];
  reader_waits(s, deeply ? CT_TLS_SLEEPS : CT_TLS_NAPS);
  if (!deeply)
    epoll_wait(s->poll, e, 2, POLL_MS);
  else if (ct_tls_ring_waiting(&s->events) == 0) /* nothing came before the kernel saw the wish */
    epoll_wait(s->poll, e, 2, SLEEP_MS);
  else
    ct_nap_us(NAP_US); /* what came is being written, and its writer may have lost the processor */
  reader_waits(s, CT_TLS_AWAKE);
}

/* What the reader waits for: the kernel's wake-up, and the end. 0 or -errno. */
static int open_poll(struct ct_tls_source *s) {
  struct epoll_event ring = {.events = EPOLLIN | EPOLLET}, end = {.events = EPOLLIN};
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  s->poll = epoll_create1(EPOLL_CLOEXEC);
  if (s->wake < 0 || s->poll < 0 || epoll_ctl(s->poll, EPOLL_CTL_ADD, s->wake, &end) != 0 ||
      epoll_ctl(s->poll, EPOLL_CTL_ADD, s->probe->ring_fd, &ring) != 0)
    return -errno;
  return 0;
}

static void close_all(struct ct_tls_source *s) {
  if (s->poll >= 0) close(s->poll);
  if (s->wake >= 0) close(s->wake);
  ct_tls_ring_close(&s->events);
}

/* While this thread waits for a processor, the ring fills at the speed of all the others together. Refused without
 * CAP_SYS_NICE and RLIMIT_NICE; then it is a thread like any other. */
static void come_first(void) { setpriority(PRIO_PROCESS, (id_t)gettid(), READER_NICE); }

static void *run(void *arg) {
  struct ct_tls_source *s = arg;
  come_first();
  struct ct_sink sink = {.ring = s->ring, .scratch = NULL};
  int64_t published = 0, compared = 0;
  uint32_t quiet = 0;
  while (!should_stop(s)) {
    int64_t now = ct_clock_ns(CLOCK_MONOTONIC);
    if (now - compared >= CLOCK_NS) {
      compared = now;
      s->to_wall_ns = ct_host_from_monotonic_ns();
    }
    int n = move_events(s, &sink);
    if (n < 0) {
      __atomic_fetch_add(&s->held, 1, __ATOMIC_RELAXED);
      ct_ring_publish(s->ring);
      ct_nap_us(NAP_US);
      continue;
    }
    if (n == 0 || now - published >= PUBLISH_NS) {
      /* Nobody is served by slabs that are nearly empty while half of them wait. */
      if (!ct_ring_publish_soon(s->ring)) published = now;
    }
    if ((uint32_t)n == SLICE) continue;
    quiet = n > 0 ? 0 : quiet + 1;
    wait_events(s, quiet >= QUIET_POLLS);
  }
  return NULL;
}

int ct_tls_start(struct ct_tls_source *s) {
  if (s->running) return -EINVAL;
  atomic_store(&s->stop, 0);
  s->ring->live = true;
  s->to_wall_ns = ct_host_from_monotonic_ns();
  int rc = ct_tls_ring_open(&s->events, s->probe->ring_fd, s->probe->ring_bytes);
  if (rc != 0) return rc;
  rc = open_poll(s);
  if (rc == 0) rc = -pthread_create(&s->thread, NULL, run, s);
  if (rc != 0) {
    close_all(s);
    return rc;
  }
  s->running = true;
  pthread_setname_np(s->thread, "calltap-tls");
  return 0;
}

void ct_tls_stop(struct ct_tls_source *s) {
  if (!s->running) return;
  uint64_t one = 1;
  atomic_store_explicit(&s->stop, 1, memory_order_relaxed);
  ct_ring_stop(s->ring);
  /* A full counter wakes as well. */
  if (write(s->wake, &one, sizeof one) < 0) __atomic_fetch_add(&s->held, 1, __ATOMIC_RELAXED);
  pthread_join(s->thread, NULL);
  s->running = false;
  close_all(s);
}
