/* SPDX-License-Identifier: Apache-2.0
 * test_tls_files.c - a process that maps files often, or many of them, fills no table of the host's mappings.
 */
#include "check.h"
#include "tls/tls_files.h"
#include <stdlib.h>

static struct ct_tls_seen seen;

static struct ct_tls_mapping row(uint32_t pid, uint32_t dev, uint64_t ino) {
  return (struct ct_tls_mapping){.pid = pid, .dev = dev, .ino = ino};
}

static void each_file_once(void) {
  uint64_t cut = 0;
  struct ct_tls_mapping rows[] = {row(1, 8, 5), row(1, 8, 6), row(1, 8, 5), row(1, 9, 5), row(2, 8, 5), row(2, 8, 5)};
  CHECK_EQ(ct_tls_once_each(&seen, rows, 6, &cut), 4);
  CHECK_EQ(rows[2].dev, 9);
  CHECK_EQ(rows[3].pid, 2);
  /* The rows of a process come in several reads. */
  struct ct_tls_mapping more[] = {row(2, 8, 5), row(2, 8, 7), row(3, 8, 5)};
  CHECK_EQ(ct_tls_once_each(&seen, more, 3, &cut), 2);
  CHECK_EQ(more[0].ino, 7);
  CHECK_EQ(cut, 0);
}

static void a_cap_for_each_process(void) {
  uint64_t cut = 0;
  size_t n = CT_TLS_PROCESS_FILES + 100;
  struct ct_tls_mapping *rows = calloc(n, sizeof *rows);
  for (uint32_t pid = 10; pid < 12; pid++) {
    for (size_t i = 0; i < n; i++) rows[i] = row(pid, 8, i + 1);
    CHECK_EQ(ct_tls_once_each(&seen, rows, n, &cut), CT_TLS_PROCESS_FILES);
  }
  CHECK_EQ(cut, 200);
  free(rows);
}

static void fewer_where_all_are_too_many(void) {
  uint64_t cut = 0;
  static struct ct_tls_seen few = {.most = 2};
  struct ct_tls_mapping rows[] = {row(1, 8, 5), row(1, 8, 6), row(1, 8, 5), row(1, 8, 7), row(2, 8, 5)};
  CHECK_EQ(ct_tls_once_each(&few, rows, 5, &cut), 3);
  CHECK_EQ(rows[2].pid, 2);
  CHECK_EQ(cut, 1);
}

int main(void) {
  each_file_once();
  a_cap_for_each_process();
  fewer_where_all_are_too_many();
  return report("tls_files");
}
