/* SPDX-License-Identifier: Apache-2.0
 * tls_movers.h - watches for some time which processes move TLS records on their sockets (bpf/movers.bpf.c).
 *
 * Loaded for each watch and let go after it: who only waits costs nothing.
 */
#ifndef CALLTAP_TLS_MOVERS_H
#define CALLTAP_TLS_MOVERS_H
#include "../../bpf/tls_event.h"
#include "core/slab.h"
#include "tls/tls_why.h"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Watches for so long, or until `stop` is not 0. How many rows, in memory to free(); -errno with the reason. */
int64_t ct_tls_watch_movers(uint32_t ms, const ct_atomic_u32 *stop, struct ct_tls_mover **rows,
                            char why[CT_TLS_WHY]);

#ifdef __cplusplus
}
#endif
#endif
