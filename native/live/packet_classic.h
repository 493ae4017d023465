/* SPDX-License-Identifier: Apache-2.0
 * packet_classic.h - the filter of a kernel that refuses eBPF, as a classic BPF program.
 */
#ifndef CALLTAP_PACKET_CLASSIC_H
#define CALLTAP_PACKET_CLASSIC_H
#include "decode/packet.h"

struct sock_filter;
/* The program for SO_ATTACH_FILTER. Returns its length; NULL `out` only counts. */
uint16_t ct_classic_build(const struct ct_gate *gate, struct sock_filter *out, uint16_t room);

#endif
