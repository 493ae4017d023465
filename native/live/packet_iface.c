/* SPDX-License-Identifier: Apache-2.0
 * packet_iface.c - asks the kernel for the state and the losses of interfaces (rtnetlink(7), RTM_GETLINK).
 *
 * Not /sys: its view belongs to the namespace that mounted it, a netlink socket to the one it was opened in.
 */
#define _GNU_SOURCE
#include "live/packet_ring.h"
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define REPLY_BYTES 32768 /* what the kernel fills at most in one message of a dump */

int ct_iface_open(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return -errno;
  struct timeval limit = {.tv_usec = 50 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return fd;
}

static void read_facts(const struct nlmsghdr *h, struct ct_iface_facts *out) {
  const struct ifinfomsg *info = NLMSG_DATA(h);
  *out =
      (struct ct_iface_facts){.ifindex = info->ifi_index, .flags = info->ifi_flags, .hatype = info->ifi_type};
  const struct rtattr *a = IFLA_RTA(info);
  /* Signed: after a last attribute that is not padded there are fewer than none. */
  for (int left = (int)IFLA_PAYLOAD(h); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
    if (a->rta_type == IFLA_IFNAME && RTA_PAYLOAD(a) <= sizeof out->name) {
      memcpy(out->name, RTA_DATA(a), RTA_PAYLOAD(a));
      out->name[sizeof out->name - 1] = 0;
    }
    if (a->rta_type == IFLA_PROMISCUITY && RTA_PAYLOAD(a) >= sizeof out->promiscuity) {
      memcpy(&out->promiscuity, RTA_DATA(a), sizeof out->promiscuity);
    }
    if (a->rta_type == IFLA_MTU && RTA_PAYLOAD(a) >= sizeof out->mtu) {
      memcpy(&out->mtu, RTA_DATA(a), sizeof out->mtu);
    }
    /* Older kernels know fewer fields at the end, those in use are of the first ones. */
    if (a->rta_type == IFLA_STATS64 && RTA_PAYLOAD(a) >= offsetof(struct rtnl_link_stats64, rx_compressed)) {
      struct rtnl_link_stats64 s;
      memset(&s, 0, sizeof s);
      memcpy(&s, RTA_DATA(a), RTA_PAYLOAD(a) < sizeof s ? RTA_PAYLOAD(a) : sizeof s);
      out->packets = s.rx_packets + s.tx_packets;
      out->dropped = s.rx_dropped;
      out->missed = s.rx_missed_errors;
    }
  }
}

struct request {
  struct nlmsghdr h;
  struct ifinfomsg info;
  struct rtattr attribute;
  char name[IFNAMSIZ];
};

/* One request, its replies to `each`. Its number shows a late reply to an earlier request. */
static int ask(int fd, struct request *q, void (*each)(void *, const struct ct_iface_facts *), void *arg) {
  static _Thread_local uint32_t number;
  static _Thread_local union {
    struct nlmsghdr h;
    uint8_t bytes[REPLY_BYTES];
  } reply;
  q->h.nlmsg_seq = ++number;
  if (send(fd, q, q->h.nlmsg_len, 0) < 0) return -errno;
  for (;;) {
    ssize_t got = recv(fd, &reply, sizeof reply, 0);
    if (got < 0) return errno == EAGAIN ? -ETIMEDOUT : -errno;
    int left = (int)got;
    for (const struct nlmsghdr *h = &reply.h; left > 0 && NLMSG_OK(h, (uint32_t)left);
         h = NLMSG_NEXT(h, left)) {
      if (h->nlmsg_seq != number) continue;
      if (h->nlmsg_type == NLMSG_DONE) return 0;
      if (h->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *e = NLMSG_DATA(h);
        return h->nlmsg_len < NLMSG_LENGTH(sizeof e->error) ? -EBADMSG : e->error;
      }
      if (h->nlmsg_type != RTM_NEWLINK || h->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg))) continue;
      struct ct_iface_facts facts;
      read_facts(h, &facts);
      each(arg, &facts);
      if (!(h->nlmsg_flags & NLM_F_MULTI)) return 0;
    }
  }
}

static void keep(void *arg, const struct ct_iface_facts *facts) { *(struct ct_iface_facts *)arg = *facts; }

int ct_iface_find(int netlink, const char *name, struct ct_iface_facts *out) {
  size_t n = strnlen(name, IFNAMSIZ);
  if (n == 0 || n == IFNAMSIZ) return -ENODEV;
  struct request q = {
      .h = {.nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST},
      .attribute = {.rta_len = (unsigned short)RTA_LENGTH(n + 1), .rta_type = IFLA_IFNAME},
  };
  memcpy(q.name, name, n);
  q.h.nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof q.info) + RTA_SPACE(n + 1));
  memset(out, 0, sizeof *out);
  int err = ask(netlink, &q, keep, out);
  return err == 0 && out->ifindex == 0 ? -ENODEV : err;
}

int ct_iface_each(int netlink, void (*each)(void *arg, const struct ct_iface_facts *facts), void *arg) {
  struct request q = {.h = {.nlmsg_len = NLMSG_LENGTH(sizeof q.info),
                            .nlmsg_type = RTM_GETLINK,
                            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
  return ask(netlink, &q, each, arg);
}
