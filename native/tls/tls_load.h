/* SPDX-License-Identifier: Apache-2.0
 * tls_load.h - finds what of bpf/tls.bpf.c this kernel takes, and loads that: trying, best first.
 *
 * Calls are seen by entry and RET instructions in multi links, or in perf events; addresses by the socket tracepoints, or
 * by sys_exit.
 */
#ifndef CALLTAP_TLS_LOAD_H
#define CALLTAP_TLS_LOAD_H
#include "tls/tls_link.h"
#include "tls/tls_why.h"
#ifdef __cplusplus
extern "C" {
#endif

enum ct_tls_sockets { CT_TLS_SOCK_TP = 0, CT_TLS_SYS_EXIT = 1, CT_TLS_NO_SOCKETS = 2 };

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

struct ct_tls_loaded {
  enum ct_tls_mode mode;
  enum ct_tls_sockets sockets;
  char mode_why[CT_TLS_WHY];    /* why not a better one; empty for multi links */
  char sockets_why[CT_TLS_WHY]; /* empty for the tracepoints */
  bool has_helpers;             /* cookies and bpf_find_vma */
  bool has_process_events;      /* exec and exit are seen */
  bool has_forks;               /* fork is seen */
  void *skel;                   /* NULL: nothing is loaded */
};

/* Begins zeroed. False: `why` says what is missing and what to do, and nothing stays loaded. */
bool ct_tls_load(struct ct_tls_loaded *l, const struct ct_tls_opts *o, char why[CT_TLS_WHY]);
void ct_tls_unload(struct ct_tls_loaded *l);
/* Those that watch calls, of what is loaded. */
struct ct_tls_programs ct_tls_programs_of(const struct ct_tls_loaded *l);

#ifdef __cplusplus
}
#endif
#endif
