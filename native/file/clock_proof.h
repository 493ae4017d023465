/* SPDX-License-Identifier: Apache-2.0
 * clock_proof.h - whether the time between two records that follow each other passed, or the clock of the host that
 * captured them was set.
 *
 * A stream has a clock of its own: its timestamps. Behind a pause, an outage or a host that stood still they have moved with
 * the time, or the stream makes up for it soon. Behind a step of the host's clock they go on as if nothing had been, in every
 * stream by the same time. So three streams of their own that calls have named, of two hosts, prove a step of at least
 * CT_CLOCK_LEAST_NS, and two where the time goes back. A single one that contradicts them disproves it.
 */
#ifndef CALLTAP_CLOCK_PROOF_H
#define CALLTAP_CLOCK_PROOF_H
#include "rtp/rtp_stream.h"

#define CT_CLOCK_FLOWS 1024u           /* streams that are compared */
#define CT_CLOCK_LEAST_NS 150000000LL  /* no network time is set by less, and packets are late by more */
#define CT_CLOCK_WATCH_NS 5000000000LL /* a stream that makes up for a delay begins to within so long */

struct ct_clock_flow {
  uint32_t round, stream; /* of which question, and the stream's index */
  const struct ct_stream *s;
  /* What the earliest packet is late by: of the first eight, of the last ones but for at most eight, of those. */
  int64_t first, end[2];
  int64_t sum; /* of what the first eight are late by, less the gap: eight times 55 years are no int64_t */
  uint32_t packets;
};

struct ct_clock_proof {
  struct ct_clock_flow flow[CT_CLOCK_FLOWS];
  int64_t late[CT_CLOCK_FLOWS]; /* room to find the middle one */
  int64_t gap_ns, before_ns;
  uint32_t round, flows;
};

/* A record came `gap_ns` behind the one before it, whose time was `before_ns`. */
void ct_clock_ask(struct ct_clock_proof *p, int64_t gap_ns, int64_t before_ns);
/* A packet behind the gap, of a stream that is as it was in front of it. False: the stream disproves a step. */
bool ct_clock_take(struct ct_clock_proof *p, const struct ct_stream *s, const struct ct_rtp_header *h,
                   int64_t now);
/* Whether enough streams went on that a step may yet be proven. */
bool ct_clock_may_be(const struct ct_clock_proof *p);
/* The size of the step, at most that of the gap; 0: not proven. */
int64_t ct_clock_step(struct ct_clock_proof *p);

#endif
