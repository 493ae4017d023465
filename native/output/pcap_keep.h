/* SPDX-License-Identifier: Apache-2.0
 * pcap_keep.h - which files of a split there are, and the removal of the oldest ones, so that a disk never fills.
 *
 * A file belongs to the split when it is regular, no link, and its name is the path, a dot and the number as the writer
 * writes it: five digits, or more without a zero in front. Those that are there at the start are of earlier runs. A file is
 * removed under its name only while that name still leads to the same file, so nothing that somebody put there instead is
 * touched.
 */
#ifndef CALLTAP_PCAP_KEEP_H
#define CALLTAP_PCAP_KEEP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define CT_PK_MAX_NUMBER 999999999u
#define CT_PK_NAME_ROOM 16u /* a dot, the digits and the end */
#define CT_PK_INDEX ".idx"  /* behind the name: the index of a file (src/history/index-file.ts) */

#define CT_PK_LEAST 2u    /* files */
#define CT_PK_RESERVE 20u /* a part of the disk that a ring leaves to others */

struct ct_pk_file {
  dev_t dev;
  ino_t ino;
  uint32_t number;
};

struct ct_pcap_keep {
  struct ct_pk_file *file; /* the oldest at `first`; NULL: none is ever removed */
  size_t first, end, cap;
  uint32_t keep;
};

/* The name of file `number`. */
void ct_pk_name(char *out, size_t size, const char *path, uint32_t number);
/* Looks for files of earlier runs: *highest is the largest number, 0 without one. `keep` 0 keeps all of them. False:
 * errno; a folder that cannot be listed is no failure where nothing has to be removed. */
bool ct_pk_open(struct ct_pcap_keep *k, const char *path, uint32_t keep, uint32_t *highest);
/* Removes the oldest with their indexes, until there is room for one more, and the disk has so many bytes for it and its
 * reserve; CT_PK_LEAST stay for a disk that others fill. How many are gone, and how many could not be removed. */
void ct_pk_make_room(struct ct_pcap_keep *k, const char *path, uint64_t bytes, uint64_t *removed,
                     uint64_t *failed);
/* A file that was begun. */
void ct_pk_add(struct ct_pcap_keep *k, uint32_t number, const struct stat *st);
void ct_pk_close(struct ct_pcap_keep *k);

#endif
