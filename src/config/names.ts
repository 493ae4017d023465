/**
 * The names of addresses that the options give: files in the format of /etc/hosts, and single names.
 */
import { failure } from '../core/errors.ts';
import type { NamedAddress } from '../core/names.ts';
import { Names, readName, readNames, swapped } from '../core/names.ts';
import type { Config } from './config.ts';
import { oneLine } from './option-value.ts';
import { readListFile } from './text-file.ts';

/** Single names win over those of files. Throws NAMES_INVALID and NAME_INVALID. */
export function namesOf({ names, name }: Pick<Config, 'names' | 'name'>): Names {
  return new Names([...names.flatMap(readFile), ...name.map(readOne)]);
}

function readFile(path: string): NamedAddress[] {
  const option = `--names ${oneLine(path)}`;
  const file = readListFile(path);
  const read = file.ok ? readNames(file.value) : file;
  if (!read.ok) throw failure('NAMES_INVALID', { option, reason: read.reason });
  return read.value;
}

function readOne(text: string): NamedAddress {
  const equal = text.indexOf('=');
  const [address, name] = [text.slice(0, Math.max(0, equal)), text.slice(equal + 1)];
  const read = readName(address, name);
  if (!read.ok)
    throw failure('NAME_INVALID', {
      value: oneLine(text.slice(0, 60)),
      reason: oneLine(swapped(address, name) ?? read.reason),
    });
  return read.value;
}
