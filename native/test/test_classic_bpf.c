/* SPDX-License-Identifier: Apache-2.0
 * test_classic_bpf.c - programs that may run, what they compute, and that nothing beyond the packet is read.
 */
#include "check.h"
#include "core/classic_bpf.h"
#include <linux/filter.h>

#define PACKET 8u
_Static_assert(sizeof(struct ct_bpf_insn) == sizeof(struct sock_filter), "one instruction");

/* Linux has macros for the same instructions. */
static const struct ct_bpf_insn *of(const struct sock_filter *f) { return (const struct ct_bpf_insn *)f; }

static uint32_t run(const struct sock_filter *f, uint32_t n, uint32_t wire_len) {
  uint8_t *packet = exact_copy("\x45\x01\x02\x03\x04\x05\x06\xff", PACKET);
  CHECK(ct_bpf_check(of(f), n));
  uint32_t result = ct_bpf_run(of(f), packet, PACKET, wire_len);
  free(packet);
  return result;
}

#define RUN(...)                                                                                             \
  run((const struct sock_filter[]){__VA_ARGS__},                                                             \
      sizeof((const struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter), 100)
#define S(code, k) BPF_STMT((code), (k))
#define RETURN_A S(BPF_RET | BPF_A, 0)

static void loads(void) {
  CHECK_EQ(RUN(S(BPF_LD | BPF_W | BPF_ABS, 0), RETURN_A), 0x45010203);
  CHECK_EQ(RUN(S(BPF_LD | BPF_H | BPF_ABS, 6), RETURN_A), 0x06ff);
  CHECK_EQ(RUN(S(BPF_LD | BPF_B | BPF_ABS, 7), RETURN_A), 0xff);
  CHECK_EQ(RUN(S(BPF_LDX | BPF_IMM, 4), S(BPF_LD | BPF_W | BPF_IND, 0), RETURN_A), 0x040506ff);
  CHECK_EQ(RUN(S(BPF_LD | BPF_W | BPF_LEN, 0), RETURN_A), 100);
  CHECK_EQ(RUN(S(BPF_LDX | BPF_B | BPF_MSH, 0), S(BPF_MISC | BPF_TXA, 0), RETURN_A), 20);
  /* Beyond the packet the answer is no, whatever would come after. */
  CHECK_EQ(RUN(S(BPF_LD | BPF_W | BPF_ABS, 5), S(BPF_RET | BPF_K, 1)), 0);
  CHECK_EQ(RUN(S(BPF_LD | BPF_B | BPF_ABS, 8), S(BPF_RET | BPF_K, 1)), 0);
  CHECK_EQ(RUN(S(BPF_LD | BPF_W | BPF_ABS, UINT32_MAX), S(BPF_RET | BPF_K, 1)), 0);
  CHECK_EQ(RUN(S(BPF_LDX | BPF_IMM, UINT32_MAX), S(BPF_LD | BPF_B | BPF_IND, 1), S(BPF_RET | BPF_K, 1)), 0);
  CHECK_EQ(RUN(S(BPF_LDX | BPF_B | BPF_MSH, 8), S(BPF_RET | BPF_K, 1)), 0);
}

static void arithmetic(void) {
  static const struct {
    uint16_t operation;
    uint32_t a, b, want;
  } ROWS[] = {
      {BPF_ADD, UINT32_MAX, 2, 1}, {BPF_SUB, 1, 2, UINT32_MAX}, {BPF_MUL, 0x10001, 0x10001, 0x20001},
      {BPF_DIV, 7, 2, 3},          {BPF_MOD, 7, 4, 3},          {BPF_OR, 5, 2, 7},
      {BPF_AND, 5, 4, 4},          {BPF_XOR, 5, 4, 1},          {BPF_LSH, 1, 31, 0x80000000},
      {BPF_LSH, 1, 32, 0},         {BPF_RSH, 8, 3, 1},          {BPF_RSH, 8, 40, 0},
  };
  for (unsigned i = 0; i < COUNT(ROWS); i++) {
    CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, ROWS[i].a), S(BPF_ALU | ROWS[i].operation | BPF_K, ROWS[i].b), RETURN_A), ROWS[i].want);
    CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, ROWS[i].a), S(BPF_LDX | BPF_IMM, ROWS[i].b), S(BPF_ALU | ROWS[i].operation | BPF_X, 0), RETURN_A), ROWS[i].want);
  }
  CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, 1), S(BPF_ALU | BPF_NEG, 0), RETURN_A), UINT32_MAX);
  CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, 1), S(BPF_ALU | BPF_DIV | BPF_X, 0), S(BPF_RET | BPF_K, 1)), 0);
  CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, 1), S(BPF_ALU | BPF_MOD | BPF_X, 0), S(BPF_RET | BPF_K, 1)), 0);
  CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, 9), S(BPF_ST, 15), S(BPF_LDX | BPF_MEM, 15), S(BPF_STX, 0), S(BPF_LD | BPF_MEM, 0), RETURN_A), 9);
  CHECK_EQ(RUN(S(BPF_LD | BPF_MEM, 3), RETURN_A), 0);
}

