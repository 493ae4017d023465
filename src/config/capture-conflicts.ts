/** Checks what sources, the listener, written files and collectors of a run say against each other. */
import { statSync } from 'node:fs';
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { RowValues } from './option-spec.ts';
import { keptFiles, oneLine, optionValueText } from './option-value.ts';
import type { TABLE } from './options.ts';
import { conflict } from './relations.ts';
import { filterOf, isLive } from './run-kind.ts';
import { MAX_COLLECTORS, MAX_KEPT_FILES } from './source-options.ts';

type Config = RowValues<typeof TABLE>;

export function deviceConflict({ device: devices }: Config): ServiceError | null {
  const rule = devices.find((name) => name.includes('=='));
  if (rule !== undefined)
    return conflict(
      `-d ${rule}`,
      'it names an interface, and no rule of tshark',
      'write --portrange PORT to read SIP there',
    );
  const twice = devices.find((name, i) => devices.indexOf(name) !== i || (name === 'any' && devices.length > 1));
  const remedy = 'give each interface once, or any alone';
  return twice === undefined ? null : conflict(`-d ${twice}`, 'this would capture the same packets twice', remedy);
}

export function listenKeyConflict({ hepListenCert, hepListenKey }: Config): ServiceError | null {
  return hepListenCert !== null && hepListenKey === null
    ? conflict('--hep-listen-cert', 'it requires --hep-listen-key', 'add --hep-listen-key FILE')
    : null;
}

/** A time that is kept is whole files of the split. */
export function keepConflict({ split, keep }: Config): ServiceError | null {
  if (keep === null || keep.files > 0 || split === null || split.isByCall) return null;
  const option = `--keep ${optionValueText(keep)}`;
  if (split.seconds === 0)
    return conflict(option, '--split begins files by their size, not by time', 'write --split 1h, or --keep N files');
  if (split.bytes > 0)
    return conflict(option, '--split may end a file before its time', 'leave its size out, or write --keep N files');
  const kept = keptFiles(keep, split);
  if (kept * split.seconds === keep.keptSeconds && kept >= 2 && kept <= MAX_KEPT_FILES) return null;
  const every = `${split.seconds}s`;
  return conflict(option, `it is not 2 to ${MAX_KEPT_FILES} files of --split ${every}`, `write a multiple of ${every}`);
}

export function outputFileConflict({ output }: Config): ServiceError | null {
  return output === '-' ? conflict('-O -', 'standard output carries other data', 'name a file or a pipe') : null;
}

/** -O gets the frames of some calls once all is read. */
export function secondPassConflict(config: Config): ServiceError | null {
  const { output, split, input } = config;
  if (filterOf(config) === null || output === null || split?.isByCall === true) return null;
  return isLive(config) || input.includes('-')
    ? conflict('--filter with -O', 'it reads the files twice, and this source can be read once', 'use --split call')
    : null;
}

/** A file for each call needs frames to write, and a folder that is there. */
export function callSplitConflict({ split, output, keep, device, input }: Config): ServiceError | null {
  if (split?.isByCall !== true || output === null) return null;
  const option = '--split call';
  if (keep !== null)
    return conflict(option, 'it cannot be combined with --keep', 'leave --keep out and remove old files yourself');
  if (!isFolder(output))
    return conflict(option, `-O ${oneLine(output)} is not a folder`, 'make the folder first, or name another one');
  if (device.length === 0 && input.length === 0)
    return conflict(option, 'only -d and -I have frames to write', 'add -d, or leave --split call out');
  return null;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What the collectors of -H say against each other, or against what goes with them. */
export function collectorConflict({ hepSend, hepFailover, hepCa, hepCert }: Config): ServiceError | null {
  const texts = hepSend.map((one) => optionValueText(one));
  const twice = texts.find((text, i) => texts.indexOf(text) !== i);
  if (hepSend.some(({ port }) => port === 0))
    return conflict('-H', 'nobody listens on port 0', "give the collector's port, such as 192.0.2.9:9060");
  if (twice !== undefined) return conflict(`-H ${twice}`, 'it would get each message twice', 'give it once');
  if (hepSend.length > MAX_COLLECTORS)
    return conflict('-H', 'there are too many collectors', `give at most ${MAX_COLLECTORS}`);
  if (hepFailover && hepSend.length < 2)
    return conflict('--hep-failover', 'there is no other collector', 'give a second -H ADDR');
  const forTls = hepCa !== null ? '--hep-ca' : hepCert !== null ? '--hep-cert' : null;
  return forTls === null || hepSend.some(({ transport }) => transport === 'tls')
    ? null
    : conflict(forTls, 'no collector of -H is spoken to by TLS', 'write -H tls://HOST:PORT');
}

export function sourceConflict(config: Config): ServiceError | null {
  const isNamed = isLive(config) || config.input.length > 0 || config.showFrame !== null;
  return isNamed ? null : failure('NOTHING_TO_READ', {});
}
