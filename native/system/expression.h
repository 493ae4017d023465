/* SPDX-License-Identifier: Apache-2.0
 * expression.h - tcpdump's filter expressions, compiled by libpcap, which is loaded when the first one comes and may be
 * missing. Any thread may call any function.
 */
#ifndef CALLTAP_EXPRESSION_H
#define CALLTAP_EXPRESSION_H
#include "core/classic_bpf.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CT_EXPRESSION_ERROR 256u

/* Loads libpcap the first time. Empty, else why it is not there and what to do. */
const char *ct_expression_refusal(void);
/* The program of an expression for frames of a link type (LINKTYPE_*), which the caller frees, and its length; NULL: libpcap
 * says in `error` why not. */
struct ct_bpf_insn *ct_expression_compile(const char *text, uint32_t linktype, uint32_t *n,
                                          char error[CT_EXPRESSION_ERROR]);

#ifdef __cplusplus
}
#endif
#endif
