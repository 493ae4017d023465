/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams that this program sends itself: answers to scanners, and alerts for a syslog daemon. See reply_socket.h. */
#include "system/reply_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int ct_reply_open(int version) {
  int fd = socket(version == 6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_RAW);
  return fd < 0 ? -errno : fd;
}

int ct_reply_send(int fd, const struct ct_datagram *d, const uint8_t *payload, size_t len) {
  if (len > CT_REPLY_MAX) return -EMSGSIZE;
  uint8_t packet[CT_DATAGRAM_HEADERS + CT_REPLY_MAX];
  const uint32_t made = ct_datagram_put(packet, d, payload, (uint32_t)len);
  struct sockaddr_storage to;
  memset(&to, 0, sizeof to);
  socklen_t to_len;
  if (d->version == 6) {
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&to;
    six->sin6_family = AF_INET6;
    memcpy(&six->sin6_addr, d->dst, 16);
    to_len = sizeof *six;
  } else {
    packet[6] = 0; /* may be fragmented; the kernel fills in identification and checksum */
    struct sockaddr_in *four = (struct sockaddr_in *)&to;
    four->sin_family = AF_INET;
    memcpy(&four->sin_addr, d->dst, 4);
    to_len = sizeof *four;
  }
  const ssize_t n = sendto(fd, packet, made, MSG_NOSIGNAL, (struct sockaddr *)&to, to_len);
  return n < 0 ? -errno : 0;
}

int ct_syslog_open(const char *path) {
  struct sockaddr_un to;
  memset(&to, 0, sizeof to);
  to.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof to.sun_path) return -ENAMETOOLONG;
  memcpy(to.sun_path, path, strlen(path));
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -errno;
  if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
    const int why = errno;
    close(fd);
    return -why;
  }
  return fd;
}

int ct_syslog_send(int fd, const uint8_t *text, size_t len) {
  return send(fd, text, len, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
