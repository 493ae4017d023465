/* SPDX-License-Identifier: Apache-2.0
 * rtp_admit.h - who gets a place in a full stream table, and who gives it up.
 *
 * A stranger waits until a stream has ended. Whoever shows two packets in sequence takes the place of a candidate that
 * has not, so that a flood of forged single packets keeps nobody out. Who runs where a description said it would comes
 * first. What is refused leaves a mark: the next packet is compared with it, and a stream is counted once.
 */
#ifndef CALLTAP_RTP_ADMIT_H
#define CALLTAP_RTP_ADMIT_H
#include "rtp/rtp_stream.h"

#define CT_MARKS (1u << 20) /* refused streams remembered: 8 MiB, touched only when streams are refused */
#define CT_NAMES (1u << 20) /* bytes that count the named endpoints, by their hash */

/* STRANGER: the first packet seen. FOLLOWS: the packet after one that was refused. NAMED: an SDP names an end. */
enum ct_standing { CT_STRANGER, CT_FOLLOWS, CT_NAMED, CT_STANDINGS };
/* In the order in which they give their place. ONCE: a candidate without a step forward yet. */
enum ct_holding { CT_HOLDS_ONCE, CT_HOLDS_PROBING, CT_HOLDS_ACCEPTED, CT_HOLDS_CLAIMED, CT_HOLDINGS };

struct ct_mark {
  uint32_t flow; /* high half of the flow's hash */
  uint16_t seq;
  uint8_t pt;
  uint8_t used;
};

struct ct_admit {
  struct ct_mark *marks; /* sets of two cache lines, the newest first */
  uint8_t *names;        /* another thread writes them; one that is full stays so */
  uint64_t key[2];
  int64_t rest_ns[CT_STANDINGS]; /* capture time up to which nobody is looked for */
};

bool ct_admit_open(struct ct_admit *a, const uint64_t key[2]);
void ct_admit_close(struct ct_admit *a);
/* An SDP names the endpoint, or no longer does. One thread at a time; it need not be the table's. */
void ct_admit_name(struct ct_admit *a, const uint8_t addr[16], uint16_t port, bool is_named);
/* Whether an SDP names an end of the packet; another endpoint with the same hash may say so too. */
bool ct_admit_is_named(const struct ct_admit *a, const struct ct_packet *p);
enum ct_standing ct_admit_standing(const struct ct_admit *a, uint64_t hash, const struct ct_packet *p,
                                   const struct ct_rtp_header *h);
/* Leaves the mark; true when the stream had none. */
bool ct_admit_refuse(struct ct_admit *a, uint64_t hash, const struct ct_rtp_header *h);
/* True while a search for one of this standing has just found nobody. */
bool ct_admit_rests(const struct ct_admit *a, enum ct_standing standing, int64_t now);
void ct_admit_rest(struct ct_admit *a, enum ct_standing standing, int64_t now);
enum ct_holding ct_admit_holding(const struct ct_stream *s);
/* Whether the stream has been silent for long enough to give its place to one of this standing. */
bool ct_admit_gives(const struct ct_stream *s, enum ct_holding holding, enum ct_standing standing,
                    int64_t now);

#endif
