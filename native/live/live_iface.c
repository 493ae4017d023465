/* SPDX-License-Identifier: Apache-2.0
 * live_iface.c - decides what became of an interface and brings its capture back.
 *
 * The kernel unhooks a packet socket when its interface goes down and hooks it again when it comes up. When
 * the interface is deleted the socket stays with its ring, bound to nothing: an interface of the same
 * name that appears later is bound to the same socket, so neither privileges nor memory are needed again.
 */
#define _GNU_SOURCE
#include "live/live_iface.h"
#include "core/clock.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const names[CT_L_COUNT] = {
    "frames",        "kernel_packets", "kernel_drops", "kernel_freezes",     "unread_at_stop",
    "iface_packets", "iface_dropped",  "iface_missed", "loopback_copies",    "other_link",
    "gso_frames",    "gso_segments",   "gso_unsplit",  "checksum_not_ready", "vlan_tags",
    "bad_blocks",    "link_downs",     "rebinds",      "mtu_changes",        "socket_errors",
};
const char *ct_live_counter_name(uint32_t i) { return i < CT_L_COUNT ? names[i] : NULL; }

/* One look at an interface, or at all of them for `any`. */
struct look {
  struct ct_live_iface *f;
  struct ct_live_refused refused;
  bool is_new; /* just bound */
};

static void set_state(const struct look *l, enum ct_live_state state, int error, uint32_t mtu) {
  struct ct_live_iface *f = l->f;
  if (state != CT_LIVE_CAPTURING && f->state == CT_LIVE_CAPTURING)
    ct_live_add_to(&f->counters[CT_L_LINK_DOWNS], 1);
  if (mtu != 0 && f->mtu != 0 && mtu != f->mtu) ct_live_add_to(&f->counters[CT_L_MTU_CHANGES], 1);
  pthread_mutex_lock(&f->lock);
  f->state = state;
  f->error = error;
  f->refused = l->refused;
  if (mtu != 0) f->mtu = mtu;
  pthread_mutex_unlock(&f->lock);
}

/* Makes an interface hand over what is for other hosts: when it is new here, and when nobody keeps it promiscuous any
 * more. Another's promiscuous mode serves as well until that one ends it. Loopback has no other hosts. */
static void see_all(struct look *l, const struct ct_iface_facts *facts, bool is_new) {
  if (!l->f->promiscuous || (facts->flags & IFF_LOOPBACK) || (facts->promiscuity > 0 && !is_new)) return;
  int err = -ct_packet_ring_promiscuous(&l->f->ring, facts->ifindex);
  if (err == 0 || err == ENODEV) return; /* it went between question and answer */
  if (l->refused.n++ > 0) return;
  l->refused.error = err;
  memcpy(l->refused.name, facts->name, sizeof l->refused.name);
}

/* What an interface counts is counted from the moment it was first seen. */
static void follow(struct look *l, const struct ct_iface_facts *facts) {
  struct ct_live_iface *f = l->f;
  struct ct_live_seen *seen = f->is_any ? &f->seen[(uint32_t)facts->ifindex % CT_LIVE_IFACES] : f->seen;
  bool is_known = seen->ifindex == facts->ifindex;
  if (is_known) {
    if (facts->packets > seen->packets) {
      ct_live_add_to(&f->counters[CT_L_IFACE_PACKETS], facts->packets - seen->packets);
    }
    if (facts->dropped > seen->dropped) {
      ct_live_add_to(&f->counters[CT_L_IFACE_DROPPED], facts->dropped - seen->dropped);
    }
    if (facts->missed > seen->missed) {
      ct_live_add_to(&f->counters[CT_L_IFACE_MISSED], facts->missed - seen->missed);
    }
  }
  *seen = (struct ct_live_seen){facts->ifindex, facts->packets, facts->dropped, facts->missed};
  see_all(l, facts, !is_known || l->is_new);
}

static void follow_each(void *arg, const struct ct_iface_facts *facts) { follow(arg, facts); }

