/* SPDX-License-Identifier: Apache-2.0
 * selection.h - which frames of files a second pass takes: those with a number of the list, and those between two
 * sockets at a time, with the ICMP errors that quote one.
 *
 * The sockets are those of the innermost packet. Of a datagram in fragments the first one has the ports: those after it
 * are taken with it, and those before it are counted as missed.
 */
#ifndef CALLTAP_SELECTION_H
#define CALLTAP_SELECTION_H
#include "core/frame.h"
#include "decode/packet.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A row of JavaScript (src/sources/file/second-pass.ts): UDP between two sockets, either way. */
struct ct_flow {
  uint8_t a[16], b[16];    /*  0 network order, IPv4 in the first 4 bytes, the rest zero */
  uint16_t a_port, b_port; /* 32 */
  uint8_t version;         /* 36 4 or 6 */
  uint8_t is_control;      /* 37 anything but RTP */
  uint16_t spare;
  double from_us, to_us; /* 40 */
};                       /* 56 bytes */

struct ct_selection;

/* What a frame is to a selection. */
enum ct_taken { CT_TAKEN_NOT, CT_TAKEN_BY_NUMBER, CT_TAKEN_BY_FLOW };

/* `key` must be random a process. The flows are copied. NULL: no memory. */
struct ct_selection *ct_selection_create(uint32_t files, const struct ct_flow *flow, uint32_t n,
                                         const uint64_t key[2]);
void ct_selection_free(struct ct_selection *s);
/* Numbers of frames of a file, each once and in order; they stay the caller's. */
void ct_selection_set_numbers(struct ct_selection *s, uint32_t file, const double *number, uint64_t n);
/* Frames of a file must come in the order of their numbers. */
enum ct_taken ct_selection_take(struct ct_selection *s, uint32_t file, const struct ct_frame *f,
                                const struct ct_decode_opts *o);
/* Numbers that no frame had yet: after the last frame they are of a file that has changed. */
uint64_t ct_selection_missing(const struct ct_selection *s);
/* Fragments of selected datagrams that came before the first one. */
uint64_t ct_selection_missed_fragments(const struct ct_selection *s);

#ifdef __cplusplus
}
#endif
#endif
