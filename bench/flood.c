/* SPDX-License-Identifier: Apache-2.0
 * flood.c - frames that arrive at an interface, at a set rate, at the least cost of sending them.
 *
 *   cc -std=c11 -O2 -Wall -Wextra -Werror -pthread bench/flood.c -o bench/out/flood
 *   flood IFACE SECONDS RATE rtp FLOWS | udp | tcp
 *
 * The kernel makes them where a network card's driver would (BPF_PROG_RUN with BPF_F_TEST_XDP_LIVE_FRAMES, Linux 5.18)
 * and hands them to the stack as received there: taps see them as any other. A sender of whole hosts on the machine that
 * is measured costs ten times as much, which the reader would pay. All run on the last processor, as the interrupts of a
 * card's queue would. `rtp`: packets of FLOWS streams in turn, 160 bytes
 * each; `udp`: datagrams of 1,400 bytes, `tcp`: segments of 1,448 bytes, both nothing like VoIP. The last line of stdout
 * is JSON, "frames" those that arrived.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 4000000
#define TURNS                                                                                                \
  12u /* threads: after a run the kernel waits for a grace period of RCU, some 25 to 80 ms, while the next ones go on */
#define CATCH_UP 2u /* ticks' frames in one run at most: a pause of the machine is caught up with in steps */
#define BATCH 64u
#define FRAME_MAX 1600u
#define FLOWS_MAX 40000u

enum { ETH = 14, IP = 20, UDP = 8, TCP = 20, RTP = 12 };

