/* SPDX-License-Identifier: Apache-2.0
 * pages.h - zeroed memory for large tables that are read at random.
 */
#ifndef CALLTAP_PAGES_H
#define CALLTAP_PAGES_H
#include <stddef.h>

/* Zeroed memory, on huge pages when it is large enough for them: with small pages nearly every read at random also
 * misses the TLB. NULL without one. */
void *ct_pages_map(size_t bytes);
void ct_pages_unmap(void *at, size_t bytes);

#endif
