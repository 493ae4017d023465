/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mirror_socket.h - sends a run of HEP 3 packets to a collector over UDP, many a system call.
 *
 * The socket blocks, for CT_MIRROR_WAIT_MS at most: whoever sends does so on a thread that may wait for the network.
 */
#ifndef CALLTAP_MIRROR_SOCKET_H
#define CALLTAP_MIRROR_SOCKET_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CT_MIRROR_WAIT_MS 1000
#define CT_MIRROR_SEND_BUFFER (4 * 1024 * 1024)

struct ct_mirror_sent {
  uint32_t sent, too_long; /* packets */
  uint64_t sent_bytes;
  size_t at; /* what lies before it was sent, or is too long */
  int err;   /* why the rest was not sent; 0 when all of it was. ECONNREFUSED is about a packet sent before */
};

/* A socket connected to that address (text of an IP version), or -errno. */
int ct_mirror_open(const char *ip, uint16_t port, int version);

/* Its own port and address as text (INET6_ADDRSTRLEN); errno. */
int ct_mirror_name(int fd, char *ip, size_t room, uint16_t *port);

/* Sends the packets of data[0..len) in order; one longer than `max` bytes is passed over. */
void ct_mirror_send(int fd, const uint8_t *data, size_t len, size_t max, struct ct_mirror_sent *out);

/* The error that the network reported since the last time, 0 none; -errno when the socket cannot say. */
int ct_mirror_error(int fd);

#ifdef __cplusplus
}
#endif

#endif
