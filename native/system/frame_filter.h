/* SPDX-License-Identifier: Apache-2.0
 * frame_filter.h - an expression of tcpdump as a filter of frames, whatever their link types (--bpf).
 *
 * For each link type the expression is compiled when the first frame of it comes. Where libpcap cannot do that (an
 * expression about Ethernet, a frame without it), no such frame passes.
 */
#ifndef CALLTAP_FRAME_FILTER_H
#define CALLTAP_FRAME_FILTER_H
#include "core/frame.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_FILTER_LINKTYPES 64u /* of frames; those of further types do not pass */

struct ct_frame_filter;
/* The text is copied; nothing is compiled yet. NULL: no memory. */
struct ct_frame_filter *ct_frame_filter_create(const char *text);
void ct_frame_filter_free(struct ct_frame_filter *f);
/* Why the expression is none for the link types that captures usually have; empty when it is one for some. */
void ct_frame_filter_check(const char *text, char *error, uint32_t size);
/* One thread: copies those of the frames that pass to `out`, in order; their number. `unfit` goes up by those of a link type
 * that the expression cannot be for. */
uint32_t ct_frame_filter_pass(struct ct_frame_filter *f, const struct ct_frame *frame, uint32_t n,
                              struct ct_frame *out, uint32_t *unfit);

#ifdef __cplusplus
}
#endif
#endif
