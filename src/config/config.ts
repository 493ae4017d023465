/** Builds the configuration in force: flags over environment over file over defaults, then checks across options. */

import { readFileSync } from 'node:fs';
import { errnoOf } from '../core/errors.ts';
import type { Thresholds } from '../core/thresholds.ts';
import type { Outcome } from './config-error.ts';
import { mistake } from './config-error.ts';
import { findConflict } from './conflicts.ts';
import { thresholdsOf } from './diagnosis-options.ts';
import type { Effective, Layer, ValueOrigin } from './layers.ts';
import { readArgv, readEnvironment, readToml } from './layers.ts';
import type { RowValues } from './option-spec.ts';
import { readRows } from './option-spec.ts';
import type { OptionValue } from './option-value.ts';
import { parseOptionValue } from './option-value.ts';
import { OPTIONS, TABLE } from './options.ts';

/** The value of every option, `hepListen` of `--hep-listen`; `null` is "not given". */
export type Config = RowValues<typeof TABLE> & { readonly thresholds: Thresholds };

export type ConfigInput = {
  /** Arguments after the script name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file; tests give their own. */
  readonly readFile?: (path: string) => string;
};

/** The configuration, or the first mistake found. With `--help` or `--version` only the command line is looked at. */
export function loadConfig(input: ConfigInput): Outcome<{ readonly config: Config; readonly effective: Effective }> {
  const flags = readArgv(input.argv);
  if (!flags.ok) return flags;
  if (flags.value.has('help') || flags.value.has('version')) {
    const effective = merge([[flags.value, 'flag']]);
    return { ok: true, value: { config: toConfig(effective), effective } };
  }
  const environment = readEnvironment(input.env);
  if (!environment.ok) return environment;
  const path = flags.value.get('config')?.[0] ?? environment.value.get('config')?.[0];
  const file = readFileLayer(typeof path === 'string' ? path : null, input.readFile ?? readText);
  if (!file.ok) return file;
  const effective = merge([
    [flags.value, 'flag'],
    [environment.value, 'environment'],
    [file.value, 'file'],
  ]);
  const config = toConfig(effective);
  return findConflict(config, effective) ?? { ok: true, value: { config, effective } };
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function readFileLayer(path: string | null, read: (path: string) => string): Outcome<Layer> {
  if (path === null) return { ok: true, value: new Map() };
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    return mistake('CONFIG_UNREADABLE', { path, cause: errnoOf(error) ?? 'error' });
  }
  return readToml(text, path);
}

function merge(layers: readonly (readonly [Layer, ValueOrigin])[]): Effective {
  const effective = new Map<string, { values: readonly OptionValue[]; origin: ValueOrigin }>();
  for (const spec of OPTIONS) {
    const found = layers.find(([layer]) => layer.has(spec.flag));
    const values = found?.[0].get(spec.flag);
    if (found !== undefined && values !== undefined) {
      effective.set(spec.flag, { values, origin: found[1] });
    } else if (spec.default !== undefined) {
      const parsed = parseOptionValue(spec.type, spec.default);
      if (!parsed.ok) throw parsed.about(`the default of --${spec.flag}`);
      effective.set(spec.flag, { values: [parsed.value], origin: 'default' });
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
