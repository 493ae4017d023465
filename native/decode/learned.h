/* SPDX-License-Identifier: Apache-2.0
 * learned.h - the sockets that proved to be SIP while a capture went on, beside the ports of the gate.
 *
 * The main thread says which they are, and the thread that captures looks them up: a set of few, without a lock. A look-up
 * during a change may miss a socket that comes or goes, and takes no other one for it.
 */
#ifndef CALLTAP_LEARNED_H
#define CALLTAP_LEARNED_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Sockets that are learned at a time; src/ingest/sip-sockets.ts decides which. @cap */
#define CT_LEARNED_MAX 64u

/* As JavaScript gives a socket: address and port in network order, IPv4 in the first 4 bytes, and 4 or 6. */
struct ct_learned_key {
  uint8_t addr[16];
  uint16_t port;
  uint16_t ip_version;
};

struct ct_learned {
  uint64_t ports
      [1024]; /* one bit a port: most packets are told by it, and so is all that the kernel filter asks */
  uint64_t socket[CT_LEARNED_MAX][3]; /* address, and ip_version << 16 | port; 0 there: no socket */
};

/* From now on these `n` are the learned ones. One thread at a time. */
void ct_learned_set(struct ct_learned *l, const struct ct_learned_key *keys, uint32_t n);
bool ct_learned_has(const struct ct_learned *l, const uint8_t addr[16], uint16_t port, uint8_t ip_version);

static inline bool ct_learned_port(const struct ct_learned *l, uint16_t port) {
  return (__atomic_load_n(&l->ports[port >> 6], __ATOMIC_RELAXED) >> (port & 63)) & 1;
}

#ifdef __cplusplus
}
#endif
#endif
