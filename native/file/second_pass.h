/* SPDX-License-Identifier: Apache-2.0
 * second_pass.h - reads files once more, by the time of their frames as the first time, and writes those of a selection.
 *
 * Nothing is analysed. Of frames that several sources gave the one is written that the first pass took.
 */
#ifndef CALLTAP_SECOND_PASS_H
#define CALLTAP_SECOND_PASS_H
#include "core/slab.h"
#include "file/pcap_merge.h"
#include "file/selection.h"
#include "output/pcap_write.h"
#include "system/frame_filter.h"
#ifdef __cplusplus
extern "C" {
#endif

struct ct_second_pass {
  const char *const *path; /* as for ct_merge_create() */
  const int *fd;
  uint32_t files;
  struct ct_selection *selection;
  struct ct_decode_opts decode;
  struct ct_frame_filter
      *filter; /* what the first pass did not look at is not written; NULL: it did at all */
  uint64_t copies_key[2];
  struct ct_pcap_writer *output;
  ct_atomic_u32 *stop;     /* asked to end */
  ct_atomic_u32 *progress; /* per mille of the files read */
};

struct ct_second_result {
  uint64_t read;             /* frames */
  uint64_t taken;            /* frames given to the output */
  uint64_t refused;          /* of them those that it did not take; it counts why */
  uint64_t copies;           /* frames of a flow that another source gave */
  uint64_t missing;          /* numbers that no frame had: a file has changed */
  uint64_t missed_fragments; /* of datagrams of a flow, before their first one */
  bool failed;               /* a file could not be read: which and why is in `end` */
  bool stopped;
  struct ct_merge_end end;
};

/* On the calling thread, to the end of the files. The caller flushes the output. */
void ct_second_pass_run(const struct ct_second_pass *p, struct ct_second_result *r);

#ifdef __cplusplus
}
#endif
#endif
