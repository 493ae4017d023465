/* SPDX-License-Identifier: Apache-2.0
 * pages.c - maps memory at a multiple of the huge page's size.
 */
#include "core/pages.h"
#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *ct_pages_map(size_t bytes) {
  size_t lead = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
  uint8_t *at = mmap(NULL, bytes + lead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  if (lead == 0) return at;
  /* A huge page begins at a multiple of its size: the rest in front and at the end goes back. */
  size_t skip = (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
  if (skip > 0) munmap(at, skip);
  munmap(at + skip + bytes, lead - skip);
  madvise(at + skip, bytes, MADV_HUGEPAGE); /* a hint */
  return at + skip;
}

void ct_pages_unmap(void *at, size_t bytes) {
  if (at != NULL) munmap(at, bytes);
}
