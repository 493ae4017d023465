/* SPDX-License-Identifier: Apache-2.0
 * tls_link.h - makes the kernel's links between programs and instructions of a file, in one of two ways.
 *
 * Only tls_load.c and tls_probe.c use it, and only where libbpf is there. uprobe links of libbpf 1.1 know none but perf
 * events, so the others are made by bpf(2).
 */
#ifndef CALLTAP_TLS_LINK_H
#define CALLTAP_TLS_LINK_H
#include "../../bpf/tls_event.h"
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum ct_tls_mode { CT_TLS_MULTI = 0, CT_TLS_PERF = 1, CT_TLS_NO_PROBES = 2 };

#define CT_TLS_SITES 512u /* of one file */

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

/* enum bpf_attach_type of kernels newer than the header's: BPF_TRACE_UPROBE_MULTI. */
#define CT_ATTACH_MULTI 48

struct bpf_program;
struct ct_tls_programs {
  struct bpf_program *enter, *go_enter; /* NULL without cookies */
  struct bpf_program *leave, *go_leave;
  /* Without cookies: one for each library and operation. */
  struct bpf_program *enter_of[CT_TLS_LIBRARIES][CT_TLS_OPS];
};

struct ct_tls_links;
/* The table of attachments; NULL without memory. */
struct ct_tls_links *ct_tls_links_new(void);
/* Detaches all. */
void ct_tls_links_free(struct ct_tls_links *links);

/* Attaches to an instruction of this process that does not run again, and detaches. 0 or -errno. */
int ct_tls_link_trial(enum ct_tls_mode mode, const struct ct_tls_programs *programs);
/* An id > 0, or -errno and nothing is attached. */
int64_t ct_tls_link_make(struct ct_tls_links *links, enum ct_tls_mode mode,
                         const struct ct_tls_programs *programs, const char *path, uint32_t pid,
                         const struct ct_tls_site *sites, uint32_t n);
bool ct_tls_link_drop(struct ct_tls_links *links, uint32_t id);

#ifdef __cplusplus
}
#endif
#endif