static int bpf(int command, union bpf_attr *attr) {
  return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

static void die(const char *what) {
  fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* ---- the programs that run once a frame ---- */

#define INSN(op, dst, src, offset, value)                                                                    \
  (struct bpf_insn) { .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (value) }
#define MOV(dst, src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOVI(dst, value) INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ALU(op, dst, src) INSN(BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0)
#define ALUI(op, dst, value) INSN(BPF_ALU64 | (op) | BPF_K, dst, 0, 0, value)
#define TO_BE(dst, bits) INSN(BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, bits)
#define LOAD(size, dst, src, offset) INSN(BPF_LDX | (size) | BPF_MEM, dst, src, offset, 0)
#define STORE(size, dst, offset, src) INSN(BPF_STX | (size) | BPF_MEM, dst, src, offset, 0)
#define STOREI(size, dst, offset, value) INSN(BPF_ST | (size) | BPF_MEM, dst, 0, offset, value)
#define JUMP(op, dst, src, offset) INSN(BPF_JMP | (op) | BPF_X, dst, src, offset, 0)
#define JUMPI(op, dst, value, offset) INSN(BPF_JMP | (op) | BPF_K, dst, 0, offset, value)
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int load(const struct bpf_insn *insns, size_t n) {
  union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_XDP,
                         .insns = (uintptr_t)insns,
                         .insn_cnt = (uint32_t)n,
                         .license = (uintptr_t) "GPL"};
  int fd = bpf(BPF_PROG_LOAD, &attr);
  if (fd < 0) die("the program was refused");
  return fd;
}

static int load_pass(void) {
  const struct bpf_insn program[] = {MOVI(BPF_REG_0, XDP_PASS), EXIT};
  return load(program, sizeof program / sizeof program[0]);
}

/* What the counting program keeps: frames made so far, and of how many streams. */
struct state {
  uint64_t made, flows;
};

static int make_map(uint64_t flows) {
  union bpf_attr make = {
      .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = sizeof(struct state), .max_entries = 1};
  int map = bpf(BPF_MAP_CREATE, &make);
  uint32_t key = 0;
  struct state first = {.flows = flows};
  union bpf_attr set = {.map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&first};
  if (map < 0 || bpf(BPF_MAP_UPDATE_ELEM, &set) != 0) die("no map");
  return map;
}

static uint64_t made(int map) {
  uint32_t key = 0;
  struct state now;
  union bpf_attr get = {.map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&now};
  if (bpf(BPF_MAP_LOOKUP_ELEM, &get) != 0) die("the map tells nothing");
  return now.made;
}

/* Counts each frame. One of RTP also becomes the next of all: frame n is of stream n % flows, and there the packet
 * n / flows, as source port, sequence number, timestamp and SSRC say then. There is no UDP checksum (RFC 768) that would
 * have to follow. */
static int load_counting(int map, bool is_rtp) {
  const int rtp = ETH + IP + UDP, rest = is_rtp ? 16 : 0; /* instructions between counting and the end */
  const struct bpf_insn head[] = {
      /* r6: the frame, as long as it must be. */
      LOAD(BPF_W, BPF_REG_6, BPF_REG_1, offsetof(struct xdp_md, data)),
      LOAD(BPF_W, BPF_REG_7, BPF_REG_1, offsetof(struct xdp_md, data_end)),
      MOV(BPF_REG_2, BPF_REG_6),
      ALUI(BPF_ADD, BPF_REG_2, rtp + RTP),
      JUMP(BPF_JGT, BPF_REG_2, BPF_REG_7, 10 + rest),
      /* r0: the state; r1: the number of this frame. */
      STOREI(BPF_W, BPF_REG_10, -4, 0),
      MOV(BPF_REG_2, BPF_REG_10),
      ALUI(BPF_ADD, BPF_REG_2, -4),
      INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
      INSN(0, 0, 0, 0, 0),
      CALL(BPF_FUNC_map_lookup_elem),
      JUMPI(BPF_JEQ, BPF_REG_0, 0, 3 + rest),
      LOAD(BPF_DW, BPF_REG_3, BPF_REG_0, offsetof(struct state, flows)),
  };
  const struct bpf_insn count[] = {
      MOVI(BPF_REG_1, 1),
      INSN(BPF_STX | BPF_DW | BPF_ATOMIC, BPF_REG_0, BPF_REG_1, offsetof(struct state, made),
           BPF_ADD | BPF_FETCH),
  };
  const struct bpf_insn fill[] = {
      /* r4: the stream; r1: its packet. */
      MOV(BPF_REG_4, BPF_REG_1),
      ALU(BPF_MOD, BPF_REG_4, BPF_REG_3),
      ALU(BPF_DIV, BPF_REG_1, BPF_REG_3),
      MOV(BPF_REG_5, BPF_REG_4),
      ALUI(BPF_ADD, BPF_REG_5, 20000),
      TO_BE(BPF_REG_5, 16),
      STORE(BPF_H, BPF_REG_6, ETH + IP, BPF_REG_5),
      ALUI(BPF_ADD, BPF_REG_4, 0x10000),
      TO_BE(BPF_REG_4, 32),
      STORE(BPF_W, BPF_REG_6, rtp + 8, BPF_REG_4),
      MOV(BPF_REG_5, BPF_REG_1),
      TO_BE(BPF_REG_5, 16),
      STORE(BPF_H, BPF_REG_6, rtp + 2, BPF_REG_5),
      ALUI(BPF_MUL, BPF_REG_1, 160),
      TO_BE(BPF_REG_1, 32),
      STORE(BPF_W, BPF_REG_6, rtp + 4, BPF_REG_1),
  };
  const struct bpf_insn pass[] = {MOVI(BPF_REG_0, XDP_PASS), EXIT};
  struct bpf_insn program[64];
  size_t n = 0;
#define ADD(part) (memcpy(program + n, part, sizeof part), n += sizeof part / sizeof part[0])
  ADD(head);
  ADD(count);
  if (is_rtp) ADD(fill);
  ADD(pass);
  return load(program, n);
}

/* ---- the frame ---- */

static void be16(uint8_t *p, uint32_t v) { p[0] = (uint8_t)(v >> 8), p[1] = (uint8_t)v; }

/* Ethernet, IPv4 and UDP or TCP around `len` bytes at the place that is returned. */
static uint8_t *frame(uint8_t *d, uint8_t host, uint8_t proto, uint32_t from, uint32_t to, uint32_t len) {
  uint32_t behind = (proto == 17 ? UDP : TCP) + len, sum = 0;
  memset(d, 0, FRAME_MAX);
  memcpy(d, "\x02\0\0\0\0\x0b\x02\0\0\0\0\x0a\x08\0", ETH);
  uint8_t *ip = d + ETH, *l4 = ip + IP;
  memcpy(ip, "\x45\0\0\0\0\0\0\0\x40\0\0\0\x0a\0\0\x01\x0a\0\0\x02", IP);
  be16(ip + 2, IP + behind);
  ip[9] = proto;
  ip[13] = ip[17] = host;
  for (uint32_t i = 0; i < IP; i += 2) sum += (uint32_t)ip[i] << 8 | ip[i + 1];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  be16(ip + 10, ~sum & 0xffff);
  be16(l4, from);
  be16(l4 + 2, to);
  if (proto == 17) return be16(l4 + 4, behind), l4 + UDP;
  l4[12] = 0x50;
  l4[13] = 0x10;
  return l4 + TCP;
}

static uint32_t make(uint8_t *d, const char *what) {
  if (strcmp(what, "rtp") == 0) {
    uint8_t *p = frame(d, 63, 17, 20000, 30000, RTP + 160);
    p[0] = 0x80;
    memset(p + RTP, 0xd5, 160);
    return ETH + IP + UDP + RTP + 160;
  }
  if (strcmp(what, "udp") == 0) {
    memcpy(frame(d, 65, 17, 40000, 8444, 1400), "\x4f\x12\xf3\x99", 4); /* as QUIC begins */
    return ETH + IP + UDP + 1400;
  }
  if (strcmp(what, "tcp") == 0) {
    memcpy(frame(d, 65, 6, 40000, 8444, 1448), "\x17\x03\x03\x40\x18", 5); /* TLS application data */
    return ETH + IP + TCP + 1448;
  }
  fprintf(stderr, "flood: %s: rtp, udp or tcp\n", what);
  exit(2);
}

/* ---- the clock ---- */

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct job {
  uint8_t data[FRAME_MAX];
  uint32_t size, iface;
  int program, map;
  double rate;
  int64_t begun, until;
  _Atomic int64_t last; /* begin of the last run: what follows is the kernel's clearing up */
} job;

/* Takes every TURNS-th tick. */
static void *take_turns(void *arg) {
  struct xdp_md where = {.data_end = job.size, .ingress_ifindex = job.iface};
  int64_t at = job.begun + (int64_t)(uintptr_t)arg * TICK_NS;
  for (; at < job.until; at += TURNS * TICK_NS) {
    int64_t wait = at - now_ns();
    struct timespec nap = {wait / 1000000000, wait % 1000000000};
    if (wait > 0) nanosleep(&nap, NULL);
    uint64_t due = (uint64_t)((double)(at + TICK_NS - job.begun) / 1e9 * job.rate), have = made(job.map);
    uint64_t most = (uint64_t)(CATCH_UP * job.rate * TICK_NS / 1e9) + 1;
    if (due <= have) continue;
    uint32_t n = (uint32_t)(due - have > most ? most : due - have);
    union bpf_attr run = {.test = {.prog_fd = (uint32_t)job.program,
                                   .data_in = (uintptr_t)job.data,
                                   .data_size_in = job.size,
                                   .ctx_in = (uintptr_t)&where,
                                   .ctx_size_in = sizeof where,
                                   .repeat = n,
                                   .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
                                   .batch_size = n < BATCH ? n : BATCH}};
    job.last = now_ns();
    if (bpf(BPF_PROG_TEST_RUN, &run) != 0 && errno != EINTR) die("frames were refused");
  }
  return NULL;
}

int main(int argc, char **argv) {
  uint32_t flows = argc < 6 ? 512 : (uint32_t)strtoul(argv[5], NULL, 10);
  job.iface = argc < 5 ? 0 : if_nametoindex(argv[1]);
  if (job.iface == 0 || flows == 0 || flows > FLOWS_MAX) {
    fprintf(stderr, "usage: flood IFACE SECONDS RATE rtp FLOWS | udp | tcp\n");
    return 2;
  }
  job.rate = atof(argv[3]);
  job.size = make(job.data, argv[4]);
  /* The interface gives room to frames of XDP while a program is attached to it, which goes with this process. */
  union bpf_attr link = {
      .link_create = {.prog_fd = (uint32_t)load_pass(), .target_ifindex = job.iface, .attach_type = BPF_XDP}};
  if (bpf(BPF_LINK_CREATE, &link) < 0) die("the interface takes no XDP program");
  job.map = make_map(flows);
  job.program = load_counting(job.map, strcmp(argv[4], "rtp") == 0);
  job.begun = now_ns();
  job.until = job.begun + (int64_t)(atof(argv[2]) * 1e9);
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
  if (sched_setaffinity(0, sizeof last, &last) != 0) die("the last processor is not to be had");
  pthread_t turn[TURNS];
  for (uintptr_t i = 0; i < TURNS; i++)
    if (pthread_create(&turn[i], NULL, take_turns, (void *)i) != 0) die("no thread");
  for (uint32_t i = 0; i < TURNS; i++) pthread_join(turn[i], NULL);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("{\"seconds\": %.3f, \"cpu_seconds\": %.3f, \"frames\": %" PRIu64 "}\n",
         (double)(job.last + TICK_NS - job.begun) / 1e9,
         (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
             (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
         made(job.map));
  return 0;
}
