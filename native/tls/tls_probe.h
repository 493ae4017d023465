/* SPDX-License-Identifier: Apache-2.0
 * tls_probe.h - loads bpf/tls.bpf.c and attaches it to functions of TLS libraries.
 *
 * What the kernel takes is found by trying, best first: calls by entry and RET instructions in multi links, or in perf
 * events; addresses by the socket tracepoints, or by sys_exit. Nothing is pinned: when the process ends, however it ends,
 * the kernel takes everything back. All functions are called by one thread.
 */
#ifndef CALLTAP_TLS_PROBE_H
#define CALLTAP_TLS_PROBE_H
#include "../../bpf/tls_event.h"
#include "core/slab.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif

enum ct_tls_mode { CT_TLS_MULTI = 0, CT_TLS_PERF = 1, CT_TLS_NO_PROBES = 2 };
enum ct_tls_sockets { CT_TLS_SOCK_TP = 0, CT_TLS_SYS_EXIT = 1, CT_TLS_NO_SOCKETS = 2 };

#define CT_TLS_SITES 512u /* of one file */
#define CT_TLS_WHY 512u

struct ct_tls_opts {
  uint32_t ring_bytes; /* power of two, at least a page */
  uint32_t max_call;   /* 1..CT_TLS_CALL_MAX */
  uint32_t max_conns;
  bool sip_only;
  /* Take a lesser mechanism on purpose. */
  enum ct_tls_mode best_mode;
  bool force_sys_exit;
  bool
      force_old_helpers; /* as a kernel before 5.15: no cookies, none of the helpers up to 5.17, perf events only */
};

/* Which instruction of a function a site is. Exits are the RETs it can leave through. */
enum ct_tls_role {
  CT_TLS_ENTRY = 0,
  CT_TLS_ENTRY_ALONE = 1, /* its exits are not known: it gives evidence of addresses only */
  CT_TLS_EXIT = 2         /* of whatever function: op is 0, library too unless it is CT_TLS_GO */
};

struct ct_tls_site {
  uint64_t offset; /* in the file */
  uint8_t op;      /* enum ct_tls_op */
  uint8_t library; /* enum ct_tls_library */
  uint8_t role;    /* enum ct_tls_role */
  uint16_t proof; /* its row among the proofs, and CT_TLS_PROOF_ENDLESS; 0: the file itself says what it is */
  int64_t distance; /* of Go, to the method that a connection on TCP reads by, in 48 bits; 0: not known */
};

/* What wakes the reader: nothing, a part of the ring being full, any event (enum reader of tls_state.h). */
enum ct_tls_reader { CT_TLS_AWAKE = 0, CT_TLS_NAPS = 1, CT_TLS_SLEEPS = 2 };

struct ct_tls_links;

struct ct_tls_probe {
  enum ct_tls_mode mode;
  enum ct_tls_sockets sockets;
  char mode_why[CT_TLS_WHY];    /* why not a better one; empty for multi links */
  char sockets_why[CT_TLS_WHY]; /* empty for the tracepoints */
  bool has_helpers;             /* cookies and bpf_find_vma */
  bool has_process_events;      /* exec and exit are seen */
  bool has_forks;               /* fork is seen */
  uint32_t attachments;
  /* For the reader: the ring, and what wakes it (enum ct_tls_reader). */
  int ring_fd;
  uint32_t ring_bytes;
  uint32_t *reader_waits;
  /* Private. */
  void *skel;
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
const char *ct_tls_count_name(uint32_t i); /* snake_case; NULL past the end */
uint64_t ct_tls_execs(const struct ct_tls_probe *p);
/* The processes of the starts from the one with this number on; how many, or -1 when some are not remembered any more. */
int32_t ct_tls_started(const struct ct_tls_probe *p, uint64_t from, uint32_t pids[CT_TLS_STARTED]);

/* Which site of text is meant ("openssl-read-ex"); false when there is no such one. */
bool ct_tls_site_kind(const char *text, uint8_t *op, uint8_t *library);

/* tls_why.c: what a refusal means here and what to do about it, in one line. */
void ct_tls_explain(int err, const char *what, char why[CT_TLS_WHY]);

/* tls_files.c. Begins zeroed. */
#define CT_TLS_PROCESS_FILES 1024u /* files of one process that are seen */
struct ct_tls_seen {
  uint32_t pid, files;
  uint32_t most;    /* files of one process that are seen this time; 0: CT_TLS_PROCESS_FILES */
  uint64_t process; /* counts them; a slot of another one is free */
  struct {
    uint64_t process, ino;
    uint32_t dev;
  } slots[CT_TLS_PROCESS_FILES * 2u];
};
/*
 * Leaves the first row of each file of a process, and of the next one; those of a process come one after the other. How
 * many stay. `cut` counts rows of files beyond the cap.
 */
size_t ct_tls_once_each(struct ct_tls_seen *s, struct ct_tls_mapping *rows, size_t n, uint64_t *cut);

/* tls_scan.c: the program is loaded by the first scan and kept. Begins zeroed. */
struct ct_tls_scanner {
  void *skel, *link;
  ct_atomic_u32 stop; /* another thread ends a scan, and lets none begin */
  struct ct_tls_seen seen;
};
/* How many rows, in memory to free(); -errno with the reason. `cut`: rows of files that were too many for a process. */
int64_t ct_tls_scan(struct ct_tls_scanner *s, struct ct_tls_mapping **rows, uint64_t *cut,
                    char why[CT_TLS_WHY]);
void ct_tls_scan_close(struct ct_tls_scanner *s);

#ifdef __cplusplus
}
#endif
#endif
