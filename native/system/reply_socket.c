/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams that this program sends itself: answers to scanners, and alerts for a syslog daemon. See reply_socket.h. */
#include "system/reply_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { IP4 = 20, IP6 = 40, UDP = 8, TTL = 64 };

int ct_reply_open(int version) {
  int fd = socket(version == 6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_RAW);
  return fd < 0 ? -errno : fd;
}

static void put16(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)(v >> 8);
  p[1] = (uint8_t)v;
}

/* Sum of 16-bit words, as checksums add them (RFC 1071). */
static uint32_t sum16(const uint8_t *p, size_t len, uint32_t sum) {
  size_t i = 0;
  for (; i + 1 < len; i += 2) sum += (uint32_t)p[i] << 8 | p[i + 1];
  if (i < len) sum += (uint32_t)p[i] << 8;
  return sum;
}

static uint16_t folded(uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

/*  0               8               16              24
 * | IPv4 header, 20 bytes (RFC 791), or IPv6 header, 40 bytes (RFC 8200)
 * | source port                   | destination port              |
 * | length                        | checksum over pseudo-header   |  (RFC 768)
 * | payload ... */
int ct_reply_send(int fd, int version, const uint8_t *src, uint16_t sport, const uint8_t *dst, uint16_t dport,
                  const uint8_t *payload, size_t len) {
  if (len > CT_REPLY_MAX) return -EMSGSIZE;
  uint8_t packet[IP6 + UDP + CT_REPLY_MAX];
  memset(packet, 0, IP6 + UDP);
  const size_t address = version == 6 ? 16 : 4;
  const size_t head = version == 6 ? IP6 : IP4;
  const uint32_t udp_len = (uint32_t)(UDP + len);
  if (version == 6) {
    packet[0] = 0x60;
    put16(packet + 4, udp_len);
    packet[6] = IPPROTO_UDP;
    packet[7] = TTL;
    memcpy(packet + 8, src, 16);
    memcpy(packet + 24, dst, 16);
  } else {
    /* The kernel fills in total length, identification and checksum. */
    packet[0] = 0x45;
    put16(packet + 2, (uint32_t)head + udp_len);
    packet[8] = TTL;
    packet[9] = IPPROTO_UDP;
    memcpy(packet + 12, src, 4);
    memcpy(packet + 16, dst, 4);
  }
  uint8_t *udp = packet + head;
  put16(udp, sport);
  put16(udp + 2, dport);
  put16(udp + 4, udp_len);
  if (len > 0) memcpy(udp + UDP, payload, len);
  uint32_t sum = sum16(src, address, IPPROTO_UDP + udp_len);
  sum = sum16(dst, address, sum);
  const uint16_t check = folded(sum16(udp, udp_len, sum));
  put16(udp + 6, check == 0 ? 0xffff : check);
  struct sockaddr_storage to;
  memset(&to, 0, sizeof to);
  socklen_t to_len;
  if (version == 6) {
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&to;
    six->sin6_family = AF_INET6;
    memcpy(&six->sin6_addr, dst, 16);
    to_len = sizeof *six;
  } else {
    struct sockaddr_in *four = (struct sockaddr_in *)&to;
    four->sin_family = AF_INET;
    memcpy(&four->sin_addr, dst, 4);
    to_len = sizeof *four;
  }
  const ssize_t n = sendto(fd, packet, head + udp_len, MSG_NOSIGNAL, (struct sockaddr *)&to, to_len);
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
