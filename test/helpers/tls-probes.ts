/** What tests and the bench of the TLS probes share: an open capture, places for probes, a certificate. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { allocateSlabs } from '../../src/sources/capture-memory.ts';
import { loadNative } from '../../src/sources/native.ts';
import type { RecordBatch } from '../../src/sources/record-batch.ts';
import { withElf } from '../../src/sources/tls/elf.ts';
import { TLS_LIBRARIES } from '../../src/sources/tls/functions.ts';
import { ownSites } from '../../src/sources/tls/look.ts';
import type { NativeTlsCapture, NativeTlsOptions, TlsSite, TlsSiteKind } from '../../src/sources/tls/native-tls.ts';
import { findSites } from '../../src/sources/tls/sites.ts';
import { objdumpExits } from './objdump-exits.ts';

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

type Loaded = { readonly offset: number; readonly address: number; readonly size: number };
type Symbols = { readonly loads: readonly Loaded[]; readonly addresses: ReadonlyMap<string, number> };

/** Addresses of functions, from the dynamic or the full symbol table, read by another program than ours (readelf). */
function readSymbols(path: string): Symbols {
  const run = spawnSync('readelf', ['-W', '-l', '-s', path], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`readelf ${path}: ${run.stderr}`);
  const loads = [...run.stdout.matchAll(/^\s+LOAD\s+0x(\w+)\s+0x(\w+)\s+0x\w+\s+0x(\w+)/gm)].map((m) => {
    const [offset = 0, address = 0, size = 0] = m.slice(1).map((hex) => Number.parseInt(hex, 16));
    return { offset, address, size };
  });
  const addresses = new Map<string, number>();
  for (const m of run.stdout.matchAll(/^\s*\d+:\s+(\w+)\s+\d+\s+FUNC\s+\w+\s+\w+\s+(?!UND)\S+\s+([^\s@]+)/gm))
    if (m[2] !== undefined) addresses.set(m[2], Number.parseInt(m[1] ?? '', 16));
  return { loads, addresses };
}

/** Place in the file; null outside of what it maps. */
function fileOffset({ loads }: Symbols, address: number): number | null {
  const load = loads.find((l) => address >= l.address && address < l.address + l.size);
  return load === undefined ? null : address - load.address + load.offset;
}

const known = new Map<string, TlsSite[]>();

/** The exported functions of a library, each at its first instruction, and all places where they can end. */
export function exportedSites(path: string): TlsSite[] {
  // A path may lead into another mount namespace: a file is known by its inode.
  const { dev, ino, mtimeMs, size } = statSync(path);
  const key = `${dev} ${ino} ${mtimeMs} ${size}`;
  const sites = known.get(key) ?? findExported(path);
  known.set(key, sites);
  return sites;
}

function findExported(path: string): TlsSite[] {
  const symbols = readSymbols(path);
  const ours = withElf(path, (image) => findSites(image, true));
  const found = new Map('reason' in ours ? [] : ours.flatMap(({ sites }) => sites.map((s) => [s.name, s.exits])));
  return TLS_LIBRARIES.flatMap((library) => library.functions).flatMap(([name, kind]) => {
    const address = symbols.addresses.get(name);
    const offset = address === undefined ? null : fileOffset(symbols, address);
    if (address === undefined || offset === null) return [];
    return [{ kind, offset, exits: exitOffsets(path, symbols, address, kind) ?? found.get(name) ?? null }];
  });
}

function exitOffsets(path: string, symbols: Symbols, address: number, kind: TlsSiteKind): number[] | null {
  // Of these the return tells nothing.
  if (/-(handshake|reset|free)$/.test(kind)) return null;
  return objdumpExits(path, address)?.map((exit) => fileOffset(symbols, exit) ?? 0) ?? null;
}

/** The sites that calltap takes. */
export function chosenSites(path: string): TlsSite[] {
  const libraries = withElf(path, ownSites);
  if ('reason' in libraries) throw new Error(libraries.reason);
  return libraries
    .flatMap((library) => library.sites)
    .map(({ kind, offset, exits, tcpDistance = 0 }) => ({ kind, offset, exits, tcpDistance }));
}

/* ---- Certificates ---- */

/** Writes a self-signed certificate (c.pem) and its key (k.pem) into a folder. */
export function selfSigned(folder: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem'];
  const args = ['req', '-x509', ...key, '-days', '2', '-subj', '/CN=localhost', '-out', 'c.pem'];
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}
