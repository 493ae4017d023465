/**
 * Builds the canaries and their peer, with a certificate, into a folder that works by itself: also in another machine
 * that has the libraries.
 */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { selfSigned } from '../helpers/tls-probes.ts';
import type { Canary } from './canary-list.ts';
import { CANARIES, COMPILER_FLAGS, compilerLine } from './canary-list.ts';
import { repositoryRoot } from './native-program.ts';

/** The peer has its own OpenSSL and no symbols: there is nothing in it to probe. */
const PEER = ['-s', '-Wl,-Bstatic', '-lssl', '-lcrypto', '-Wl,-Bdynamic', '-lpthread', '-ldl'];

const runProgram = promisify(execFile);

/** Compilers that run at once. */
const AT_ONCE = 2;

async function compile(line: readonly string[]): Promise<void> {
  const [program = '', ...args] = line;
  await runProgram(program, args);
}

/** Why a canary cannot be built here, or false. */
function lacks(canary: Canary): string | false {
  if (canary.processors !== undefined && !canary.processors.includes(process.arch))
    return `it is made for ${canary.processors.join(' and ')}`;
  const { needs } = canary;
  return needs !== undefined && !existsSync(join('/usr/include', needs.header)) && `apt-get install ${needs.package}`;
}

export type Built = {
  readonly names: readonly string[];
  /** By name, why not. */
  readonly absent: Readonly<Record<string, string>>;
};

/** Builds all into `folder`. Throws what the compiler says. */
export async function buildCanaries(folder: string): Promise<Built> {
  const from = join(repositoryRoot(), 'test/live/canaries');
  const absent: Record<string, string> = {};
  for (const canary of CANARIES) {
    const reason = lacks(canary);
    if (reason !== false) absent[canary.name] = reason;
  }
  const wanted = CANARIES.filter(({ name }) => absent[name] === undefined);
  mkdirSync(folder, { recursive: true });
  selfSigned(folder);
  // Also for who is not root.
  chmodSync(join(folder, 'k.pem'), 0o644);
  const shared = join(folder, 'canary.o');
  await compile(['gcc', ...COMPILER_FLAGS, '-std=gnu11', '-c', '-o', shared, join(from, 'canary.c')]);
  const lines = [
    ['gcc', ...COMPILER_FLAGS, '-o', join(folder, 'peer'), join(from, 'peer.c'), ...PEER],
    ...wanted.map((canary) => compilerLine(canary, from, shared, join(folder, canary.name))),
  ];
  const compileNext = async (): Promise<void> => {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) await compile(line);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, compileNext));
  // For a run elsewhere: what there is, and the runner itself.
  const names = wanted.map(({ name }) => name);
  writeFileSync(join(folder, 'canaries.json'), JSON.stringify({ names, absent }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  for (const file of ['list', 'run', 'agent', 'force', 'others', 'main'])
    copyFileSync(join(import.meta.dirname, `canary-${file}.js`), join(folder, `canary-${file}.js`));
  return { names, absent };
}
