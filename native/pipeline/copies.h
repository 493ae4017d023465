/* SPDX-License-Identifier: Apache-2.0
 * copies.h - frames that two places saw are taken once: the same packet in two files, on two interfaces of a pcapng file,
 * or on each interface it crosses.
 *
 * A frame is a copy when another source or interface gave one with the same addresses, IP identification (or fragment)
 * and payload within 20 ms; link header, VLAN, hop limit and checksums may differ, and what is inside a tunnel is
 * compared. Each frame of one source takes one frame of another: two equal frames of one source are a retransmission.
 * The memory is a window of the newest frames, their keyed hashes; what does not fit into it is counted.
 */
#ifndef CALLTAP_COPIES_H
#define CALLTAP_COPIES_H
#include "core/frame.h"
#include "decode/packet.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CT_COPIES_WITHIN_NS (20 * 1000 * 1000ll)
/* Newest frames, compared with those of other sources: 3 million a second. @cap frame_copies_missed */
#define CT_COPIES_KEPT 65536u
/* Equal frames compared with a new one. @cap frame_copies_missed */
#define CT_COPIES_STEPS 64u

struct ct_copies;

/* `key` must be random a process. NULL: no memory. */
struct ct_copies *ct_copies_create(const uint64_t key[2]);
void ct_copies_free(struct ct_copies *c);
/* Copies the frames that are no copies to `out`, in order; their number. `missed` goes up by the frames that could not be
 * compared with all there were within the time. */
uint32_t ct_copies_drop(struct ct_copies *c, uint32_t source, const struct ct_decode_opts *o,
                        const struct ct_frame *frame, uint32_t n, struct ct_frame *out, uint64_t *missed);

#ifdef __cplusplus
}
#endif
#endif
