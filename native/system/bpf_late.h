/* SPDX-License-Identifier: Apache-2.0
 * bpf_late.h - libbpf is loaded when it is needed, and may be missing.
 */
#ifndef CALLTAP_BPF_LATE_H
#define CALLTAP_BPF_LATE_H
#ifdef __cplusplus
extern "C" {
#endif

/* Loads libbpf the first time. Empty, else why it is not there and what to do; then no function of it may be called. */
const char *ct_bpf_refusal(void);

#ifdef __cplusplus
}
#endif
#endif
