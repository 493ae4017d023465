/** Says of options, keys and variables that are gone what to write instead. */
import { DIAGNOSIS } from './diagnosis-options.ts';
import type { OptionSpec } from './option-spec.ts';

const OFFSETS = 'put lines such as "/opt/sbc SSL_read=0x10 SSL_write=0x20" into a file, and name that';
const ONE_WAY_STOP = 'remove it; media that stops is media-stopped, from diagnosis.media_stop on';

/** Thresholds are keys of the file alone. */
const THRESHOLDS = Object.values<OptionSpec>(DIAGNOSIS).flatMap(({ flag, arg = '', toml = '' }) => {
  const [section, key] = toml.split('.');
  const hint = `write ${key} = ${arg} under [${section}] in the file of --config`;
  return [flag, `CALLTAP_${flag.toUpperCase().replaceAll('-', '_')}`].map((name) => [name, hint] as const);
});

/** By flag without dashes, key of the file, or variable. The package comments keys out that mean nothing any more. */
export const GONE: ReadonlyMap<string, string> = new Map([
  ...THRESHOLDS,
  ['diag-one-way-stop', ONE_WAY_STOP],
  ['diagnosis.one_way_stop', ONE_WAY_STOP],
  ['uprobe-offset', `${OFFSETS} with --uprobe-offsets`],
  ['capture.uprobe_offset', `${OFFSETS} with uprobe_offsets`],
]);
