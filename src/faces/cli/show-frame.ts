/**
 * `--show-frame <source>#<ordinal>[@<digest>]`: the frame a pointer names, decoded and as a hex dump.
 *
 * With a digest (FNV-1a 64 of the captured bytes) a frame that no longer matches is refused and nothing
 * is printed; without one it is printed as UNVERIFIED.
 */
import { failure } from '../../core/errors.ts';
import { endpointText, ipText } from '../../core/ip.ts';
import { safeText } from '../../core/terminal-text.ts';
import { timestampText } from '../../core/timestamp.ts';
import { readHead } from '../../sources/file/capture-head.ts';
import { compressionOf } from '../../sources/file/compression.ts';
import { captureOpenError } from '../../sources/file/file-source.ts';
import { Unpacker } from '../../sources/file/unpack.ts';
import type { NativeFrame } from '../../sources/native.ts';
import { loadNative, PCAP_STATUS } from '../../sources/native.ts';

const POINTER = /^(.+)#([0-9]{1,15})(?:@([0-9a-f]{16}))?$/s;
/** 0 is a SIP message that had no frame. */
const PROTOCOLS: Readonly<Record<number, string>> = { 0: 'SIP', 1: 'ICMP', 6: 'TCP', 17: 'UDP', 58: 'ICMPv6' };
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1a, 64 bit, as 16 lowercase hex characters. */
export function frameDigest(bytes: Uint8Array): string {
  let h = FNV_OFFSET;
  for (const b of bytes) h = BigInt.asUintN(64, (h ^ BigInt(b)) * FNV_PRIME);
  return h.toString(16).padStart(16, '0');
}

/** Prints the frame; exit code 0. Throws ServiceError with the one line for everything else. */
export async function runShowFrame(pointer: string, espNull: boolean): Promise<number> {
  const match = POINTER.exec(pointer);
  const path = match?.[1];
  if (match === null || path === undefined) throw failure('POINTER_INVALID', { pointer: safeText(pointer) });
  const ordinal = Number(match[2]);
  const digest = match[3];
  const f = loadNative().frameAt(await readablePath(path), ordinal, espNull);
  if (f.frame === undefined) {
    if (f.status !== PCAP_STATUS.EOF && f.status !== PCAP_STATUS.TRUNCATED && f.status !== PCAP_STATUS.CORRUPT)
      throw captureOpenError(path, f.status, f.errno);
    throw failure('FRAME_NOT_FOUND', { path, ordinal });
  }
  const actual = frameDigest(f.frame);
  if (digest !== undefined && digest !== actual) throw failure('FRAME_MISMATCH', { path, ordinal, actual, digest });
  process.stdout.write(`${describe(path, ordinal, f, f.frame, digest === undefined).join('\n')}\n`);
  return 0;
}

/** A compressed capture is unpacked first; its file goes with the process. */
async function readablePath(path: string): Promise<string> {
  const compression = path === '-' ? null : compressionOf(readHead(path));
  if (compression === null) return path;
  const fd = (await new Unpacker().unpack(new Map([[0, { path, compression }]])))?.get(0)?.fd;
  return fd === undefined ? path : `/proc/self/fd/${fd}`;
}

function describe(path: string, ordinal: number, f: NativeFrame, frame: Buffer, unverified: boolean): string[] {
  const lines = [
    `${unverified ? 'UNVERIFIED ' : ''}frame ${ordinal} of ${path}`,
    `captured ${timestampText(f.tsUs ?? 0)}, ${frame.length} of ${f.wireLength} bytes, link type ${f.linkType}`,
  ];
  if (f.tunnels !== undefined && f.tunnels.length > 0) lines.push(`inside ${f.tunnels.join(', ')}`);
  if (f.isDecoded === true && f.src !== undefined && f.dst !== undefined) {
    const version = f.ipVersion ?? 4;
    const ip = version === 0 ? 'IP' : `IPv${version}`;
    const src = endpointText(ipText(f.src, 0, version), f.srcPort ?? 0);
    const dst = endpointText(ipText(f.dst, 0, version), f.dstPort ?? 0);
    const name = PROTOCOLS[f.protocol ?? 0] ?? `protocol ${f.protocol}`;
    const fragment = f.reason === 'ok' ? '' : ' (IP fragment)';
    lines.push(`${ip} ${name} ${src} -> ${dst}, ${f.payload?.length ?? 0} payload bytes${fragment}`);
  } else lines.push(`not decoded: ${f.reason}`);
  const text = f.payload?.toString('utf8') ?? '';
  if (/^(SIP\/2\.0 |[A-Za-z]+ \S+ SIP\/2\.0)/.test(text)) {
    lines.push('', ...text.split(/\r?\n/).map((l) => safeText(l)));
    while (lines[lines.length - 1] === '') lines.pop();
  }
  return [...lines, '', ...hexDump(frame)];
}

/** Sixteen bytes a line: offset, hex, printable characters. */
export function hexDump(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let off = 0; off < bytes.length; off += 16) {
    const row = [...bytes.subarray(off, off + 16)];
    const hex = row.map((b) => b.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((b) => (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : '.')).join('');
    lines.push(`${off.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines;
}
