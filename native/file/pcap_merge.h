/* SPDX-License-Identifier: Apache-2.0
 * pcap_merge.h - capture files read as one: whichever frame is next in time is next.
 *
 * Where each file begins is read first; a file is opened when its turn comes and closed at its end, so as many are open
 * as overlap in time. A file that has to wait (a pipe) is read once only and is open from the start.
 *
 * A file keeps its own order: a frame that goes back in time comes right after the one before it. Frames of the same
 * time come as they say themselves (frame_order.h), else from the file that began earlier, then by the name, so that the
 * order of the files given means nothing.
 */
#ifndef CALLTAP_PCAP_MERGE_H
#define CALLTAP_PCAP_MERGE_H
#include "file/pcap_read.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CT_MERGE_RUN 64u /* frames handed out at a time */

struct ct_merge;

/* What became of a file. */
struct ct_merge_end {
  uint32_t file;
  enum ct_pcap_status status;
  int err; /* errno where status is CT_PCAP_IO */
  uint64_t frames;
};

/* `n` >= 1 files by path, "-" being standard input. fd[i] is a descriptor of a regular file to read from, which stays
 * the caller's and must stay open, or -1: then the path is opened. NULL: no memory. */
struct ct_merge *ct_merge_create(const char *const *path, const int *fd, uint32_t n);
void ct_merge_free(struct ct_merge *m);
/* Reads where each file begins; `wait` as for ct_pcap_start(). False when a file cannot be read at all, which is then in
 * *failed. Of several files those that are empty are left out, as long as one is not. */
bool ct_merge_start(struct ct_merge *m, bool (*wait)(int fd, void *arg), void *arg,
                    struct ct_merge_end *failed);
/* Up to CT_MERGE_RUN frames that follow each other in one file, valid until the next call; *file is its number. 0 at the
 * end of all, and when a file cannot be opened any more (ct_merge_failed()). */
uint32_t ct_merge_next(struct ct_merge *m, const struct ct_frame **frame, uint32_t *file);
/* Takes the next file that has ended; false when there is no other. */
bool ct_merge_ended(struct ct_merge *m, struct ct_merge_end *end);
/* True when a file in time could not be opened because too many are open: *failed says which. */
bool ct_merge_failed(const struct ct_merge *m, struct ct_merge_end *failed);
/* For the file of the last run what ct_pcap_place() says; false where no descriptor was given. */
bool ct_merge_place(const struct ct_merge *m, uint64_t *delta);
/* True when frames come from more than one place: several files, or an open one with several interfaces so far. */
bool ct_merge_is_many(const struct ct_merge *m);
/* True when one file alone is read: the others come before it or behind it, and its size is known, so that reading ahead of
 * what is handed out waits for nobody. */
bool ct_merge_is_alone(const struct ct_merge *m);
/* Per mille of all files, 0 when a size is not known. */
uint32_t ct_merge_progress(const struct ct_merge *m);
/* Files whose frames came between those of another. */
uint32_t ct_merge_overlapping(const struct ct_merge *m);
/* True when the files were not given in the order of their time. */
bool ct_merge_reordered(const struct ct_merge *m);

#ifdef __cplusplus
}
#endif
#endif
