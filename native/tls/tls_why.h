/* SPDX-License-Identifier: Apache-2.0
 * tls_why.h - what a refusal of the kernel means here, and what would help: facts first, words from them alone.
 */
#ifndef CALLTAP_TLS_WHY_H
#define CALLTAP_TLS_WHY_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_TLS_WHY 512u /* room for the line */

struct ct_tls_facts {
  char kernel[65];     /* uname -r */
  bool is_admin;       /* effective CAP_SYS_ADMIN */
  bool has_bpf;        /* CAP_BPF, or CAP_SYS_ADMIN */
  bool has_perfmon;    /* CAP_PERFMON, or CAP_SYS_ADMIN */
  bool is_user_ns;     /* another user namespace than the first: capabilities do not reach the kernel's own */
  bool is_locked_down; /* lockdown=confidentiality */
  bool has_btf;        /* /sys/kernel/btf/vmlinux can be read */
  bool is_filtered;    /* a seccomp filter is in force */
  bool bpf_refused;    /* bpf() is refused before the kernel looks at what is asked */
  bool perf_refused;   /* perf_event_open() likewise */
  bool memory_is_limited; /* RLIMIT_MEMLOCK is not infinite */
};

/* Of this process, by /proc and by two calls that ask for nothing. */
void ct_tls_facts(struct ct_tls_facts *f);
/* One line: what failed, why, and what would help where that is known. */
void ct_tls_explain_by(const struct ct_tls_facts *f, int err, const char *what, char why[CT_TLS_WHY]);
/* The same by the facts of this process, as they are now. */
void ct_tls_explain(int err, const char *what, char why[CT_TLS_WHY]);

#ifdef __cplusplus
}
#endif
#endif
