/* SPDX-License-Identifier: Apache-2.0
 * inject.h - a bounded queue of RTP packets from reassembled datagrams, for the thread that owns the stream table.
 */
#ifndef CALLTAP_INJECT_H
#define CALLTAP_INJECT_H
#include "decode/packet.h"

/* RTP packets of reassembled datagrams that wait. @cap rtp_from_fragments_dropped */
#define CT_INJECT_MAX 1024u

#define CT_INJECT_BYTES 2048u /* of each, the rest is cut */

struct ct_inject;
struct ct_injected {
  struct ct_packet p; /* its payload is `bytes`; there is no frame and no framing */
  uint8_t bytes[CT_INJECT_BYTES];
};

struct ct_inject *ct_inject_create(void); /* NULL: out of memory */
void ct_inject_free(struct ct_inject *q);
/* Copies a packet into the queue, from any thread. False when the queue is full, or without memory. */
bool ct_inject_put(struct ct_inject *q, const struct ct_packet *p);
/* Owner: true when nothing waits. Takes no lock. */
bool ct_inject_is_empty(const struct ct_inject *q);
/* Owner: the oldest packet into `out`; false when nothing waits. */
bool ct_inject_take(struct ct_inject *q, struct ct_injected *out);

#endif
