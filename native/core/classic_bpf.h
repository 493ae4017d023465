/* SPDX-License-Identifier: Apache-2.0
 * classic_bpf.h - checks and runs programs of the classic BPF machine (McCanne, Jacobson: "The BSD Packet Filter", 1993),
 * which is what tcpdump's expressions become.
 *
 * A program that was checked ends, reads only the packet and its own sixteen words, and jumps forward only. A load beyond
 * the packet ends it with 0, as does a division by zero.
 */
#ifndef CALLTAP_CLASSIC_BPF_H
#define CALLTAP_CLASSIC_BPF_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CT_BPF_MOST 65536u /* instructions */

/* struct bpf_insn of libpcap, struct sock_filter of Linux. */
struct ct_bpf_insn {
  uint16_t code;
  uint8_t jt, jf;
  uint32_t k;
};

bool ct_bpf_check(const struct ct_bpf_insn *program, uint32_t n);
/* What a checked program returns for a packet of which `len` bytes are there and `wire_len` were sent; 0 refuses it. */
uint32_t ct_bpf_run(const struct ct_bpf_insn *program, const uint8_t *packet, uint32_t len,
                    uint32_t wire_len);

#ifdef __cplusplus
}
#endif
#endif
