/* SPDX-License-Identifier: Apache-2.0
 * tls_files.c - see tls_files.h.
 */
#include "tls/tls_files.h"
#include <stdbool.h>

#define SLOTS (CT_TLS_PROCESS_FILES * 2u) /* a power of two */

/* Whether it is the first row of its file in this process, which is remembered; false too where there is no room. */
static bool is_first(struct ct_tls_seen *s, const struct ct_tls_mapping *row, uint64_t *cut) {
  uint64_t h = (row->ino ^ (uint64_t)row->dev << 40) * 0x9e3779b97f4a7c15u;
  uint32_t at = (uint32_t)(h >> 40) & (SLOTS - 1);
  for (; s->slots[at].process == s->process; at = (at + 1) & (SLOTS - 1))
    if (s->slots[at].ino == row->ino && s->slots[at].dev == row->dev) return false;
  if (s->files == (s->most != 0 ? s->most : CT_TLS_PROCESS_FILES)) {
    *cut += 1;
    return false;
  }
  s->slots[at].process = s->process;
  s->slots[at].dev = row->dev;
  s->slots[at].ino = row->ino;
  s->files++;
  return true;
}

size_t ct_tls_once_each(struct ct_tls_seen *s, struct ct_tls_mapping *rows, size_t n, uint64_t *cut) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    if (s->process == 0 || rows[i].pid != s->pid) {
      s->pid = rows[i].pid;
      s->process++;
      s->files = 0;
    }
    if (is_first(s, &rows[i], cut)) rows[kept++] = rows[i];
  }
  return kept;
}
