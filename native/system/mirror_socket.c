/* SPDX-License-Identifier: Apache-2.0 */
/* HEP 3 packets to a collector over UDP. See mirror_socket.h. */
#include "system/mirror_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { BATCH = 64, HEP_HEADER = 6 };

int ct_mirror_open(const char *ip, uint16_t port, int version) {
  struct sockaddr_storage to;
  memset(&to, 0, sizeof to);
  struct sockaddr_in *four = (struct sockaddr_in *)&to;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&to;
  const int family = version == 6 ? AF_INET6 : AF_INET;
  to.ss_family = (sa_family_t)family;
  if (version == 6)
    six->sin6_port = htons(port);
  else
    four->sin_port = htons(port);
  if (inet_pton(family, ip, version == 6 ? (void *)&six->sin6_addr : (void *)&four->sin_addr) != 1)
    return -EINVAL;
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  const struct timeval wait = {CT_MIRROR_WAIT_MS / 1000, CT_MIRROR_WAIT_MS % 1000 * 1000};
  const int bytes = CT_MIRROR_SEND_BUFFER;
  /* The system grants less where its limit is lower. */
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) != 0 ||
      connect(fd, (struct sockaddr *)&to, version == 6 ? sizeof *six : sizeof *four) != 0) {
    const int why = errno;
    close(fd);
    return -why;
  }
  return fd;
}

int ct_mirror_name(int fd, char *ip, size_t room, uint16_t *port) {
  struct sockaddr_storage own;
  memset(&own, 0, sizeof own);
  socklen_t len = sizeof own;
  if (getsockname(fd, (struct sockaddr *)&own, &len) != 0) return errno;
  const struct sockaddr_in *four = (const struct sockaddr_in *)&own;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&own;
  const int is_six = own.ss_family == AF_INET6;
  *port = ntohs(is_six ? six->sin6_port : four->sin_port);
  const void *address = is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr;
  return inet_ntop(own.ss_family, address, ip, (socklen_t)room) == NULL ? errno : 0;
}

/* Length of the packet at data[at..len); 0 where none is whole. */
static size_t packet_at(const uint8_t *data, size_t at, size_t len) {
  if (len - at < HEP_HEADER) return 0;
  const size_t n = (size_t)data[at + 4] << 8 | data[at + 5];
  return n < HEP_HEADER || n > len - at ? 0 : n;
}

void ct_mirror_send(int fd, const uint8_t *data, size_t len, size_t max, struct ct_mirror_sent *out) {
  memset(out, 0, sizeof *out);
  while (out->at < len) {
    struct mmsghdr batch[BATCH];
    struct iovec part[BATCH];
    memset(batch, 0, sizeof batch);
    unsigned n = 0;
    size_t next = out->at, length;
    while (n < BATCH && (length = packet_at(data, next, len)) > 0 && length <= max) {
      part[n] = (struct iovec){(void *)(uintptr_t)(data + next), length};
      batch[n].msg_hdr.msg_iov = &part[n];
      batch[n++].msg_hdr.msg_iovlen = 1;
      next += length;
    }
    if (n == 0) {
      length = packet_at(data, out->at, len);
      out->too_long++;
      /* What is no packet has no next one. */
      out->at = length == 0 ? len : out->at + length;
      continue;
    }
    const int done = sendmmsg(fd, batch, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EMSGSIZE) {
      out->too_long++;
      out->at += part[0].iov_len;
      continue;
    }
    if (done < 0) {
      out->err = errno;
      return;
    }
    for (int i = 0; i < done; i++) {
      out->sent++;
      out->sent_bytes += part[i].iov_len;
      out->at += part[i].iov_len;
    }
  }
}

int ct_mirror_error(int fd) {
  int err = 0;
  socklen_t len = sizeof err;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 ? err : -errno;
}
