/* SPDX-License-Identifier: Apache-2.0
 * steady_frames.h - the frames of files by a clock that never was set: where the clock of the host stepped, what comes
 * behind the step is shifted back by it.
 *
 * Frames pass as they are read. Only where one comes long after the one before it, or before it, those behind it are looked
 * at ahead, for at most CT_CLOCK_WATCH_NS and CT_AHEAD_BYTES: clock_proof.h judges them by the streams that the table knows.
 */
#ifndef CALLTAP_STEADY_FRAMES_H
#define CALLTAP_STEADY_FRAMES_H
#include "file/clock_proof.h"
#include "file/pcap_merge.h"
#include "pipeline/pipeline.h"

#define CT_CLOCK_STEPS 64u         /* that are told apart; what is behind the last is shifted with it */
#define CT_AHEAD_BYTES (16u << 20) /* of frames that are read ahead */
#define CT_AHEAD_FRAMES (1u << 16)

/* The clock was set between the last frame and the next. */
struct ct_clock_step {
  int64_t at_ns;   /* time of the next, shifted */
  int64_t size_ns; /* above 0: forward */
};

struct ct_steady;
/* Frames of `files`, which the caller owns and has started; `pl` takes them. NULL: no memory. */
struct ct_steady *ct_steady_create(struct ct_merge *files, struct ct_pipeline *pl);
void ct_steady_free(struct ct_steady *s);
/* As ct_merge_next(), when all that came before was given to the pipeline. Its `in_file`, `file_delta` and `shift_ns` are set
 * for them. */
uint32_t ct_steady_next(struct ct_steady *s, const struct ct_frame **frame, uint32_t *file);
/* Takes the step in front of what ct_steady_next() gave last; false: there is none. */
bool ct_steady_step(struct ct_steady *s, struct ct_clock_step *step);
/* True when frames were read that were not handed out yet. */
bool ct_steady_is_ahead(const struct ct_steady *s);

#endif
