/** A TLS capture with its events kept, and peers that talk over TLS: for tls-kernel tests. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RecordBatch } from '../../src/sources/record-batch.ts';
import { KIND, TLS_FLAG, TLS_LIBRARY_SHIFT } from '../../src/sources/records.ts';
import type { NativeTlsOptions } from '../../src/sources/tls/native-tls.ts';
import { PATIENCE_MS, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { exportedSites, ProbeCapture, selfSigned } from '../helpers/tls-probes.ts';
import { repositoryRoot } from './native-program.ts';

export type TlsEvent = {
  kind: 'data' | 'bind' | 'close';
  tsUs: number;
  /** Connection id, low half and high half joined. */
  conn: bigint;
  pid: number;
  tid: number;
  offset: number;
  callBytes: number;
  written: boolean;
  flags: number;
  library: number;
  ipVersion: number;
  /** Of the observed process and of its peer, '' when not known. */
  local: string;
  remote: string;
  bytes: Buffer;
};

const NAMES: Readonly<Record<number, TlsEvent['kind']>> = {
  [KIND.TLS_DATA]: 'data',
  [KIND.TLS_BIND]: 'bind',
  [KIND.TLS_CLOSE]: 'close',
};

function endpoint(batch: RecordBatch, at: number, port: number, version: number): string {
  if (version === 4) return `${batch.bytes.subarray(at, at + 4).join('.')}:${port}`;
  if (version === 6) return `${Buffer.from(batch.bytes.subarray(at, at + 16)).toString('hex')}:${port}`;
  return '';
}

export function readEvent(batch: RecordBatch, i: number): TlsEvent {
  const flags = batch.aux2(i);
  const kind = NAMES[batch.kind(i)];
  if (kind === undefined) throw new Error(`unexpected record kind ${batch.kind(i)}`);
  const version = batch.ipVersion(i);
  const src = endpoint(batch, batch.srcOff(i), batch.srcPort(i), version);
  const dst = endpoint(batch, batch.dstOff(i), batch.dstPort(i), version);
  const written = (flags & TLS_FLAG.WRITTEN) !== 0;
  const inward = kind === 'data' && !written;
  return {
    kind,
    tsUs: batch.tsUs(i),
    conn: BigInt(batch.aux0(i)) | (BigInt(batch.aux1(i)) << 32n),
    pid: batch.digestLow(i),
    tid: batch.digestHigh(i),
    offset: batch.frame(i),
    callBytes: batch.wireLen(i),
    written,
    flags: flags & 0xff,
    library: flags >>> TLS_LIBRARY_SHIFT,
    ipVersion: version,
    local: inward ? dst : src,
    remote: inward ? src : dst,
    bytes: Buffer.from(batch.data.subarray(batch.off(i), batch.off(i) + batch.len(i))),
  };
}

export class TlsLab extends ProbeCapture {
  readonly events: TlsEvent[];
  /** Set: slabs are not given back, the reader stalls. */
  stallMs = 0;
  #closed = false;
  /** Data events since the beginning, whatever was taken out of `events`. */
  #received = 0;
  #before: Readonly<Record<string, number>> = {};

  constructor(options: Partial<NativeTlsOptions> = {}, slabs = 32) {
    const events: TlsEvent[] = [];
    super(options, slabs, (batch, count) => {
      // Blocking on purpose: the reader thread must find no room, as when JavaScript is busy.
      if (this.stallMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.stallMs);
      for (let i = 0; i < count; i++) {
        const event = readEvent(batch, i);
        events.push(event);
        if (event.kind === 'data') this.#received++;
      }
    });
    this.events = events;
  }

  /** Waits until all that the kernel has handed over is here, and nothing more has come for a while. */
  async settle(quietMs = 100): Promise<void> {
    let seen = -1;
    await until(
      async () => {
        const before = this.events.length;
        const isWhole = before === seen && this.#received >= super.counter('events');
        seen = before;
        return isWhole;
      },
      () => `${this.#received} events of ${super.counter('events')} have arrived`,
      quietMs,
    );
  }

  /** The same for another test: nothing seen yet, and counters that begin with zero. Loading takes half a second. */
  async again(): Promise<this> {
    await this.settle();
    this.events.length = 0;
    this.#before = super.counters();
    return this;
  }

