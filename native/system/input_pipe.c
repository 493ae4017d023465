/* SPDX-License-Identifier: Apache-2.0 */
/* The standard input of a command that gets all of it at once. See input_pipe.h. */
#define _GNU_SOURCE
#include "system/input_pipe.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* What a pipe holds without being asked to hold more (pipe(7)). */
#define USUAL_BYTES 65536

/* All of the text into a pipe that is empty: 0, or -errno. */
static int fill(int fd, const uint8_t *text, size_t len) {
  if (len > INT_MAX) return -E2BIG;
  if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return -errno;
  if (len > USUAL_BYTES && fcntl(fd, F_SETPIPE_SZ, (int)len) < 0) return -E2BIG;
  size_t done = 0;
  while (done < len) {
    const ssize_t n = write(fd, text + done, len - done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno == EAGAIN)
      return -E2BIG;
    else if (errno != EINTR)
      return -errno;
  }
  return 0;
}

int ct_input_pipe(const uint8_t *text, size_t len) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
  const int failed = fill(ends[1], text, len);
  close(ends[1]);
  if (failed == 0) return ends[0];
  close(ends[0]);
  return failed;
}
