/* SPDX-License-Identifier: Apache-2.0
 * pcap_open.c - see pcap_open.h.
 */
#define _GNU_SOURCE
#include "output/pcap_open.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever may write to the folder could lead root to any file by a link, or read what root writes to a file or pipe of his. */
static int trouble_of(const char *path, const struct stat *st) {
  struct stat folder;
  char parent[PATH_MAX];
  if (st->st_uid == 0 || st->st_uid == geteuid()) return 0;
  if (S_ISLNK(st->st_mode)) return EMLINK;
  const char *slash = strrchr(path, '/');
  size_t len = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  if (len + 2 > sizeof parent) return 0;
  memcpy(parent, path, len);
  memcpy(parent + len, ".", 2);
  return stat(parent, &folder) == 0 && (folder.st_mode & S_IWOTH) != 0 ? EALREADY : 0;
}

/* Opens what is under a name, or makes it: what was looked at, and nothing that somebody put there meanwhile. */
static int open_found(const char *path, int flags) {
  struct stat st;
  bool is_there = lstat(path, &st) == 0, is_link = is_there && S_ISLNK(st.st_mode);
  int err = is_there ? trouble_of(path, &st) : 0;
  int fd = err != 0 ? -1 : open(path, flags | (is_link ? 0 : O_NOFOLLOW) | (is_there ? 0 : O_EXCL), 0600);
  if (fd < 0) {
    if (err != 0) errno = err;
    if (errno == EEXIST) errno = EALREADY;
    return -1;
  }
  if (is_there && !is_link && fstat(fd, &st) == 0) err = trouble_of(path, &st);
  if (err == 0) return fd;
  close(fd);
  errno = err;
  return -1;
}

int ct_po_open(const char *path, bool is_new) {
  /* A pipe without a reader is refused: no signal ends a wait for one. */
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  int fd = is_new ? open(path, flags | O_EXCL, 0600) : open_found(path, flags);
  int status = fd < 0 ? -1 : fcntl(fd, F_GETFL);
  if (status >= 0) (void)fcntl(fd, F_SETFL, status & ~O_NONBLOCK);
  return fd;
}
