/** Builds the configuration in force: flags over environment over file over defaults, then checks across options. */

import { failure, ServiceError } from '../core/errors.ts';
import type { Result } from '../core/result.ts';
import type { Thresholds } from '../core/thresholds.ts';
import { findConflict } from './conflicts.ts';
import { thresholdsOf } from './diagnosis-options.ts';
import type { Effective, Layer, ValueOrigin } from './layers.ts';
import { readArgv, readEnvironment, readToml } from './layers.ts';
import type { RowValues } from './option-spec.ts';
import { readRows } from './option-spec.ts';
import type { OptionValue } from './option-value.ts';
import { oneLine, parseOptionValue } from './option-value.ts';
import { OPTIONS, ROWS, TABLE } from './options.ts';
import { readListFile } from './text-file.ts';

/** The value of every option, `hepListen` of `--hep-listen`; `null` is "not given". */
export type Config = RowValues<typeof TABLE> & { readonly thresholds: Thresholds };

export type ConfigInput = {
  /** Arguments after the script name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file; tests give their own. */
  readonly readFile?: (path: string) => Result<string, string>;
};

type Loaded = { readonly config: Config; readonly effective: Effective };
type Outcome = { readonly ok: true; readonly value: Loaded } | { readonly ok: false; readonly error: ServiceError };

/** The configuration, or the first mistake found. With `--help` or `--version` only the command line is looked at. */
export function loadConfig(input: ConfigInput): Outcome {
  try {
    return { ok: true, value: load(input) };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, error };
    throw error;
  }
}

/** The line for standard error. What an operator names may hold a line end or move the cursor. */
export function configErrorLine(error: ServiceError): string {
  return oneLine(`calltap: ${error.message}`);
}

function load(input: ConfigInput): Loaded {
  const flags = readArgv(input.argv);
  if (flags.has('help') || flags.has('version')) {
    const effective = merge([[flags, 'flag']]);
    return { config: toConfig(effective), effective };
  }
  const environment = readEnvironment(input.env);
  const path = flags.get('config')?.[0] ?? environment.get('config')?.[0];
  const file = readFileLayer(typeof path === 'string' ? path : null, input.readFile ?? readListFile);
  const effective = merge([
    [flags, 'flag'],
    [environment, 'environment'],
    [file, 'file'],
  ]);
  const config = toConfig(effective);
  const conflict = findConflict(config, effective);
  if (conflict !== null) throw conflict;
  return { config, effective };
}

function readFileLayer(path: string | null, read: (path: string) => Result<string, string>): Layer {
  if (path === null) return new Map();
  const file = read(path);
  if (!file.ok) throw failure('CONFIG_UNREADABLE', { path, reason: file.reason });
  return readToml(file.value, path);
}

function merge(layers: readonly (readonly [Layer, ValueOrigin])[]): Effective {
  const effective = new Map<string, { values: readonly OptionValue[]; origin: ValueOrigin }>();
  for (const spec of ROWS) {
    const found = layers.find(([layer]) => layer.has(spec.flag));
    const values = found?.[0].get(spec.flag);
    if (found !== undefined && values !== undefined) {
      effective.set(spec.flag, { values, origin: found[1] });
    } else if (spec.default !== undefined) {
      const value = parseOptionValue(spec.type, spec.default, `the default of --${spec.flag}`);
      effective.set(spec.flag, { values: [value], origin: 'default' });
    }
  }
  for (const { flag, implies } of OPTIONS) {
    const given = effective.get(flag);
    if (implies === undefined || given === undefined || effective.has(implies.flag)) continue;
    effective.set(implies.flag, { values: [implies.value], origin: given.origin });
  }
  return effective;
}

function toConfig(effective: Effective): Config {
  const valuesOf = (flag: string): readonly OptionValue[] | undefined => effective.get(flag)?.values;
  return { ...readRows(TABLE, valuesOf), thresholds: thresholdsOf((flag) => Number(valuesOf(flag)?.[0])) };
}
