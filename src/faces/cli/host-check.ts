/**
 * `--check`: what this host offers calltap and what it lacks, a line each with the remedy. It opens what a capture opens
 * and closes it again; nothing is captured, attached or kept.
 */

import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import type { Config } from '../../config/config.ts';
import { counted } from '../../core/counted.ts';
import { ServiceError } from '../../core/errors.ts';
import { packageVersion } from '../../core/package.ts';
import type { Color } from '../../core/terminal-text.ts';
import { paint, safeText } from '../../core/terminal-text.ts';
import { LiveSource } from '../../sources/live/live-source.ts';
import { type CapabilityName, effectiveCapabilities } from '../../sources/live/privileges.ts';
import { loadNative } from '../../sources/native.ts';
import { processorRefusal, readCpuinfo } from '../../sources/processor.ts';
import { memoryBytes, tlsRingBytes } from '../../sources/tls/open.ts';
import { surveyHost } from '../../sources/tls/survey.ts';
import { TlsTargets } from '../../sources/tls/targets.ts';
import type { Interface } from './interfaces.ts';
import { readInterfaces } from './interfaces.ts';
import { mayColor } from './terminal.ts';
import { tryProbes, unreadLines } from './uprobe-list.ts';

/** `limited`: calltap works, with less. `missing`: a part of it does not work on this host, or not for this user. */
export type Verdict = 'ok' | 'limited' | 'missing';

export type CheckRow = {
  readonly name: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** Empty where nothing needs to be done. */
  readonly remedy: string;
};

/** The oldest kernel that calltap is tried on. */
const OLDEST_KERNEL = [5, 10] as const;
const MIB = 1024 ** 2;
/** What all caps together may fill (docs/limits.md). */
const WANTED_MEMORY_BYTES = 1024 * MIB;
/** Clocks that take a call into the hypervisor or a device for each packet. */
const SLOW_CLOCKS = new Set(['hpet', 'acpi_pm', 'jiffies']);
const ROOT_OR_UNIT = 'run as root, or with the rights of the service (docs/service.md)';

const ok = (name: string, text: string): CheckRow => ({ name, verdict: 'ok', text, remedy: '' });
const limited = (name: string, text: string, remedy: string): CheckRow => ({ name, verdict: 'limited', text, remedy });
const missing = (name: string, text: string, remedy: string): CheckRow => ({ name, verdict: 'missing', text, remedy });

/** Prints the lines, or with --json a document. Exit code 1 when something is missing. */
export function runHostCheck(config: Config): number {
  const rows = hostRows(config);
  const isGood = rows.every(({ verdict }) => verdict !== 'missing');
  if (config.json) {
    const checks = rows.map(({ name, verdict, text, remedy }) => ({ name, verdict, text, remedy: remedy || null }));
    process.stdout.write(`${JSON.stringify({ version: packageVersion(), works: isGood, checks })}\n`);
  } else {
    process.stdout.write(`${checkLines(rows, mayColor(process.stdout)).join('\n')}\n`);
  }
  return isGood ? 0 : 1;
}

const COLORS: Readonly<Record<Verdict, Color>> = { ok: 'green', limited: 'yellow', missing: 'red' };

/** One line a row: verdict, name, what was found, and after a semicolon what to do. */
export function checkLines(rows: readonly CheckRow[], color: boolean): string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, verdict, text, remedy }) => {
    const head = `${paint(verdict.padEnd('limited'.length), COLORS[verdict], color)}  ${name.padEnd(width)}`;
    return `${head}  ${safeText(remedy === '' ? text : `${text}; ${remedy}`)}`;
  });
}

/** Every row. Where the addon cannot be loaded, what hangs on it is left out: its own row says why. */
export function hostRows(config: Config): CheckRow[] {
  const processor = processorRow();
  const program = processor.verdict === 'missing' ? [] : [programRow()];
  const first = [processor, ...program, kernelRow(release()), memoryRow(memoryBytes()), btfRow()];
  if ([processor, ...program].some(({ verdict }) => verdict === 'missing')) return first;
  return [
    ...first,
    rightsRow(process.getuid?.() ?? -1, effectiveCapabilities()),
    interfacesRow(readInterfaces()),
    ...captureRows(config),
    probesRow(config),
    librariesRow(),
    clockRow(loadNative().isClockSynchronized(), clockSource()),
  ];
}

function programRow(): CheckRow {
  const text = `calltap ${packageVersion()}, Node ${process.versions.node} for ${process.arch}`;
  try {
    loadNative();
    return ok('program', text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return missing('program', text, error.message);
  }
}

function processorRow(): CheckRow {
  const refusal = processorRefusal(process.arch, readCpuinfo());
  if (refusal !== null) return missing('processor', refusal, '');
  return ok('processor', process.arch === 'x64' ? 'x86-64-v2 or newer' : process.arch);
}

/** Major and minor number of `6.1.0-50-amd64`. */
function kernelVersion(text: string): readonly [number, number] {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0)];
}

export function kernelRow(version: string): CheckRow {
  const text = `Linux ${version}`;
  const [major, minor] = kernelVersion(version);
  const [oldest, least] = OLDEST_KERNEL;
  if (major > oldest || (major === oldest && minor >= least)) return ok('kernel', text);
  const line = `${text} is older than ${OLDEST_KERNEL.join('.')}, the oldest that calltap is tried on`;
  return limited('kernel', line, 'expect the classic filter and no --uprobe, or use a newer kernel');
}

