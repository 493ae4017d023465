/* SPDX-License-Identifier: Apache-2.0
 * threads.c - see threads.h. Linux keeps a nice value for each thread, under its number (setpriority(2), "Bugs").
 */
#include "system/threads.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

uint32_t ct_threads_hasten(int nice) {
  DIR *dir = opendir("/proc/self/task");
  if (dir == NULL) return 0;
  uint32_t done = 0;
  for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
    long number = strtol(e->d_name, NULL, 10); /* 0 for "." and ".." */
    if (number <= 0) continue;
    errno = 0;
    int own = getpriority(PRIO_PROCESS, (id_t)number);
    if (errno != 0 || own > 0 || own <= nice) continue;
    if (setpriority(PRIO_PROCESS, (id_t)number, nice) == 0) done++;
  }
  closedir(dir);
  return done;
}
