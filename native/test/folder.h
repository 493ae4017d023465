/* SPDX-License-Identifier: Apache-2.0
 * folder.h - a folder for the files of one test.
 */
#ifndef CALLTAP_TEST_FOLDER_H
#define CALLTAP_TEST_FOLDER_H
#include "check.h"
#include <unistd.h>

static char folder[] = "/tmp/calltap-test.XXXXXX"; /* folder_make() fills it in */

static inline void folder_make(void) {
  if (mkdtemp(folder) == NULL) abort();
}
/* The path of a file in it; the last four of them stay. */
static inline const char *at(const char *name) {
  static char path[4][256];
  static unsigned turn;
  char *p = path[turn++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", folder, name);
  return p;
}
static inline void write_file(const char *name, const void *bytes, size_t n) {
  FILE *f = fopen(at(name), "wb");
  if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) abort();
}
/* Removes it; the exit code of the test. */
static inline int folder_report(const char *what) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0);
  return report(what);
}

#endif