export function memoryRow(bytes: number): CheckRow {
  const text = `${Math.round(bytes / MIB)} MiB for this process`;
  if (bytes >= WANTED_MEMORY_BYTES) return ok('memory', text);
  const line = `${text}, and calltap can fill ${WANTED_MEMORY_BYTES / MIB} MiB`;
  return limited('memory', line, 'lower --max-dialogs, --max-streams and --message-log-bytes');
}

function btfRow(): CheckRow {
  const path = '/sys/kernel/btf/vmlinux';
  if (existsSync(path)) return ok('BTF', path);
  const remedy = 'use a kernel built with CONFIG_DEBUG_INFO_BTF, or mount /sys into the container';
  return limited('BTF', `${path} is missing, so eBPF programs do not load`, remedy);
}

/** Who runs, with which rights of those that calltap uses. What these lack is said where it was tried: filter and probes. */
export function rightsRow(uid: number, rights: ReadonlySet<CapabilityName>): CheckRow {
  const names = [...rights].map((name) => `CAP_${name.toUpperCase()}`).sort();
  const text = `${uid === 0 ? 'root' : `uid ${uid}`} with ${names.join(', ') || 'no capability'}`;
  return names.length === 0 ? limited('rights', `${text}: only files and -L`, ROOT_OR_UNIT) : ok('rights', text);
}

export function interfacesRow(all: readonly Pick<Interface, 'name' | 'isUp'>[]): CheckRow {
  const isLoopback = ({ name }: Pick<Interface, 'name'>): boolean => name === 'lo';
  const text = all.map(({ name, isUp }) => `${name} ${isUp ? 'up' : 'down'}`).join(', ') || 'none';
  if (all.some((row) => row.isUp && !isLoopback(row))) return ok('interfaces', text);
  const remedy = 'bring an interface up; a container needs the network of its host';
  return limited('interfaces', `${text}: none but loopback is up`, remedy);
}

/** Opens a capture on loopback and says which filter it got and how large its ring is. */
function captureRows(config: Config): CheckRow[] {
  let source: LiveSource;
  try {
    source = new LiveSource({
      sipPorts: config.portrange,
      wsPorts: config.wsPortrange,
      maxStreams: config.maxStreams,
      windowSec: config.qualityInterval,
      espNull: config.decodeEspNull,
      hep: false,
      retainsPayload: false,
      interfaces: ['lo'],
      isPromiscuous: false,
      writesFrames: false,
      bestFilter: 'ebpf',
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [missing('filter', error.message, '')];
  }
  const { mode, why } = source.filter();
  const ring = source.statuses()[0]?.ringBytes ?? 0;
  source.close();
  const filter =
    mode === 'ebpf'
      ? ok('filter', 'eBPF: the kernel passes what calltap reads')
      : limited('filter', `${mode}, which passes more than calltap reads (${why})`, 'see rights, BTF and probes');
  const rmem = Number(readText('/proc/sys/net/core/rmem_max') || 0);
  const rings = [
    `${ring / MIB} MiB an interface`,
    `${tlsRingBytes(config.uprobeRingBytes, memoryBytes()) / MIB} MiB for --uprobe`,
    `net.core.rmem_max ${rmem} for -L`,
  ];
  return [filter, ok('rings', rings.join(', '))];
}

function probesRow(config: Config): CheckRow {
  const targets = new TlsTargets({ uprobe: config.uprobe, comm: config.uprobeComm });
  const { works, text } = tryProbes(config, targets);
  return works ? ok('probes', text) : limited('probes', `--uprobe does not work here: ${text}`, '');
}

function librariesRow(): CheckRow {
  const { rows, unreadable, unread } = surveyHost();
  const seen = rows.filter(({ isObservable }) => isObservable);
  const names = [...new Set(seen.map(({ comm, library }) => `${comm} (${library})`))].sort();
  const SHOWN = 8;
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  const libraries =
    names.length === 0 ? 'no process with a library that can be observed' : names.slice(0, SHOWN).join(', ') + more;
  const text = [libraries, ...unreadLines(unread)].join('; ');
  if (unreadable === 0) return ok('TLS', text);
  const line = `${text}; ${counted(unreadable, 'process', 'processes')} cannot be looked into`;
  return limited('TLS', line, process.getuid?.() === 0 ? '' : ROOT_OR_UNIT);
}

function clockSource(): string {
  return readText('/sys/devices/system/clocksource/clocksource0/current_clocksource');
}

export function clockRow(isSynchronized: boolean, source: string): CheckRow {
  const text = `${isSynchronized ? 'synchronized' : 'not synchronized'}${source === '' ? '' : `, source ${source}`}`;
  if (!isSynchronized) return limited('clock', text, 'start chrony or systemd-timesyncd, so that times of hosts agree');
  if (SLOW_CLOCKS.has(source)) return limited('clock', `${text}, which is slow to read`, 'choose tsc or kvm-clock');
  return ok('clock', text);
}

/** The text of a small file of the kernel, without its line end; '' where there is none. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
