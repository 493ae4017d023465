/**
 * A second reading of the files that were read, which writes selected frames of them. A file that can be read only once, or
 * that has changed meanwhile, is one clear line.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { type EndpointKey, endpointKeyAddress, endpointKeyPort, parseIpv4, parseIpv6 } from '../../core/ip.ts';
import type { NativeBinding, NativeSecondResult } from '../native.ts';
import type { FrameSelection, MediaFlow } from './frame-selection.ts';

/** What a second pass did. */
export type WrittenFrames = {
  /** Frames that went to the output; it counts those that a disk refused. */
  readonly frames: number;
  /** Fragments of media that came before the one that names the ports: they are not in the output. */
  readonly missedFragments: number;
  /** stop() ended it. */
  readonly isStopped: boolean;
};

/** The files of the first pass. */
export type FilesAgain = {
  readonly paths: readonly string[];
  readonly descriptors: Int32Array;
  readonly stamps: readonly FileStamp[];
  readonly espNull: boolean;
  /** What the first pass did not look at is not written. */
  readonly bpf: string;
};

/** What tells that a file is the same and unchanged; null for what is no file. */
export type FileStamp = {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly changedNs: bigint;
} | null;

/** `control`: [1 asks to stop, per mille of the files read]. Rejects with ServiceError. */
export async function writeFrames(
  binding: NativeBinding,
  files: FilesAgain,
  selection: FrameSelection,
  output: number,
  control: Uint32Array,
): Promise<WrittenFrames> {
  refuseChanged(files);
  const { paths, descriptors, espNull, bpf } = files;
  const result = await new Promise<NativeSecondResult>((resolve) => {
    const flows = packFlows(selection.flows);
    const { ordinals } = selection;
    binding.secondPass(
      { paths, descriptors, ordinals, flows, output, seed: randomBytes(16), espNull, bpf, control },
      resolve,
    );
  });
  const { failed, missing, taken, refused, missedFragments, isStopped } = result;
  if (failed >= 0) throw changed(paths[failed] ?? '');
  if (!isStopped) {
    refuseChanged(files);
    if (missing > 0) throw changed(paths.join(', '));
  }
  return { frames: taken - refused, missedFragments, isStopped };
}

/** Throws ServiceError for what can be read only once: standard input, or a pipe. */
export function refuseReadOnce(paths: readonly string[], stamps: readonly FileStamp[] = paths.map(stampOf)): void {
  for (const [i, path] of paths.entries())
    if ((stamps[i] ?? null) === null) throw failure('CAPTURE_READ_ONCE', { path, cause: 'pipe' });
}

/** Null also for what cannot be asked for: who opens it says why. */
export function stampOf(path: string): FileStamp {
  if (path === '-') return null;
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() === true
    ? { device: stat.dev, inode: stat.ino, size: stat.size, changedNs: stat.mtimeNs }
    : null;
}

function refuseChanged({ paths, stamps }: FilesAgain): void {
  refuseReadOnce(paths, stamps);
  for (const [i, path] of paths.entries()) {
    const [before, now] = [stamps[i] ?? null, stampOf(path)];
    const isSame =
      before !== null &&
      now !== null &&
      before.device === now.device &&
      before.inode === now.inode &&
      before.size === now.size &&
      before.changedNs === now.changedNs;
    if (!isSame) throw changed(path);
  }
}

function changed(path: string): ServiceError {
  return failure('CAPTURE_READ_ONCE', { path, cause: 'changed' });
}

const FLOW_BYTES = 56;
const FLOW = { a: 0, b: 16, aPort: 32, bPort: 34, version: 36, isControl: 37, fromUs: 40, toUs: 48 } as const;

/** Rows of struct ct_flow of native/file/selection.h. */
export function packFlows(flows: readonly MediaFlow[]): Uint8Array {
  const bytes = new Uint8Array(flows.length * FLOW_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { a, b, fromUs, toUs, isControl }] of flows.entries()) {
    const at = i * FLOW_BYTES;
    putAddress(view, at + FLOW.a, a);
    putAddress(view, at + FLOW.b, b);
    view.setUint16(at + FLOW.aPort, endpointKeyPort(a), true);
    view.setUint16(at + FLOW.bPort, endpointKeyPort(b), true);
    view.setUint8(at + FLOW.version, typeof a === 'string' ? 6 : 4);
    view.setUint8(at + FLOW.isControl, isControl ? 1 : 0);
    view.setFloat64(at + FLOW.fromUs, fromUs, true);
    view.setFloat64(at + FLOW.toUs, toUs, true);
  }
  return bytes;
}

function putAddress(view: DataView, at: number, key: EndpointKey): void {
  const text = endpointKeyAddress(key);
  if (typeof key === 'number') view.setUint32(at, parseIpv4(text));
  else for (const [i, byte] of (parseIpv6(text) ?? []).entries()) view.setUint8(at + i, byte);
}
