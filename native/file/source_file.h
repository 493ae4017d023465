/* SPDX-License-Identifier: Apache-2.0
 * source_file.h - a thread that reads capture files, by the time of their frames, into the ring.
 */
#ifndef CALLTAP_SOURCE_FILE_H
#define CALLTAP_SOURCE_FILE_H
#include "file/pcap_merge.h"
#include "pipeline/pipeline.h"
#include <pthread.h>
#ifdef __cplusplus
extern "C" {
#endif

struct ct_file_source {
  struct ct_pipeline *pl;
  struct ct_ring *ring;
  struct ct_merge *files;
  pthread_t thread;
  bool running;
  ct_atomic_u32 stop;     /* asked to end, with what was read so far */
  ct_atomic_u32 ended;    /* nobody is waited for any more: the thread can be joined */
  ct_atomic_u32 progress; /* per mille of the files read, for the progress bar */
};

/* Takes ownership of `files`, which have not been started: headers are read by the thread. False when the thread cannot
 * be made (errno); then they are freed. The number of a file becomes the `source` of its records. */
bool ct_file_start(struct ct_file_source *s, struct ct_merge *files);
/* Asks the thread to end: what it has read is handed over, then the end (CT_END_STOPPED). Does not wait. */
void ct_file_ask_stop(struct ct_file_source *s);
/* Joins the running thread, which ends at the end of the files, when it was asked to, or when the ring is stopped; closes
 * the files. */
void ct_file_join(struct ct_file_source *s);

#ifdef __cplusplus
}
#endif
#endif
