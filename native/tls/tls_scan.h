/* SPDX-License-Identifier: Apache-2.0
 * tls_scan.h - which files the processes map, by a program that the kernel runs over all of them.
 */
#ifndef CALLTAP_TLS_SCAN_H
#define CALLTAP_TLS_SCAN_H
#include "core/slab.h"
#include "tls/tls_files.h"
#include "tls/tls_why.h"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The program is loaded by the first scan and kept. Begins zeroed. */
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
