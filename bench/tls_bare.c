/* SPDX-License-Identifier: Apache-2.0
 * tls_bare.c - puts an empty eBPF program where calltap puts its own: what the kernel itself takes for a probe.
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror bench/tls_bare.c -o bench/out/tls_bare
 *   tls_bare FILE ENTRIES EXITS      offsets in the file, with commas between; says "ready", and ends with its input
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SITES 512
#define UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, since Linux 6.6: Debian's headers have no name for it */

static void fail(const char *what) {
  fprintf(stderr, "tls_bare: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* A program that returns 0. */
static int load(void) {
  struct bpf_insn insns[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
                             {.code = BPF_JMP | BPF_EXIT}};
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.prog_type = BPF_PROG_TYPE_KPROBE;
  attr.expected_attach_type = UPROBE_MULTI;
  attr.insns = (uint64_t)(uintptr_t)insns;
  attr.insn_cnt = sizeof insns / sizeof *insns;
  attr.license = (uint64_t)(uintptr_t) "GPL";
  int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);
  if (fd < 0) fail("loading a program for multi links");
  return fd;
}

static void attach(int program, const char *path, char *list) {
  uint64_t offsets[SITES];
  uint32_t n = 0;
  for (char *at = strtok(list, ","); at != NULL && n < SITES; at = strtok(NULL, ","))
    offsets[n++] = strtoull(at, NULL, 10);
  struct {
    uint32_t prog_fd, target_fd, attach_type, flags;
    uint64_t path, offsets, ref_ctr_offsets, cookies;
    uint32_t count, multi_flags, pid, padding;
  } attr = {.prog_fd = (uint32_t)program,
            .attach_type = UPROBE_MULTI,
            .path = (uint64_t)(uintptr_t)path,
            .offsets = (uint64_t)(uintptr_t)offsets,
            .count = n};
  if (n > 0 && syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr) < 0) fail("attaching");
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: tls_bare FILE ENTRIES EXITS\n");
    return 2;
  }
  int program = load();
  attach(program, argv[1], argv[2]);
  attach(program, argv[1], argv[3]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("ready\n");
  while (getchar() != EOF) {}
  return 0;
}
