/* SPDX-License-Identifier: Apache-2.0
 * fuzz_classic_bpf.c - any bytes as a program, and what follows it as a packet: a program that passed the check ends and
 * reads nothing beyond the packet. Input: number of instructions, the instructions, the packet.
 */
#include "check.h"
#include "core/classic_bpf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  uint32_t n = data[0];
  if (size - 1 < n * sizeof(struct ct_bpf_insn)) return 0;
  struct ct_bpf_insn *program = (struct ct_bpf_insn *)(void *)exact_copy(data + 1, n * sizeof *program);
  const size_t len = size - 1 - n * sizeof *program;
  uint8_t *packet = exact_copy(data + size - len, len);
  if (ct_bpf_check(program, n)) (void)ct_bpf_run(program, packet, (uint32_t)len, (uint32_t)len + 1000);
  free(packet);
  free(program);
  return 0;
}