static bool is_up(const struct ct_iface_facts *facts) {
  return (facts->flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
}

static void look_at_all(struct look *l) {
  /* No answer this time: what was said last still holds. */
  if (ct_iface_each(l->f->netlink, follow_each, l) == 0) set_state(l, CT_LIVE_CAPTURING, 0, 0);
}

void ct_live_watch_first(struct ct_live_iface *f, const struct ct_iface_facts *facts) {
  struct look l = {.f = f, .is_new = true};
  f->state = CT_LIVE_CAPTURING;
  if (f->is_any) {
    look_at_all(&l);
    return;
  }
  follow(&l, facts);
  set_state(&l, is_up(facts) ? CT_LIVE_CAPTURING : CT_LIVE_DOWN, 0, facts->mtu);
}

static void watch(struct ct_live_iface *f) {
  struct look l = {.f = f};
  struct ct_iface_facts facts;
  if (f->is_any) {
    look_at_all(&l);
    return;
  }
  int err = ct_iface_find(f->netlink, f->name, &facts);
  if (err == -ENODEV) {
    f->is_bound = false;
    set_state(&l, CT_LIVE_GONE, 0, 0);
    return;
  }
  if (err != 0) return; /* no answer this time */
  if (!f->is_bound || !ct_packet_ring_is_bound(&f->ring, facts.ifindex)) {
    err = ct_packet_ring_bind(&f->ring, facts.ifindex);
    if (err != 0) {
      f->is_bound = false;
      set_state(&l, CT_LIVE_FAILING, -err, facts.mtu);
      return;
    }
    f->is_bound = true;
    l.is_new = true;
    if (f->state == CT_LIVE_CAPTURING) set_state(&l, CT_LIVE_GONE, 0, 0); /* it was, between two looks */
    ct_live_add_to(&f->counters[CT_L_REBINDS], 1);
  }
  follow(&l, &facts);
  set_state(&l, is_up(&facts) ? CT_LIVE_CAPTURING : CT_LIVE_DOWN, 0, facts.mtu);
}

void ct_live_on_error(struct ct_live_iface *f) {
  int err = ct_packet_ring_error(&f->ring);
  if (err == 0) return;
  if (err != ENETDOWN) ct_live_add_to(&f->counters[CT_L_ERRORS], 1);
  watch(f);
}

void ct_live_read_counts(struct ct_live_iface *f) {
  struct ct_ring_stats stats;
  if (!ct_packet_ring_stats(&f->ring, &stats)) return;
  int64_t now = ct_host_now_ns();
  if (stats.drops > 0) {
    pthread_mutex_lock(&f->lock);
    ct_drop_log_note(&f->drops, f->sure_ns, now, stats.drops);
    pthread_mutex_unlock(&f->lock);
  }
  f->sure_ns = now;
  ct_live_add_to(&f->counters[CT_L_KERNEL_PACKETS], stats.packets);
  ct_live_add_to(&f->counters[CT_L_KERNEL_DROPS], stats.drops);
  ct_live_add_to(&f->counters[CT_L_KERNEL_FREEZES], stats.freezes);
}

/* The kernel marks each block that it closes after a drop, until somebody reads its counts. So nothing was dropped before
 * the last frame of a block without the mark, and with the first mark the loss is noted before the frames behind it are
 * counted: whoever sees the gap finds the reason. */
void ct_live_before_block(struct ct_live_iface *f, const struct tpacket_block_desc *block) {
  if (block->hdr.bh1.block_status & TP_STATUS_LOSING) {
    ct_live_read_counts(f);
    return;
  }
  const struct tpacket_bd_ts *last = &block->hdr.bh1.ts_last_pkt;
  struct ct_host_stamps ahead = f->stamps; /* the frames of the block come first */
  int64_t ns = ct_host_steady_ns(&ahead, (int64_t)last->ts_sec * 1000000000 + last->ts_nsec);
  if (ns > f->sure_ns) f->sure_ns = ns;
}

void ct_live_watch(struct ct_live_iface *f) {
  ct_live_read_counts(f);
  watch(f);
}

uint64_t ct_live_unread(struct ct_live_iface *f) {
  ct_live_read_counts(f);
  uint64_t had = f->counters[CT_L_KERNEL_PACKETS] - f->counters[CT_L_KERNEL_DROPS];
  return had > f->counters[CT_L_FRAMES] ? had - f->counters[CT_L_FRAMES] : 0;
}

/* What is said of interfaces that hand over only what is for this host; empty without any. */
static void say_refused(const struct ct_live_iface *f, const struct ct_live_refused *r, char *out,
                        size_t room) {
  out[0] = 0;
  if (r->n == 0) return;
  if (f->is_any)
    snprintf(out, room, ", %u not promiscuous (%s: %s), nothing for other hosts there", r->n, r->name,
             strerror(r->error));
  else
    snprintf(out, room, ", not promiscuous (%s), nothing for other hosts", strerror(r->error));
}

void ct_live_iface_status(struct ct_live_iface *f, struct ct_live_status *out) {
  uint32_t ring = (uint32_t)f->ring.map_bytes;
  pthread_mutex_lock(&f->lock);
  enum ct_live_state state = f->state;
  int error = f->error;
  uint32_t mtu = f->mtu;
  struct ct_live_refused refused = f->refused;
  pthread_mutex_unlock(&f->lock);
  *out = (struct ct_live_status){.state = state, .mtu = mtu, .ring_bytes = ring};
  char *text = out->text, but[CT_LIVE_TEXT / 2];
  size_t room = sizeof out->text;
  say_refused(f, &refused, but, sizeof but);
  switch (state) {
  case CT_LIVE_CAPTURING:
    if (f->is_any)
      snprintf(text, room, "any: capturing on every interface, ring %u MiB%s", ring >> 20, but);
    else
      snprintf(text, room, "%s: capturing, MTU %u, ring %u MiB%s", f->name, mtu, ring >> 20, but);
    break;
  case CT_LIVE_DOWN:
    snprintf(text, room, "%s: the interface is down, waiting for it to come up", f->name);
    break;
  case CT_LIVE_GONE:
    snprintf(text, room, "%s: the interface is gone, looking for it every second", f->name);
    break;
  case CT_LIVE_FAILING:
    snprintf(text, room, "%s: cannot capture (%s), trying again every second", f->name, strerror(error));
    break;
  }
}