static void jumps(void) {
  static const struct {
    uint16_t operation;
    uint32_t a, b;
    bool jumps;
  } ROWS[] = {
      {BPF_JEQ, 5, 5, true}, {BPF_JEQ, 5, 6, false}, {BPF_JGT, 6, 5, true},  {BPF_JGT, 5, 5, false},
      {BPF_JGE, 5, 5, true}, {BPF_JGE, 4, 5, false}, {BPF_JSET, 6, 2, true}, {BPF_JSET, 6, 1, false},
      {BPF_JGT, UINT32_MAX, 1, true},
  };
  for (unsigned i = 0; i < COUNT(ROWS); i++) {
    CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, ROWS[i].a), BPF_JUMP(BPF_JMP | ROWS[i].operation | BPF_K, ROWS[i].b, 1, 0),
                 S(BPF_RET | BPF_K, 0), S(BPF_RET | BPF_K, 1)), ROWS[i].jumps);
    CHECK_EQ(RUN(S(BPF_LD | BPF_IMM, ROWS[i].a), S(BPF_LDX | BPF_IMM, ROWS[i].b), BPF_JUMP(BPF_JMP | ROWS[i].operation | BPF_X, 0, 1, 0),
                 S(BPF_RET | BPF_K, 0), S(BPF_RET | BPF_K, 1)), ROWS[i].jumps);
  }
  CHECK_EQ(RUN(S(BPF_JMP | BPF_JA, 1), S(BPF_RET | BPF_K, 0), S(BPF_RET | BPF_K, 7)), 7);
}

static void refused(void) {
  static const struct sock_filter end = BPF_STMT(BPF_RET | BPF_K, 1);
  static const struct sock_filter ROWS[] = {
      BPF_STMT(BPF_ST, 16),
      BPF_STMT(BPF_STX, 16),
      BPF_STMT(BPF_LD | BPF_MEM, 16),
      BPF_STMT(BPF_LDX | BPF_MEM, UINT32_MAX),
      BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0),
      BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 0),
      BPF_STMT(BPF_ALU | BPF_NEG | BPF_X, 0),
      BPF_STMT(BPF_ALU | 0xb0, 1),
      BPF_STMT(BPF_JMP | BPF_JA, 1),
      BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
      BPF_STMT(BPF_JMP | 0x50, 0),
      BPF_STMT(BPF_LD | BPF_B | BPF_LEN, 0),
      BPF_STMT(BPF_LDX | BPF_W | BPF_ABS, 0),
      BPF_STMT(BPF_MISC | 0x40, 0),
      BPF_STMT(BPF_RET | 0x18, 0),
      BPF_STMT(0x100 | BPF_LD | BPF_IMM, 0),
      BPF_STMT(0xffff, 0),
  };
  for (unsigned i = 0; i < COUNT(ROWS); i++) {
    const struct sock_filter program[] = {ROWS[i], end};
    CHECK(!ct_bpf_check(of(program), 2));
  }
  CHECK(ct_bpf_check(of(&end), 1));
  CHECK(!ct_bpf_check(of(&end), 0));
  const struct sock_filter endless[] = {end, BPF_STMT(BPF_LD | BPF_IMM, 1)};
  CHECK(!ct_bpf_check(of(endless), 2));
}

int main(void) {
  loads();
  arithmetic();
  jumps();
  refused();
  return report("classic_bpf");
}
