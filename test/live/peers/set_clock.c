/* SPDX-License-Identifier: Apache-2.0
 * set_clock.c - sets the clock of the host by as many milliseconds as the first word says, below 0 back. For guests alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  long long ns = (long long)t.tv_sec * 1000000000 + t.tv_nsec + atoll(argv[1]) * 1000000;
  t = (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
  if (clock_settime(CLOCK_REALTIME, &t) == 0) return 0;
  fprintf(stderr, "%s\n", strerror(errno));
  return 1;
}
