/**
 * The RET instructions through which a function can leave, by another disassembler than ours (objdump): jumps are
 * followed wherever they lead, so that the code behind a tail jump counts too.
 */
import { spawnSync } from 'node:child_process';

type Instruction = { readonly next: number; readonly mnemonic: string; readonly operand: string };

const WINDOW = 4096;
const MAX_INSTRUCTIONS = 50_000;
/** Calls of these do not come back: what follows them is other code. */
const NEVER_RETURNS = /<(__stack_chk_fail|abort|__assert_fail|exit|_exit|__cxa_throw|__fortify_fail)(@plt)?>/;

/** `entry` and the result are addresses of the file's own; null: it leaves by a jump that only the processor can follow. */
export function objdumpExits(path: string, entry: number): number[] | null {
  const known = new Map<number, Instruction>();
  const seen = new Set<number>();
  const exits = new Set<number>();
  const waiting = [entry];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (seen.size > MAX_INSTRUCTIONS) return null;
    if (!known.has(at)) disassemble(path, at, known);
    const instruction = known.get(at);
    if (instruction === undefined) return null;
    const { next, mnemonic, operand } = instruction;
    if (/^(repz |bnd )?ret/.test(mnemonic)) {
      exits.add(at);
      continue;
    }
    if (/^(ud2|hlt|int3|udf|brk)/.test(mnemonic)) continue;
    if (/^call|^bl/.test(mnemonic) && NEVER_RETURNS.test(operand)) continue;
    const isJump = /^(notrack |bnd )?jmp|^(b|br)$/.test(mnemonic);
    const isBranch = /^j|^b\.|^(cbn?z|tbn?z|loop)/.test(mnemonic);
    if (isJump || isBranch) {
      const target = /(?:^|, )([0-9a-f]+) </.exec(operand)?.[1];
      // An indirect jump is a tail call or a table: neither can be followed here. Nor can one to another library.
      if (target === undefined || /@plt/.test(operand)) return null;
      waiting.push(Number.parseInt(target, 16));
    }
    if (!isJump) waiting.push(next);
  }
  return [...exits].sort((a, b) => a - b);
}

function disassemble(path: string, from: number, into: Map<number, Instruction>): void {
  const range = [`--start-address=0x${from.toString(16)}`, `--stop-address=0x${(from + WINDOW).toString(16)}`];
  const run = spawnSync('objdump', ['-d', '--no-show-raw-insn', ...range, path], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0) throw new Error(`objdump ${path}: ${run.stderr}`);
  const lines = [...run.stdout.matchAll(/^\s*([0-9a-f]+):\s+((?:(?:repz|bnd|notrack) )?\S+)[ \t]*(.*)$/gm)];
  for (const [i, m] of lines.entries()) {
    const next = lines[i + 1];
    // The last one may be cut off by the window: it is read again, as the first of another.
    if (next === undefined && i > 0) break;
    const at = Number.parseInt(m[1] ?? '', 16);
    const following = next === undefined ? at : Number.parseInt(next[1] ?? '', 16);
    if (!into.has(at)) into.set(at, { next: following, mnemonic: m[2] ?? '', operand: m[3] ?? '' });
  }
}
