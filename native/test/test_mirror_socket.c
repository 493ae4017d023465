/* SPDX-License-Identifier: Apache-2.0
 * test_mirror_socket.c - a run of HEP packets over UDP: one datagram each, long and broken ones passed over, refusals told.
 */
#include "check.h"
#include "system/mirror_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static uint8_t run[300000], got[65536];

static size_t put(size_t at, size_t length, uint8_t fill) {
  memset(run + at, fill, length);
  memcpy(run + at, "HEP3", 4);
  run[at + 4] = (uint8_t)(length >> 8);
  run[at + 5] = (uint8_t)length;
  return at + length;
}

static int collector(uint16_t *port) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof own;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0), room = 1 << 22;
  CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&own, sizeof own) == 0);
  CHECK(getsockname(fd, (struct sockaddr *)&own, &len) == 0);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  *port = ntohs(own.sin_port);
  return fd;
}

static void packets(void) {
  uint16_t port, local = 0;
  char ip[INET6_ADDRSTRLEN];
  const int to = collector(&port), fd = ct_mirror_open("127.0.0.1", port, 4);
  CHECK(fd >= 0);
  CHECK_EQ(ct_mirror_name(fd, ip, sizeof ip, &local), 0);
  CHECK(strcmp(ip, "127.0.0.1") == 0 && local != 0);
  /* More than one batch, one of them longer than a collector takes. */
  size_t len = 0, bytes = 0;
  for (int i = 0; i < 100; i++) {
    const size_t length = i == 70 ? 2000 : 100 + (size_t)i;
    len = put(len, length, (uint8_t)i);
    if (i != 70) bytes += length;
  }
  struct ct_mirror_sent s;
  ct_mirror_send(fd, run, len, 1500, &s);
  CHECK_EQ(s.sent, 99);
  CHECK_EQ(s.sent_bytes, bytes);
  CHECK_EQ(s.too_long, 1);
  CHECK_EQ(s.at, len);
  CHECK_EQ(s.err, 0);
  for (int i = 0; i < 100; i++) {
    if (i == 70) continue;
    CHECK_EQ(recv(to, got, sizeof got, MSG_DONTWAIT), 100 + i);
    CHECK_EQ(got[99], i);
  }
  CHECK_EQ(recv(to, got, sizeof got, MSG_DONTWAIT), -1);
  /* A length that leads out of the run, and the header alone, end it. */
  len = put(put(0, 100, 1), 100, 2);
  for (size_t cut = 1; cut < 100; cut++) {
    ct_mirror_send(fd, run, len - cut, 1500, &s);
    CHECK_EQ(s.sent, 1);
    CHECK_EQ(s.too_long, 1);
    CHECK_EQ(s.at, len - cut);
  }
  run[4] = run[5] = 0;
  ct_mirror_send(fd, run, len, 1500, &s);
  CHECK_EQ(s.sent, 0);
  CHECK_EQ(s.at, len);
  close(fd);
  close(to);
}

static void refusals(void) {
  uint16_t port;
  struct ct_mirror_sent s;
  close(collector(&port));
  const int fd = ct_mirror_open("127.0.0.1", port, 4);
  CHECK(fd >= 0);
  const size_t len = put(0, 100, 1);
  ct_mirror_send(fd, run, len, 1500, &s);
  CHECK_EQ(s.sent, 1);
  CHECK_EQ(ct_mirror_error(fd), ECONNREFUSED);
  CHECK_EQ(ct_mirror_error(fd), 0);
  ct_mirror_send(fd, run, len, 1500, &s);
  ct_mirror_send(fd, run, len, 1500, &s);
  CHECK_EQ(s.err, ECONNREFUSED);
  CHECK_EQ(s.sent, 0);
  CHECK_EQ(s.at, 0);
  close(fd);
  CHECK_EQ(ct_mirror_error(fd), -EBADF);
  CHECK_EQ(ct_mirror_open("collector.example", 9060, 4), -EINVAL);
  CHECK_EQ(ct_mirror_open("::1", 9060, 4), -EINVAL);
}

int main(void) {
  packets();
  refusals();
  return report("test_mirror_socket");
}
