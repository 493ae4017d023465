/** The program whose TLS calls are observed (bench/tls_call.c): compiled, started, and told what to do. */
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageRoot } from '../src/core/package.ts';

/** Compiles a program of this folder; its path. */
export function buildProgram(name: 'tls_call' | 'tls_bare'): string {
  const bench = join(packageRoot(), 'bench');
  mkdirSync(join(bench, 'out'), { recursive: true });
  const out = join(bench, 'out', name);
  const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror'];
  const libraries = name === 'tls_call' ? ['-lssl', '-lcrypto'] : [];
  execFileSync('cc', [...flags, join(bench, `${name}.c`), ...libraries, '-o', out]);
  return out;
}

/** A copy in a folder of the libssl that it loads, for the workers there: others may have probes on the host's own. */
export function privateLibssl(folder: string): string {
  const libraries = execFileSync('ldd', [join(packageRoot(), 'bench/out/tls_call')], { encoding: 'utf8' });
  const path = /=> (\S*libssl\S*)/.exec(libraries)?.[1] ?? '';
  const copy = join(folder, 'lib', basename(path));
  mkdirSync(join(folder, 'lib'), { recursive: true });
  copyFileSync(path, copy);
  return copy;
}

/** A child that answers one line a command. */
export class TlsWorker {
  readonly #child: ChildProcess;
  #waiting: ((line: string) => void) | undefined;
  #text = '';

  private constructor(program: string, cwd: string) {
    const env = { ...process.env, LD_LIBRARY_PATH: join(cwd, 'lib') };
    this.#child = spawn(program, [], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
      const end = this.#text.indexOf('\n');
      if (end < 0) return;
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      this.#waiting?.(line);
    });
  }

  /** Starts one in a folder with a certificate, and waits until it is ready. */
  static async start(program: string, cwd: string): Promise<TlsWorker> {
    const worker = new TlsWorker(program, cwd);
    await worker.#line();
    return worker;
  }

  #line(): Promise<string> {
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  ask(command: string): Promise<string> {
    const answer = this.#line();
    this.#child.stdin?.write(`${command}\n`);
    return answer;
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

export type Made = { readonly calls: number; readonly seconds: number; readonly cpuSeconds: number };

/** So many SSL calls a second by all of them together; `what` is the command that takes a rate. */
export async function makeCalls(
  workers: readonly TlsWorker[],
  what: string,
  rate: number,
  rest: string,
): Promise<Made> {
  const said = await Promise.all(workers.map((worker) => worker.ask(`${what} ${rate / workers.length} ${rest}`)));
  const rows = said.map((line) => /^made (\d+) in (\S+) cpu (\S+)/.exec(line)?.slice(1).map(Number) ?? []);
  const column = (i: number): number[] => rows.map((row) => row[i] ?? 0);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return { calls: sum(column(0)), seconds: Math.max(...column(1)), cpuSeconds: sum(column(2)) };
}
