/* SPDX-License-Identifier: Apache-2.0
 * classic_bpf.c - see classic_bpf.h.
 *
 *   code: | operation 4 | operand 1 | class 3 |   for loads: | mode 3 | size 2 | class 3 |
 */
#include "core/classic_bpf.h"

enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC }; /* classes */
enum { SIZE_W = 0x00, SIZE_H = 0x08, SIZE_B = 0x10 };
enum { MODE_IMM = 0x00, MODE_ABS = 0x20, MODE_IND = 0x40, MODE_MEM = 0x60, MODE_LEN = 0x80, MODE_MSH = 0xa0 };
enum { OPERAND_X = 0x08 };
enum {
  ADD = 0x00,
  SUB = 0x10,
  MUL = 0x20,
  DIV = 0x30,
  OR = 0x40,
  AND = 0x50,
  LSH = 0x60,
  RSH = 0x70,
  NEG = 0x80,
  MOD = 0x90,
  XOR = 0xa0
};
enum { JA = 0x00, JEQ = 0x10, JGT = 0x20, JGE = 0x30, JSET = 0x40 };
enum { RET_K = 0x00, RET_X = 0x08, RET_A = 0x10 };
enum { TAX = 0x00, TXA = 0x80 };
#define WORDS 16u

/* ---- The check ---- */

static bool is_load(uint16_t code) {
  switch (code) {
  case LD | SIZE_W | MODE_ABS:
  case LD | SIZE_H | MODE_ABS:
  case LD | SIZE_B | MODE_ABS:
  case LD | SIZE_W | MODE_IND:
  case LD | SIZE_H | MODE_IND:
  case LD | SIZE_B | MODE_IND:
  case LD | SIZE_W | MODE_LEN:
  case LD | MODE_IMM:
  case LDX | SIZE_W | MODE_LEN:
  case LDX | MODE_IMM:
  case LDX | SIZE_B | MODE_MSH: return true;
  default: return false;
  }
}

static bool is_memory(uint16_t code) {
  return code == (LD | MODE_MEM) || code == (LDX | MODE_MEM) || code == ST || code == STX;
}

static bool is_alu(const struct ct_bpf_insn *i) {
  const uint16_t operation = i->code & 0xf0;
  if ((i->code & ~0xf8) != ALU || operation > XOR) return false;
  if (operation == NEG) return (i->code & OPERAND_X) == 0;
  const bool divides = operation == DIV || operation == MOD;
  return !divides || (i->code & OPERAND_X) != 0 || i->k != 0;
}

/* `left`: instructions after this one. */
static bool is_jump(const struct ct_bpf_insn *i, uint32_t left) {
  const uint16_t operation = i->code & 0xf0;
  if ((i->code & ~0xf8) != JMP || operation > JSET) return false;
  if (operation == JA) return (i->code & OPERAND_X) == 0 && i->k < left;
  return i->jt < left && i->jf < left;
}

bool ct_bpf_check(const struct ct_bpf_insn *program, uint32_t n) {
  if (n == 0 || n > CT_BPF_MOST || (program[n - 1].code & 7) != RET) return false;
  for (uint32_t at = 0; at < n; at++) {
    const struct ct_bpf_insn *i = &program[at];
    const bool is_return = i->code == (RET | RET_K) || i->code == (RET | RET_X) || i->code == (RET | RET_A);
    const bool is_move = i->code == (MISC | TAX) || i->code == (MISC | TXA);
    if (is_return || is_move || is_load(i->code)) continue;
    if (is_memory(i->code) && i->k < WORDS) continue;
    if (is_alu(i) || is_jump(i, n - at - 1)) continue;
    return false;
  }
  return true;
}

/* ---- The machine ---- */

/* `size` bytes at `at`, network order; false when they are not all there. */
static inline bool load(const uint8_t *packet, uint32_t len, uint64_t at, uint32_t size, uint32_t *value) {
  if (at > len || size > len - at) return false;
  uint32_t v = 0;
  for (uint32_t i = 0; i < size; i++) v = v << 8 | packet[at + i];
  *value = v;
  return true;
}

static inline uint32_t size_of(uint16_t code) {
  return (code & 0x18) == SIZE_W ? 4 : (code & 0x18) == SIZE_H ? 2 : 1;
}

/* False where the operation has no result. */
static inline bool calculate(uint16_t operation, uint32_t *a, uint32_t b) {
  switch (operation) {
  case ADD: *a += b; return true;
  case SUB: *a -= b; return true;
  case MUL: *a *= b; return true;
  case DIV:
    if (b == 0) return false;
    *a /= b;
    return true;
  case MOD:
    if (b == 0) return false;
    *a %= b;
    return true;
  case OR: *a |= b; return true;
  case AND: *a &= b; return true;
  case XOR: *a ^= b; return true;
  case LSH: *a = b < 32 ? *a << b : 0; return true;
  case RSH: *a = b < 32 ? *a >> b : 0; return true;
  default: *a = 0u - *a; return true; /* NEG */
  }
}

static inline bool compare(uint16_t operation, uint32_t a, uint32_t b) {
  switch (operation) {
  case JEQ: return a == b;
  case JGT: return a > b;
  case JGE: return a >= b;
  default: return (a & b) != 0; /* JSET */
  }
}

uint32_t ct_bpf_run(const struct ct_bpf_insn *program, const uint8_t *packet, uint32_t len,
                    uint32_t wire_len) {
  uint32_t a = 0, x = 0, memory[WORDS] = {0}, byte;
  for (const struct ct_bpf_insn *i = program;; i++) {
    const uint32_t operand = (i->code & OPERAND_X) != 0 ? x : i->k;
    switch (i->code & 7) {
    case LD:
      switch (i->code & 0xe0) {
      case MODE_ABS:
        if (!load(packet, len, i->k, size_of(i->code), &a)) return 0;
        break;
      case MODE_IND:
        if (!load(packet, len, (uint64_t)x + i->k, size_of(i->code), &a)) return 0;
        break;
      case MODE_LEN: a = wire_len; break;
      case MODE_MEM: a = memory[i->k]; break;
      default: a = i->k; break;
      }
      break;
    case LDX:
      switch (i->code & 0xe0) {
      case MODE_MSH: /* the length of an IPv4 header */
        if (!load(packet, len, i->k, 1, &byte)) return 0;
        x = (byte & 15) * 4;
        break;
      case MODE_LEN: x = wire_len; break;
      case MODE_MEM: x = memory[i->k]; break;
      default: x = i->k; break;
      }
      break;
    case ST: memory[i->k] = a; break;
    case STX: memory[i->k] = x; break;
    case ALU:
      if (!calculate(i->code & 0xf0, &a, operand)) return 0;
      break;
    case JMP: i += (i->code & 0xf0) == JA ? i->k : compare(i->code & 0xf0, a, operand) ? i->jt : i->jf; break;
    case RET: return (i->code & 0x18) == RET_A ? a : (i->code & 0x18) == RET_X ? x : i->k;
    default:
      if ((i->code & 0xf8) == TAX)
        x = a;
      else
        a = x;
      break;
    }
  }
}
