/* SPDX-License-Identifier: Apache-2.0
 * source_packet.c - see source_packet.h: the thread, and its life.
 */
#define _GNU_SOURCE
#include "live/source_packet.h"
#include "core/clock.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TICK_NS (1000 * 1000 * 1000ll) /* between two looks at the interfaces */
#define IDLE_MS 250                    /* longest sleep: datagrams put together elsewhere wait for it */
#define LINGER_NS (50 * 1000 * 1000ll) /* a block is handed over within two retire times */
#define TURN_BLOCKS 64u                /* of one ring, 8 MiB, before the next ring has its turn */

/* True when there was something in one of the rings. */
static bool take_turn(struct ct_live_source *s, struct ct_sink *sink) {
  bool any = false;
  for (uint32_t i = 0; i < s->n; i++) {
    struct ct_live_iface *f = &s->iface[i];
    for (uint32_t n = 0; n < TURN_BLOCKS; n++) {
      struct tpacket_block_desc *block = ct_packet_ring_block(&f->ring);
      if (block == NULL) break;
      any = true;
      ct_host_clock_look(); /* a step that any of its frames lies behind is known now */
      ct_live_before_block(f, block);
      ct_live_take_block(s->frames, f, sink, block);
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
    if (fds[i].revents & (POLLERR | POLLHUP | POLLNVAL)) ct_live_on_error(&s->iface[i]);
  }
}

/* True when every frame the kernel had put into the rings has been read. */
static bool is_read(struct ct_live_source *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (ct_live_unread(&s->iface[i]) > 0) return false;
  }
  return true;
}

static void finish(struct ct_live_source *s, struct ct_sink *sink) {
  int64_t until = ct_clock_ns(CLOCK_MONOTONIC) + LINGER_NS;
  for (uint32_t i = 0; i < s->n; i++) ct_packet_ring_shut(&s->iface[i].ring);
  /* The block that is being filled is handed over when its time is up; until then, look. */
  while (ct_clock_ns(CLOCK_MONOTONIC) < until && !is_read(s)) {
    if (take_turn(s, sink)) continue;
    ct_nap_us(1000);
  }
  for (uint32_t i = 0; i < s->n; i++)
    ct_live_add_to(&s->iface[i].counters[CT_L_UNREAD], ct_live_unread(&s->iface[i]));
  ct_pipeline_drain_injected(s->pl, sink);
  /* Before the end is reported: the consumer then says how many frames are in the file. */
  if (s->pl->output != NULL) ct_pcap_write_flush(s->pl->output);
  uint8_t *data;
  struct ct_record *r = ct_sink_reserve(sink, 0, &data);
  if (r != NULL) {
    r->kind = CT_KIND_SOURCE_END;
    r->aux0 = CT_END_STOPPED;
    r->frame = (double)s->frames->ordinal;
    r->ts_us = (double)(s->frames->last_ns / 1000);
    r->source = s->pl->source_id;
    ct_sink_commit(sink, r);
  }
  ct_ring_publish(s->ring);
}

static void *run(void *arg) {
  struct ct_live_source *s = arg;
  struct ct_sink sink = {.ring = s->ring, .scratch = NULL};
  int64_t next_tick = ct_clock_ns(CLOCK_MONOTONIC);
  while (atomic_load_explicit(&s->stop, memory_order_acquire) == 0 &&
         atomic_load_explicit(&s->ring->stop, memory_order_relaxed) == 0) {
    bool any = take_turn(s, &sink);
    ct_pipeline_drain_injected(s->pl, &sink);
    bool waiting = ct_ring_publish_soon(s->ring);
    int64_t now = ct_clock_ns(CLOCK_MONOTONIC);
    if (now >= next_tick) {
      for (uint32_t i = 0; i < s->n; i++) ct_live_watch(&s->iface[i]);
      if (s->pl->output != NULL) ct_pcap_write_tick(s->pl->output, now);
      next_tick = now + TICK_NS;
    }
    if (!any) wait_for_frames(s, waiting ? (int)CT_RETIRE_MS : IDLE_MS);
  }
  finish(s, &sink);
  s->cpu_ns = (uint64_t)ct_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  return NULL;
}