  override counter(name: string): number {
    return super.counter(name) - (this.#before[name] ?? 0);
  }

  override counters(): Record<string, number> {
    const now = Object.entries(super.counters()).map(([name, n]) => [name, n - (this.#before[name] ?? 0)] as const);
    return Object.fromEntries(now.filter(([, n]) => n !== 0));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.native.close();
  }

  data(): TlsEvent[] {
    return this.events.filter((e) => e.kind === 'data');
  }
}

/** An open lab that the test closes; skips when the kernel or the rights are not there. */
export function openLab(t: TestContext, options: Partial<NativeTlsOptions> = {}, slabs = 32): TlsLab {
  const lab = new TlsLab(options, slabs);
  t.after(() => lab.close());
  if (lab.refusal !== '') throw new Error(lab.refusal);
  return lab;
}

let skip: string | false | undefined;

/** Why kernel tests cannot run here, or false. Root in CI must run them. */
export function kernelSkip(): string | false {
  skip ??= reasonToSkip();
  return skip;
}

function reasonToSkip(): string | false {
  if (process.platform !== 'linux') return 'Linux only';
  if (process.getuid?.() !== 0) return 'needs root (CAP_BPF and CAP_PERFMON)';
  const lab = new TlsLab();
  lab.close();
  // A container's root may lack the rights, or the kernel its types; any other refusal is a fault of ours.
  return /^built without|: missing CAP_|has no type information|lockdown/.test(lab.refusal) ? lab.refusal : false;
}

/** The file a program would load for this library name, by ldconfig's cache; '' when it is not installed. */
export function libraryPath(name: string): string {
  const run = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' });
  return new RegExp(`^\\s*${name.replaceAll('.', '\\.')} .* => (\\S+)$`, 'm').exec(run.stdout ?? '')?.[1] ?? '';
}

/* ---- Peers ---- */

/** A folder with a self-signed certificate (c.pem) and its key (k.pem). */
export function certificateFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  selfSigned(folder);
  return folder;
}

/**
 * Copies of a library and its neighbours in `folder`/lib, where peers that start in `folder` find them first: other
 * programs of the host do not map this file, so nothing of theirs is seen.
 */
export function privateLibrary(folder: string, path: string, neighbours: readonly string[] = []): string {
  const dir = join(folder, 'lib');
  mkdirSync(dir, { recursive: true });
  for (const file of [path, ...neighbours]) copyFileSync(realpathSync(file), join(dir, basename(file)));
  return join(dir, basename(path));
}

/** The OpenSSL of python3 and of the openssl command, as a private copy. */
export function privateLibssl(folder: string): string {
  const path = pythonLibssl();
  return privateLibrary(folder, path, [path.replace('libssl', 'libcrypto')]);
}

function peerEnvironment(cwd: string): NodeJS.ProcessEnv {
  return { ...process.env, LD_LIBRARY_PATH: join(cwd, 'lib') };
}

/** Starts a peer; the test ends it. Resolves with its first line of output that matches. */
export async function startPeer(
  t: Pick<TestContext, 'after'>,
  command: readonly string[],
  ready: RegExp,
  cwd: string,
): Promise<{ child: ChildProcess; match: RegExpExecArray }> {
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: peerEnvironment(cwd),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  t.after(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      output += chunk.toString('latin1');
      const found = ready.exec(output);
      if (found !== null) resolve(found);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${command.join(' ')}: exit ${code}\n${output}`)));
  });
  return { child, match };
}

/** Waits until the output of a child matches. */
export async function says(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  let output = '';
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`no ${wanted} in: ${output}`)), PATIENCE_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('latin1');
      const found = wanted.exec(output);
      if (found === null) return;
      clearTimeout(limit);
      resolve(found);
    });
  });
}

/** Runs a peer to its end. */
export async function runPeer(command: readonly string[], cwd: string): Promise<string> {
  // A peer that hangs must not hang the test.
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: peerEnvironment(cwd),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 2 * PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  child.stdin.end();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${command.join(' ')}: exit ${code}\n${output.slice(-2000)}`);
  return output;
}

/** Path of a peer in test/live/peers. */
export function peerPath(name: string): string {
  return join(repositoryRoot(), 'test/live/peers', name);
}

/** The OpenSSL that `python3` uses, as a file. */
export function pythonLibssl(): string {
  const code = 'import _ssl; print([l.split()[-1] for l in open("/proc/self/maps") if "libssl" in l][0])';
  const run = spawnSync('python3', ['-c', code], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`python3 with a shared libssl is needed: ${run.stderr}`);
  return run.stdout.trim();
}

/** Attaches to the exported functions of a library. */
export function attachLibrary(lab: TlsLab, path: string): number {
  return lab.attach(path, exportedSites(path));
}

export type AddressCheck = {
  right: number;
  wrong: string[];
  unknown: number;
  late: number;
  /** Events whose address is likely, not proven, and those of them whose address is not right. */
  weak: number;
  weakWrong: number;
};

/**
 * Compares each event's address with the client port its text names ("X-Port: 12345;") and the server's port. Events
 * without an address count by the next bind of their connection (`late`).
 */
export function checkAddresses(events: readonly TlsEvent[], serverPort: number): AddressCheck {
  const check: AddressCheck = { right: 0, wrong: [], unknown: 0, late: 0, weak: 0, weakWrong: 0 };
  const bound = new Map<bigint, TlsEvent>();
  for (const e of events.toReversed()) {
    if (e.kind === 'bind') bound.set(e.conn, e);
    const port = /X-Port: (\d+);/.exec(e.bytes.toString('latin1'))?.[1];
    if (e.kind !== 'data' || port === undefined) continue;
    const by = e.ipVersion === 0 ? bound.get(e.conn) : e;
    if (e.ipVersion === 0) check.late++;
    if (by === undefined) {
      check.unknown++;
      continue;
    }
    const ports = [by.local, by.remote].map((end) => end.slice(end.lastIndexOf(':') + 1));
    const isRight = ports.includes(port) && ports.includes(String(serverPort));
    const isWeak = (e.flags & TLS_FLAG.WEAK_TUPLE) !== 0;
    if (isWeak) check.weak++;
    if (isRight) check.right++;
    else if (isWeak) check.weakWrong++;
    else check.wrong.push(`${by.local} ${by.remote} for ${port}`);
  }
  return check;
}

/** One direction of one connection, put together; throws on a gap. */
export function wholeStream(events: readonly TlsEvent[]): Buffer {
  let at = 0;
  for (const e of events) {
    if (e.offset !== at) throw new Error(`offset ${e.offset} where ${at} was expected`);
    at += e.bytes.length;
  }
  return Buffer.concat(events.map((e) => e.bytes));
}
