/* SPDX-License-Identifier: Apache-2.0
 * tls_probe.h - attaches what tls_load.h has loaded to functions of TLS libraries, and reads what it has counted.
 *
 * Nothing is pinned: when the process ends, however it ends, the kernel takes everything back. All functions are called
 * by one thread.
 */
#ifndef CALLTAP_TLS_PROBE_H
#define CALLTAP_TLS_PROBE_H
#include "../../bpf/tls_event.h"
#include "tls/tls_load.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What wakes the reader: nothing, a part of the ring being full, any event (enum reader of tls_state.h). */
enum ct_tls_reader { CT_TLS_AWAKE = 0, CT_TLS_NAPS = 1, CT_TLS_SLEEPS = 2 };

struct ct_tls_probe {
  struct ct_tls_loaded loaded; /* the programs, as this kernel takes them */
  uint32_t attachments;
  /* For the reader: the ring, and what wakes it (enum ct_tls_reader). */
  int ring_fd;
  uint32_t ring_bytes;
  uint32_t *reader_waits;
  /* Private. */
  struct ct_tls_links *links;
  struct ct_tls_stack tidied; /* where it continues */
  bool is_tidying;
  uint8_t allow_generation;
  bool sockets_on;
};

/* Loads and tries. False: `why` says what is missing and what to do, and nothing stays open. */
bool ct_tls_probe_open(struct ct_tls_probe *p, const struct ct_tls_opts *o, char why[CT_TLS_WHY]);
/* Detaches everything and unloads. Safe to call twice. */
void ct_tls_probe_close(struct ct_tls_probe *p);

/* All sites of one file, or none; an exit may be given more than once. pid 0: every process, now and later.
 * An id > 0, or -errno with the reason. */
int64_t ct_tls_attach(struct ct_tls_probe *p, const char *path, uint32_t pid, const struct ct_tls_site *sites,
                      uint32_t n, char why[CT_TLS_WHY]);
bool ct_tls_detach(struct ct_tls_probe *p, uint32_t id);

/* Whether a call of the process was seen. */
bool ct_tls_observes(const struct ct_tls_probe *p, uint32_t pid);
/* Observe only these processes and those they fork until the list after the next; NULL: all. 0 or -errno. */
int ct_tls_allow(struct ct_tls_probe *p, const uint32_t *pids, uint32_t n);
/* Adds rows to the programs that are meant from their start, and sets the rule (enum ct_tls_start). 0 or -errno. */
int ct_tls_starts(struct ct_tls_probe *p, uint32_t rule, const struct ct_tls_program *programs, uint32_t n);
/* Forgets open calls of programs that have ended, some of all at each call. */
void ct_tls_tidy(struct ct_tls_probe *p);
/* What an undecided connection is. 0 or -errno. */
int ct_tls_verdict(struct ct_tls_probe *p, uint64_t conn, bool is_sip);
/* What the calls of a function under proof have shown; false when it cannot be read. Attaching begins it. */
bool ct_tls_read_proof(const struct ct_tls_probe *p, uint32_t row, struct ct_tls_proof *out);
/* Sums over the processors; false when it cannot be read. */
bool ct_tls_counts(const struct ct_tls_probe *p, uint64_t out[CT_TLS_N_COUNT]);
uint64_t ct_tls_execs(const struct ct_tls_probe *p);
/* The processes of the starts from the one with this number on; how many, or -1 when some are not remembered any more. */
int32_t ct_tls_started(const struct ct_tls_probe *p, uint64_t from, uint32_t pids[CT_TLS_STARTED]);

#ifdef __cplusplus
}
#endif
#endif
