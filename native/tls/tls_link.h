/* SPDX-License-Identifier: Apache-2.0
 * tls_link.h - loads the programs, and makes the kernel's links between them and instructions of a file, in one of
 * two ways.
 *
 * Only tls_probe.c uses it, and only where libbpf is there. uprobe links of libbpf 1.1 know none but perf
 * events, so the others are made by bpf(2).
 */
#ifndef CALLTAP_TLS_LINK_H
#define CALLTAP_TLS_LINK_H
#include "tls/tls_probe.h"
#ifdef __cplusplus
extern "C" {
#endif

/* enum bpf_attach_type of kernels newer than the header's: BPF_TRACE_UPROBE_MULTI. */
#define CT_ATTACH_MULTI 48

struct bpf_program;
struct ct_tls_programs {
  struct bpf_program *enter, *go_enter; /* NULL without cookies */
  struct bpf_program *leave, *go_leave;
  /* Without cookies: one for each library and operation. */
  struct bpf_program *enter_of[CT_TLS_LIBRARIES][CT_TLS_OPS];
};

/* tls_load.c: loads and tries, from the best way on; sets mode, mode_why and skel. False: nothing stays, and why. */
bool ct_tls_load(struct ct_tls_probe *p, const struct ct_tls_opts *o, char why[CT_TLS_WHY]);
/* Of a loaded probe. */
struct ct_tls_programs ct_tls_programs_of(const struct ct_tls_probe *p);

/* Name of the program in bpf/tls.bpf.c for a kind of site, for kernels without cookies: calltap_OPENSSL_READ_EX. */
#define CT_TLS_PROGRAM_NAME 64u
void ct_tls_program_name(uint32_t library, uint32_t op, char name[CT_TLS_PROGRAM_NAME]);

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
