/** What tests and the bench of the TLS probes share: an open capture, places for probes, a certificate. */
import { execFileSync, spawnSync } from 'node:child_process';
import { allocateSlabs } from '../../src/sources/capture-memory.ts';
import { loadNative } from '../../src/sources/native.ts';
import type { NativeTlsCapture, NativeTlsOptions, TlsSite } from '../../src/sources/native-tls.ts';
import type { RecordBatch } from '../../src/sources/record-batch.ts';
import { withElf } from '../../src/sources/tls-elf.ts';
import { TLS_LIBRARIES } from '../../src/sources/tls-functions.ts';
import { findSites } from '../../src/sources/tls-sites.ts';

export class ProbeCapture {
  readonly native: NativeTlsCapture;
  /** What open() said: '' when it worked, and then the reader runs. */
  readonly refusal: string;

  /** Records are valid until `onRecords` returns. Throws when the reader cannot be started. */
  constructor(
    options: Partial<NativeTlsOptions>,
    slabs: number,
    onRecords: (batch: RecordBatch, count: number) => void,
  ) {
    const memory = allocateSlabs(slabs);
    const binding = loadNative();
    this.native = new binding.TlsCapture(
      {
        slabs: memory.slabs,
        descriptors: memory.descriptors,
        sourceId: 7,
        ringBytes: 0,
        maxCallBytes: 0,
        maxConnections: 4096,
        sipOnly: false,
        ...options,
      },
      (slab, records) => {
        const batch = memory.batches[slab];
        if (batch !== undefined) onRecords(batch, records);
      },
    );
    this.refusal = this.native.open();
    const errno = this.refusal === '' ? this.native.start() : 0;
    if (errno !== 0) throw new Error(`start: errno ${errno}`);
  }

  /** Attaches or throws; the number to detach by. */
  attach(path: string, sites: readonly TlsSite[], pid?: number): number {
    const r = this.native.attach(pid === undefined ? { path, sites } : { path, sites, pid });
    if (r.id === 0) throw new Error(r.error);
    return r.id;
  }

  /** All counters by name. */
  #read(): Map<string, number> {
    const names = loadNative().info().tlsCounterNames;
    const values = new BigUint64Array(names.length);
    this.native.counters(values);
    return new Map(names.map((name, i) => [name, Number(values[i])]));
  }

  counter(name: string): number {
    const value = this.#read().get(name);
    if (value === undefined) throw new RangeError(`no counter ${name}`);
    return value;
  }

  /** Those that are not zero. */
  counters(): Record<string, number> {
    return Object.fromEntries([...this.#read()].filter(([, n]) => n !== 0));
  }
}

/* ---- Sites ---- */

/** File offsets of functions, from the dynamic or the full symbol table, read by another program than ours (readelf). */
function symbolOffsets(path: string): Map<string, number> {
  const run = spawnSync('readelf', ['-W', '-l', '-s', path], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`readelf ${path}: ${run.stderr}`);
  const loads = [...run.stdout.matchAll(/^\s+LOAD\s+0x(\w+)\s+0x(\w+)\s+0x\w+\s+0x(\w+)/gm)].map((m) =>
    m.slice(1).map((hex) => Number.parseInt(hex, 16)),
  );
  const found = new Map<string, number>();
  for (const m of run.stdout.matchAll(/^\s*\d+:\s+(\w+)\s+\d+\s+FUNC\s+\w+\s+\w+\s+(?!UND)\S+\s+([^\s@]+)/gm)) {
    const address = Number.parseInt(m[1] ?? '', 16);
    const load = loads.find(([, v = 0, size = 0]) => address >= v && address < v + size);
    if (load !== undefined && m[2] !== undefined) found.set(m[2], address - (load[1] ?? 0) + (load[0] ?? 0));
  }
  return found;
}

/** The exported functions of a library, each at its first instruction. */
export function exportedSites(path: string): TlsSite[] {
  const symbols = symbolOffsets(path);
  return TLS_LIBRARIES.flatMap((library) => library.functions).flatMap(([name, kind]) => {
    const offset = symbols.get(name);
    return offset === undefined ? [] : [{ kind, offset }];
  });
}

/** The sites that calltap takes, and whether reads and writes are seen one call deeper than the exported functions. */
export function chosenSites(path: string): { readonly sites: TlsSite[]; readonly isInternal: boolean } {
  const libraries = withElf(path, findSites);
  if ('reason' in libraries) throw new Error(libraries.reason);
  const sites = libraries.flatMap((library) => library.sites);
  return { sites: sites.map(({ kind, offset }) => ({ kind, offset })), isInternal: sites.some((s) => s.isInternal) };
}

/* ---- Certificates ---- */

/** Writes a self-signed certificate (c.pem) and its key (k.pem) into a folder. */
export function selfSigned(folder: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem'];
  const args = ['req', '-x509', ...key, '-days', '2', '-subj', '/CN=localhost', '-out', 'c.pem'];
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}
