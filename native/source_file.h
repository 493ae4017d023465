/* SPDX-License-Identifier: Apache-2.0
 * source_file.h - a thread that reads one capture file into the ring.
 */
#ifndef CALLTAP_SOURCE_FILE_H
#define CALLTAP_SOURCE_FILE_H
#include "pcap_read.h"
#include "pipeline.h"
#ifdef __cplusplus
extern "C" {
#endif

struct ct_file_source {
  struct ct_pipeline *pl;
  struct ct_ring *ring;
  struct ct_pcap *file;
  pthread_t thread;
  bool running;
  bool keeps;             /* what was read will be read again: records say where it lies */
  ct_atomic_u32 ended;    /* nobody is waited for any more: the thread can be joined */
  ct_atomic_u32 progress; /* per mille of the file read, for the progress bar */
  uint64_t records;
};

/* Takes ownership of `file`, which has not been started: its headers are read by the thread. False when the thread
 * cannot be made (errno). */
bool ct_file_start(struct ct_file_source *s, struct ct_pcap *file);
/* Joins the running thread, which ends at the end of the file or when the ring is stopped; closes the file. */
void ct_file_join(struct ct_file_source *s);

#ifdef __cplusplus
}
#endif
#endif
