/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a datagram from an address and port that another program holds: the answer to a scanner comes from the very
 * socket address that the scanner asked (RFC 3261 18.2.2), which the SIP server has bound. Raw sockets, never blocking. */
#ifndef CT_REPLY_SOCKET_H
#define CT_REPLY_SOCKET_H

#include "core/datagram.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Longest payload: an answer never needs fragments. */
#define CT_REPLY_MAX 1400

/* A raw socket for IP version 4 or 6, or -errno. Needs CAP_NET_RAW. */
int ct_reply_open(int version);

/* One UDP datagram. 0, or -errno. */
int ct_reply_send(int fd, const struct ct_datagram *d, const uint8_t *payload, size_t len);

/* A datagram socket connected to a syslog daemon's socket, or -errno. Never blocks. */
int ct_syslog_open(const char *path);

/* One message. 0, or -errno. */
int ct_syslog_send(int fd, const uint8_t *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
