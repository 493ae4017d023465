/* SPDX-License-Identifier: Apache-2.0
 * tls_names.h - the words for what bpf/tls_event.h numbers: counts, kinds of sites, and the programs of those.
 */
#ifndef CALLTAP_TLS_NAMES_H
#define CALLTAP_TLS_NAMES_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

const char *ct_tls_count_name(uint32_t i); /* snake_case; NULL past the end */

/* Which site of text is meant ("openssl-read-ex"); false when there is no such one. */
bool ct_tls_site_kind(const char *text, uint8_t *op, uint8_t *library);

/* Name of the program in bpf/tls.bpf.c for a kind of site, for kernels without cookies: calltap_OPENSSL_READ_EX. */
#define CT_TLS_PROGRAM_NAME 64u
void ct_tls_program_name(uint32_t library, uint32_t op, char name[CT_TLS_PROGRAM_NAME]);

#ifdef __cplusplus
}
#endif
#endif
