/* SPDX-License-Identifier: Apache-2.0
 * source_hep.h - a thread that receives HEP over UDP into the ring, one CT_KIND_HEP record a datagram.
 *
 * A record's addresses are the sender's and the listener's, its time is the kernel's receive time as
 * steady time (system/host_clock.h).
 * A live source never waits for JavaScript: while the ring is full, datagrams stay in the kernel's
 * receive buffer until that is three quarters full, and are then read and counted as ring_full. What the
 * kernel drops is counted too.
 */
#ifndef CALLTAP_SOURCE_HEP_H
#define CALLTAP_SOURCE_HEP_H
#include "core/slab.h"
#include "hep/hep_gate.h"
#include "output/pcap_write.h"
#include "system/host_clock.h"
#include <netinet/in.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_HEP_BATCH 128u
#define CT_HEP_NAP_US 500u                  /* after a batch less than a quarter full */
#define CT_HEP_RCVBUF (64u * 1024u * 1024u) /* asked for; the kernel doubles it */

/* Counters seen by JavaScript as one array: the verdicts (enum ct_hep_verdict), then these. */
enum ct_hep_counter {
  CT_HEP_N_DATAGRAMS = CT_HEP_VERDICTS, /* received, whatever became of them */
  CT_HEP_N_BYTES,
  CT_HEP_N_KERNEL_DROPPED, /* the receive buffer was full, or the checksum wrong */
  CT_HEP_N_RECEIVE_ERRORS,
  CT_HEP_N_BATCHES,
  CT_HEP_N_HELD, /* naps because the ring was full */
  CT_HEP_COUNTERS
};
const char *ct_hep_counter_name(uint32_t i); /* snake_case; NULL past the end */

struct ct_hep_source {
  /* Set by the caller, who owns them all until ct_hep_stop() has returned. */
  struct ct_ring *ring;
  struct ct_hep_gate *gate;
  uint64_t *counters; /* CT_HEP_COUNTERS; the gate counts its verdicts in the first of them */
  uint32_t source_id;
  uint32_t rcvbuf;               /* 0: CT_HEP_RCVBUF */
  struct ct_pcap_writer *output; /* where taken datagrams are written as frames (-O); NULL nowhere */
  /* Facts after ct_hep_open(). */
  uint32_t rcvbuf_got; /* bytes the kernel grants, its doubling included */
  uint16_t port;
  uint8_t version; /* of the listening address, 4 or 6 */
  uint8_t bound[16];
  bool is_any; /* bound to the unspecified address */
  /* Private. */
  int fd, wake, last_errno;
  bool is_open, running;
  ct_atomic_u32 stop;
  uint32_t seen_drops;
  struct ct_host_stamps stamps; /* of the datagrams */
  pthread_t thread;
  struct ct_hep_batch *batch;
};

/* Binds a numeric address (a zone is understood); port 0 picks one. 0 or -errno. */
int ct_hep_open(struct ct_hep_source *s, const char *address, uint16_t port);
/* Starts the thread. 0 or -errno. */
int ct_hep_start(struct ct_hep_source *s);
/* Ends the thread: it takes what lies in the receive buffer and publishes it. The ring continues. Safe to call twice. */
void ct_hep_halt(struct ct_hep_source *s);
/* Stops the ring, joins the thread, closes the socket: within a few ms. Safe to call twice. */
void ct_hep_stop(struct ct_hep_source *s);

#ifdef __cplusplus
}
#endif
#endif