/* ---- Lifetime ---- */

int ct_live_init(struct ct_live_source *s) {
  s->n = 0;
  s->running = false;
  s->is_open = true;
  s->cpu_ns = 0;
  atomic_store(&s->stop, 0);
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int err = s->wake < 0 ? -errno : 0;
  s->netlink = ct_iface_open();
  s->frames = malloc(sizeof *s->frames);
  if (s->frames != NULL) ct_live_frames_init(s->frames, s->pl);
  if (err == 0 && s->netlink < 0) err = s->netlink;
  return err == 0 && s->frames == NULL ? -ENOMEM : err;
}

enum ct_filter_link ct_live_common_link(struct ct_live_source *s, const char *const *names, uint32_t n) {
  enum ct_filter_link common = CT_LINK_MIXED;
  for (uint32_t i = 0; i < n; i++) {
    struct ct_iface_facts facts;
    if (strcmp(names[i], "any") == 0 || ct_iface_find(s->netlink, names[i], &facts) != 0)
      return CT_LINK_MIXED;
    uint32_t type = ct_live_link_type(facts.hatype);
    enum ct_filter_link link = type == CT_LIVE_ETHERNET ? CT_LINK_ETHER
                               : type == CT_LIVE_RAW_IP ? CT_LINK_IP
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
  f->promiscuous = s->promiscuous;
  f->netlink = s->netlink;
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
  if (f->seen == NULL) {
    error->err = ENOMEM;
    ct_packet_ring_close(&f->ring);
    return false;
  }
  f->ifindex = f->is_any ? 0 : facts.ifindex;
  pthread_mutex_init(&f->lock, NULL);
  s->n++;
  ct_live_watch_first(f, &facts);
  return true;
}

void ct_live_bind(struct ct_live_source *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    struct ct_live_iface *f = &s->iface[i];
    if (f->is_bound) continue;
    f->sure_ns = ct_host_now_ns();
    ct_host_stamps_begin(&f->stamps);
    /* An interface that went since it was added is looked for like one that goes later. */
    f->is_bound = ct_packet_ring_bind(&f->ring, f->ifindex) == 0;
  }
}

int ct_live_start(struct ct_live_source *s) {
  s->ring->live = true;
  s->pl->cut_on_purpose = s->filter->mode == CT_FILTER_EBPF;
  if (s->n > 1 || s->iface[0].is_any) ct_pipeline_expect_copies(s->pl);
  ct_live_bind(s);
  int err = pthread_create(&s->thread, NULL, run, s);
  s->running = err == 0;
  if (s->running) pthread_setname_np(s->thread, "calltap-live");
  return -err;
}

void ct_live_learned(struct ct_live_source *s, const struct ct_learned_key *keys, uint32_t n) {
  ct_learned_set(&s->pl->learned, keys, n);
  if (!ct_filter_learned(s->filter, &s->pl->gate)) return;
  for (uint32_t i = 0; i < s->n; i++) ct_filter_attach(s->filter, s->iface[i].ring.fd);
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
    pthread_mutex_destroy(&s->iface[i].lock);
    free(s->iface[i].seen);
  }
  s->n = 0;
  if (s->wake >= 0) close(s->wake);
  if (s->netlink >= 0) close(s->netlink);
  free(s->frames);
  s->frames = NULL;
}

uint32_t ct_live_take_drops(struct ct_live_source *s, uint32_t i, struct ct_drop_span *out) {
  if (i >= s->n) return 0;
  struct ct_live_iface *f = &s->iface[i];
  pthread_mutex_lock(&f->lock);
  uint32_t n = ct_drop_log_take(&f->drops, out);
  pthread_mutex_unlock(&f->lock);
  return n;
}

bool ct_live_status_of(struct ct_live_source *s, uint32_t i, struct ct_live_status *out) {
  if (i >= s->n) return false;
  ct_live_iface_status(&s->iface[i], out);
  return true;
}
