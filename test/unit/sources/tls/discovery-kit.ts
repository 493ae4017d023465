/** A host of made-up processes, libraries and probes for the tests of discovery. */
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { ProbeNative } from '../../../../src/sources/tls/discovery.ts';
import { TlsDiscovery } from '../../../../src/sources/tls/discovery.ts';
import { kernelDevice } from '../../../../src/sources/tls/mapped-file.ts';
import type { StartedProgram, TlsAttachRequest, TlsMapping } from '../../../../src/sources/tls/native-tls.ts';
import { TlsOffsets } from '../../../../src/sources/tls/offsets.ts';
import { ROW, ROW_BYTES } from '../../../../src/sources/tls/scan-rows.ts';
import { TlsTargets } from '../../../../src/sources/tls/targets.ts';
import { elfFile } from './elf-file.ts';
export const dir = mkdtempSync(join(tmpdir(), 'calltap-tls-'));
after(() => rmSync(dir, { recursive: true }));

export const TLS = elfFile({ functions: ['SSL_read', 'SSL_write'].map((name) => ({ name, code: [0x55, 0xc3] })) });
export const OTHER = elfFile({ functions: [{ name: 'puts', code: [0xc3] }] });

export function file(name: string, content: Buffer): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

/** A /proc of the test's own: the roots of its processes are the real one. */
export function procWith(...pids: number[]): string {
  const proc = mkdtempSync(join(dir, 'proc-'));
  symlinkSync('/proc/self', join(proc, 'self'));
  for (const pid of pids) {
    mkdirSync(join(proc, String(pid)));
    symlinkSync('/', join(proc, String(pid), 'root'));
  }
  return proc;
}

/** What a process that maps a library shows in such a /proc. */
export function writeMaps(proc: string, pid: number, comm: string, path: string): void {
  const { dev, ino } = statSync(path);
  const hex = (n: number): string => n.toString(16).padStart(2, '0');
  const device = `${hex(kernelDevice(dev) >>> 20)}:${hex(kernelDevice(dev) & 0xfffff)}`;
  const maps = [
    `7f0000000000-7f0000001000 r--p 00000000 ${device} ${ino} ${path}`,
    `7f0000001000-7f0000002000 r-xp 00001000 ${device} ${ino}                    ${path}`,
    '7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0 [vdso]',
  ];
  writeFileSync(join(proc, String(pid), 'maps'), `${maps.join('\n')}\n`);
  writeFileSync(join(proc, String(pid), 'comm'), `${comm}\n`);
}

export function mapping(pid: number, path: string, changes: Partial<TlsMapping> = {}): TlsMapping {
  const { ino, dev } = statSync(path);
  return {
    pid,
    comm: `comm${pid}`,
    dev: kernelDevice(dev),
    ino,
    path,
    deleted: false,
    start: 0x1000n,
    end: 0x2000n,
    mntns: 1,
    ...changes,
  };
}

/** A mapping as the kernel gives it. */
function scanRow(m: TlsMapping): Buffer {
  const row = Buffer.alloc(ROW_BYTES);
  const path = m.deleted ? `${m.path} (deleted)` : m.path;
  row.writeBigUInt64LE(m.start, ROW.start);
  row.writeBigUInt64LE(m.end, ROW.end);
  row.writeBigUInt64LE(BigInt(m.ino), ROW.ino);
  row.writeUInt32LE(m.dev, ROW.dev);
  row.writeUInt32LE(m.pid, ROW.pid);
  row.writeUInt32LE(m.mntns, ROW.mntns);
  row.writeUInt32LE(m.deleted ? 0 : 1, ROW.nlink);
  row.write(m.comm, ROW.comm, 15);
  row.writeInt32LE(row.write(path, ROW.path) + 1, ROW.pathBytes);
  return row;
}

export class FakeNative implements ProbeNative {
  rows: TlsMapping[] = [];
  error = '';
  attachError = '';
  /** Inode of what was attached, by id. */
  readonly attached = new Map<number, number>();
  readonly requests: TlsAttachRequest[] = [];
  readonly allowed: (number[] | null)[] = [];
  rule = 0;
  readonly programs: string[] = [];
  #next = 1;

  cut = 0;
  scan(done: (error: string, rows: Buffer, cut: number) => void): void {
    setImmediate(() => done(this.error, Buffer.concat(this.rows.map(scanRow)), this.cut));
  }
  attach(request: TlsAttachRequest): { id: number; errno: number; error: string } {
    this.requests.push(request);
    if (this.attachError !== '') return { id: 0, errno: 1, error: this.attachError };
    const id = this.#next++;
    this.attached.set(id, statSync(request.path).ino);
    return { id, errno: 0, error: '' };
  }
  detach(id: number): boolean {
    return this.attached.delete(id);
  }
  allow(pids: Uint32Array | null): number {
    this.allowed.push(pids === null ? null : [...pids]);
    return 0;
  }
  /** By row; what is not there has proven nothing yet. */
  readonly proofs = new Map<number, number>();
  proof(row: number): { state: number; calls: number } {
    return { state: this.proofs.get(row) ?? 0, calls: 0 };
  }
  starts(rule: number, programs: readonly StartedProgram[]): number {
    this.rule = rule;
    this.programs.push(...programs.map(({ ino, name }) => `${ino} ${name}`));
    return 0;
  }
  has(path: string): boolean {
    return [...this.attached.values()].includes(statSync(path).ino);
  }
}

export function setUp(
  uprobe: readonly string[],
  comm: string | null = null,
  proc = procWith(10, 11, 12),
  offsets = new TlsOffsets(),
) {
  const native = new FakeNative();
  const said: string[] = [];
  const targets = new TlsTargets({ uprobe, comm }, proc);
  const discovery = new TlsDiscovery(native, targets, (line) => said.push(line), proc, offsets);
  return { native, said, discovery };
}
