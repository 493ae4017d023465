/* SPDX-License-Identifier: Apache-2.0
 * pcap_keep.c - see pcap_keep.h.
 */
#define _GNU_SOURCE
#include "output/pcap_keep.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DIGITS 5u

void ct_pk_name(char *out, size_t size, const char *path, uint32_t number) {
  snprintf(out, size, "%s.%05u", path, number);
}

/* The number in a name behind `base`; 0 when the name is none that the writer gives. */
static uint32_t number_of(const char *name, const char *base, size_t base_len) {
  if (strncmp(name, base, base_len) != 0 || name[base_len] != '.') return 0;
  const char *digits = name + base_len + 1;
  size_t n = strspn(digits, "0123456789");
  if (n < DIGITS || n > 9 || digits[n] != '\0' || (n > DIGITS && digits[0] == '0')) return 0;
  return (uint32_t)strtoul(digits, NULL, 10);
}

static bool has_room(struct ct_pcap_keep *k) {
  if (k->end < k->cap) return true;
  size_t cap = k->cap * 2;
  struct ct_pk_file *more = reallocarray(k->file, cap, sizeof *more);
  if (more == NULL) return false;
  k->file = more;
  k->cap = cap;
  return true;
}

static int by_number(const void *a, const void *b) {
  const struct ct_pk_file *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static void push(struct ct_pcap_keep *k, uint32_t number, const struct stat *st) {
  k->file[k->end++] = (struct ct_pk_file){.dev = st->st_dev, .ino = st->st_ino, .number = number};
}

/* Whether the folder was read to its end. */
static bool scan(struct ct_pcap_keep *k, DIR *dir, const char *base, uint32_t *highest) {
  const size_t base_len = strlen(base);
  for (;;) {
    errno = 0;
    const struct dirent *entry = readdir(dir);
    if (entry == NULL) return errno == 0;
    uint32_t number = number_of(entry->d_name, base, base_len);
    struct stat st;
    if (number == 0 || fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
      continue;
    if (number > *highest) *highest = number;
    if (k->file == NULL) continue;
    if (!has_room(k)) return false;
    push(k, number, &st);
  }
}

bool ct_pk_open(struct ct_pcap_keep *k, const char *path, uint32_t keep, uint32_t *highest) {
  *highest = 0;
  *k = (struct ct_pcap_keep){.keep = keep, .cap = 2 * (size_t)keep};
  if (keep > 0) {
    k->file = calloc(k->cap, sizeof *k->file);
    if (k->file == NULL) return false;
  }
  const char *slash = strrchr(path, '/');
  char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
  DIR *dir = folder == NULL ? NULL : opendir(folder);
  bool is_known = dir != NULL && scan(k, dir, slash == NULL ? path : slash + 1, highest);
  int err = errno;
  if (dir != NULL) closedir(dir);
  free(folder);
  errno = err;
  if (k->file != NULL && is_known) qsort(k->file, k->end, sizeof *k->file, by_number);
  return is_known || keep == 0;
}

/* The index of a file that is gone (src/history) is of no use. `name` has room for its suffix. */
static void remove_index(char *name, uint64_t *failed) {
  struct stat st;
  char *end = name + strlen(name);
  memcpy(end, CT_PK_INDEX, sizeof CT_PK_INDEX);
  if (lstat(name, &st) == 0 && S_ISREG(st.st_mode) && unlink(name) != 0 && errno != ENOENT) ++*failed;
  *end = '\0';
}

/* `name` has room for the name of a file and of its index. */
static void remove_oldest(struct ct_pcap_keep *k, char *name, size_t size, const char *path,
                          uint64_t *removed, uint64_t *failed) {
  const struct ct_pk_file *oldest = &k->file[k->first++];
  struct stat st;
  ct_pk_name(name, size, path, oldest->number);
  /* Who moved it away has it; what is there instead is not ours. */
  bool is_there = lstat(name, &st) == 0, is_gone = !is_there && errno == ENOENT;
  if (is_there && st.st_dev == oldest->dev && st.st_ino == oldest->ino && S_ISREG(st.st_mode)) {
    bool is_removed = unlink(name) == 0;
    is_gone = is_removed || errno == ENOENT;
    if (is_removed) ++*removed;
    if (!is_gone) ++*failed;
  }
  if (is_gone) remove_index(name, failed);
}

/* Whether the disk of the newest file has so many bytes, and its reserve, for one that is no root. */
static bool has_disk(const char *name, uint64_t bytes) {
  struct statvfs disk;
  if (statvfs(name, &disk) != 0) return true;
  return disk.f_bavail > bytes / disk.f_frsize && disk.f_bavail > disk.f_blocks / CT_PK_RESERVE;
}

void ct_pk_make_room(struct ct_pcap_keep *k, const char *path, uint64_t bytes, uint64_t *removed,
                     uint64_t *failed) {
  if (k->file == NULL || k->end == k->first) return;
  size_t size = strlen(path) + CT_PK_NAME_ROOM;
  char *name = malloc(size + sizeof CT_PK_INDEX);
  if (name == NULL) return; /* at the next file */
  while (k->end - k->first >= k->keep) remove_oldest(k, name, size, path, removed, failed);
  for (; k->end - k->first >= CT_PK_LEAST; remove_oldest(k, name, size, path, removed, failed)) {
    ct_pk_name(name, size, path, k->file[k->end - 1].number);
    if (has_disk(name, bytes)) break;
  }
  free(name);
}

void ct_pk_add(struct ct_pcap_keep *k, uint32_t number, const struct stat *st) {
  if (k->file == NULL) return;
  if (k->end == k->cap && k->first > 0) {
    memmove(k->file, k->file + k->first, (k->end - k->first) * sizeof *k->file);
    k->end -= k->first;
    k->first = 0;
  }
  if (has_room(k)) push(k, number, st);
}

void ct_pk_close(struct ct_pcap_keep *k) {
  free(k->file);
  *k = (struct ct_pcap_keep){0};
}
