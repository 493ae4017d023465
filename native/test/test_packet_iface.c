/* SPDX-License-Identifier: Apache-2.0
 * test_packet_iface.c - replies of rtnetlink that end where they should not: only what was received is read.
 */
#define _GNU_SOURCE
#include "check.h"
#include "live/packet_ring.h"
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { STALE = 7777, MTU = 1500 };

static int pair[2];
static uint32_t asked; /* requests are numbered from 1 */
static _Alignas(8) uint8_t reply[16384];

static uint32_t put_attribute(uint32_t at, unsigned short type, unsigned short len, uint32_t value) {
  struct rtattr a = {.rta_len = len, .rta_type = type};
  memcpy(reply + at, &a, sizeof a);
  memcpy(reply + at + sizeof a, &value, sizeof value);
  return at + RTA_ALIGN(len);
}

static void put_header(unsigned short type, uint32_t len) {
  struct nlmsghdr h = {.nlmsg_type = type, .nlmsg_seq = asked + 1, .nlmsg_len = len};
  memcpy(reply, &h, sizeof h);
}

static int find(uint32_t bytes, struct ct_iface_facts *out) {
  asked++;
  if (write(pair[1], reply, bytes) != (ssize_t)bytes) failures++;
  int err = ct_iface_find(pair[0], "eth0", out);
  char request[256];
  if (read(pair[1], request, sizeof request) <= 0) failures++;
  return err;
}

/* A reply full of attributes: what the next ones leave of it in the buffer must not be read again. */
static void fill(void) {
  struct ct_iface_facts f;
  struct ifinfomsg info = {.ifi_index = 3};
  uint32_t at = NLMSG_LENGTH(sizeof info);
  memcpy(reply + NLMSG_HDRLEN, &info, sizeof info);
  while (at + 8 <= sizeof reply) at = put_attribute(at, IFLA_MTU, 8, STALE);
  put_header(RTM_NEWLINK, at);
  CHECK_EQ(find(at, &f), 0);
  CHECK_EQ(f.mtu, STALE);
  CHECK_EQ(f.ifindex, 3);
}

static void attribute_without_padding(void) {
  struct ct_iface_facts f;
  uint32_t at = NLMSG_LENGTH(sizeof(struct ifinfomsg));
  fill();
  at = put_attribute(at, IFLA_MTU, 8, MTU);
  put_attribute(at, IFLA_OPERSTATE, 5, 0);
  put_header(RTM_NEWLINK, at + 5);
  CHECK_EQ(find(at + 5, &f), 0);
  CHECK_EQ(f.mtu, MTU);
}

static void message_without_padding(void) {
  struct ct_iface_facts f;
  uint32_t len = NLMSG_HDRLEN + 1;
  fill();
  put_header(NLMSG_NOOP, len);
  /* Behind it lies the attribute area of the earlier reply, made to look like another answer. */
  struct nlmsghdr h = {.nlmsg_type = NLMSG_ERROR, .nlmsg_seq = asked + 2, .nlmsg_len = NLMSG_LENGTH(4)};
  memcpy(reply + NLMSG_ALIGN(len), &h, sizeof h);
  asked++; /* the number of the request in which it is stale */
  if (write(pair[1], reply, sizeof reply) != (ssize_t)sizeof reply) failures++;
  ct_iface_find(pair[0], "eth0", &f);
  char request[256];
  if (read(pair[1], request, sizeof request) <= 0) failures++;
  CHECK_EQ(find(len, &f), -ETIMEDOUT);
}

static void error_without_a_number(void) {
  struct ct_iface_facts f;
  put_header(NLMSG_ERROR, NLMSG_HDRLEN);
  CHECK_EQ(find(NLMSG_HDRLEN, &f), -EBADMSG);
  int missing = -ENODEV;
  put_header(NLMSG_ERROR, NLMSG_LENGTH(sizeof missing));
  memcpy(reply + NLMSG_HDRLEN, &missing, sizeof missing);
  CHECK_EQ(find(NLMSG_LENGTH(sizeof missing), &f), -ENODEV);
}

static void link_without_its_head(void) {
  struct ct_iface_facts f;
  put_header(RTM_NEWLINK, NLMSG_LENGTH(4));
  CHECK_EQ(find(NLMSG_LENGTH(4), &f), -ETIMEDOUT);
}

int main(void) {
  struct timeval limit = {.tv_usec = 30 * 1000};
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) return 1;
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  attribute_without_padding();
  message_without_padding();
  error_without_a_number();
  link_without_its_head();
  close(pair[0]);
  close(pair[1]);
  return report("iface");
}
