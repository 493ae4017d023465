/* SPDX-License-Identifier: Apache-2.0
 * hep_gate.h - who may send HEP and how much of it, judged before anything but its key is read or copied.
 *
 * One gate for all transports of a listener: the UDP thread judges a batch under one lock, the
 * TCP server on the JavaScript thread judges one packet at a time. Refusals are counted by reason
 * and by sender. The table of senders has a fixed size: a new sender takes the place of the one
 * with the fewest packets among CT_HEP_WAYS, so a flood of forged addresses cannot push out who
 * sends most, nor make a look-up long. All addresses are network order, IPv4 in the first 4 bytes.
 */
#ifndef CALLTAP_HEP_GATE_H
#define CALLTAP_HEP_GATE_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Networks of `--hep-allow`. @cap */
#define CT_HEP_ALLOW_MAX 256u

#define CT_HEP_SENDERS 512u
#define CT_HEP_WAYS 4u
#define CT_HEP_RATE_SLOTS 20u /* of 50 ms: the second over which the rate is counted */
#define CT_HEP_RATE 50000u    /* packets a second unless told otherwise */
#define CT_HEP_MAX_BYTES 65535u
#define CT_HEP_KEY_MAX 254u

/* What became of a packet. Keep ct_hep_verdict_name() in step. */
enum ct_hep_verdict {
  CT_HEP_TAKEN = 0,
  CT_HEP_NOT_ALLOWED, /* the sender is in no allowed network */
  CT_HEP_TOO_LONG,    /* longer than the caller's limit */
  CT_HEP_AUTH_FAILED, /* without the key that is asked for */
  CT_HEP_OVER_RATE,   /* beyond the total rate */
  CT_HEP_RING_FULL,   /* nobody took the records away in time */
  CT_HEP_VERDICTS
};
const char *ct_hep_verdict_name(uint32_t v); /* snake_case; NULL past the end */

struct ct_cidr {
  uint8_t version; /* 4 or 6 */
  uint8_t bits;
  uint8_t addr[16];
};

struct ct_hep_sender {
  uint64_t n[CT_HEP_VERDICTS];
  int64_t last_ns; /* its newest packet, by the clock the caller judges with */
  uint8_t addr[16];
  uint8_t version; /* 4 or 6; 0 for an entry not in use */
  bool is_allowed;
};

struct ct_hep_gate {
  pthread_mutex_t lock;
  uint64_t seed[2];
  uint64_t *n;        /* CT_HEP_VERDICTS totals, memory of the caller (of JavaScript) */
  uint64_t forgotten; /* packets of senders that lost their place in the table */
  struct ct_cidr allow[CT_HEP_ALLOW_MAX];
  uint32_t n_allow;
  uint32_t rate, max_bytes;
  uint8_t key[CT_HEP_KEY_MAX];
  uint32_t key_len;                            /* 0: no key is asked for */
  uint32_t slot[CT_HEP_RATE_SLOTS], in_second; /* packets taken by slot, and their sum */
  int64_t slot_at;                             /* number of the newest slot */
  struct ct_hep_sender sender[CT_HEP_SENDERS];
};

/* Totals go to `totals`, CT_HEP_VERDICTS of them. Loopback alone is allowed when n is 0. rate and
 * max_bytes 0 mean the defaults. -EINVAL for a network that is none (version, prefix length, too
 * many), -errno when there is no random seed. */
int ct_hep_gate_init(struct ct_hep_gate *g, uint64_t *totals, const struct ct_cidr *allow, uint32_t n,
                     uint32_t rate, uint32_t max_bytes);
/* From now on a packet without this key is refused before it takes a part of the rate. False for a key too long. */
bool ct_hep_gate_key(struct ct_hep_gate *g, const uint8_t *key, uint32_t len);
void ct_hep_gate_close(struct ct_hep_gate *g);

void ct_hep_gate_lock(struct ct_hep_gate *g);
void ct_hep_gate_unlock(struct ct_hep_gate *g);
/* Under the lock: verdict over one packet, not yet counted. *sender is valid until unlock. now_ns is
 * a clock that never runs back. An IPv4-mapped IPv6 address is judged as the IPv4 address it maps. Of the
 * packet the key is read, once its length is known to be allowed; NULL without one to read. */
enum ct_hep_verdict ct_hep_judge(struct ct_hep_gate *g, const uint8_t addr[16], uint8_t version,
                                 const uint8_t *packet, uint32_t len, int64_t now_ns,
                                 struct ct_hep_sender **sender);
/* Under the lock: counts what became of it. */
void ct_hep_count(struct ct_hep_gate *g, struct ct_hep_sender *sender, enum ct_hep_verdict v);
/* Judges and counts one packet; takes the lock. */
enum ct_hep_verdict ct_hep_admit(struct ct_hep_gate *g, const uint8_t addr[16], uint8_t version,
                                 const uint8_t *packet, uint32_t len, int64_t now_ns);
/* Copies at most max senders, those with the most refusals first, then those with the most packets. */
uint32_t ct_hep_top_senders(struct ct_hep_gate *g, struct ct_hep_sender *out, uint32_t max);

#ifdef __cplusplus
}
#endif
#endif
