/**
 * The files that the processes of this host map, as the kernel's iterator gives them: rows of one layout, made into objects a
 * turn at a time. struct ct_tls_mapping of bpf/tls_event.h; a process has one row for each file.
 */
import type { Steps, Turns } from '../../core/turns.ts';
import type { ScanNative, TlsMapping, TlsScanResult } from './native-tls.ts';

export const ROW_BYTES = 320;
export const ROW = {
  start: 0,
  end: 8,
  ino: 16,
  dev: 24,
  pid: 28,
  mntns: 32,
  nlink: 36,
  comm: 40,
  pathBytes: 56,
  path: 64,
};
const COMM_BYTES = 16;
const PATH_BYTES = ROW_BYTES - ROW.path;
const DELETED = ' (deleted)';
/** Rows of one step. */
const STEP_ROWS = 64;

/** One at a time. What was cut is counted by row. */
export async function scanHost(native: ScanNative, turns: Turns): Promise<TlsScanResult> {
  const { error, bytes, cut } = await new Promise<{ error: string; bytes: Buffer; cut: number }>((resolve) =>
    native.scan((error, bytes, cut) => resolve({ error, bytes, cut })),
  );
  return { error, rows: await turns.whole('probes', mappingsIn(bytes)), cut };
}

function* mappingsIn(bytes: Buffer): Steps<TlsMapping[]> {
  const rows: TlsMapping[] = [];
  for (let at = 0; at + ROW_BYTES <= bytes.length; at += ROW_BYTES) {
    rows.push(mappingAt(bytes, at));
    if (rows.length % STEP_ROWS === 0) yield;
  }
  return rows;
}

function mappingAt(bytes: Buffer, at: number): TlsMapping {
  const deleted = bytes.readUInt32LE(at + ROW.nlink) === 0;
  // Negative for a path that is too long.
  const length = Math.max(0, Math.min(PATH_BYTES, bytes.readInt32LE(at + ROW.pathBytes)));
  const path = textAt(bytes, at + ROW.path, length);
  return {
    pid: bytes.readUInt32LE(at + ROW.pid),
    comm: textAt(bytes, at + ROW.comm, COMM_BYTES),
    dev: bytes.readUInt32LE(at + ROW.dev),
    ino: Number(bytes.readBigUInt64LE(at + ROW.ino)),
    path: deleted && path.endsWith(DELETED) ? path.slice(0, -DELETED.length) : path,
    deleted,
    start: bytes.readBigUInt64LE(at + ROW.start),
    end: bytes.readBigUInt64LE(at + ROW.end),
    mntns: bytes.readUInt32LE(at + ROW.mntns),
  };
}

function textAt(bytes: Buffer, at: number, most: number): string {
  const end = bytes.indexOf(0, at);
  return bytes.toString('utf8', at, end < 0 ? at + most : Math.min(end, at + most));
}
