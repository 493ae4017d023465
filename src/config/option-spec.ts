/** What a row of the option table is: its names, its type, its help, and which value the configuration has of it. */

import { failure } from '../core/errors.ts';
import type { Feature } from '../core/features.ts';
import { hasFeature } from '../core/features.ts';
import type { OptionType, OptionValue, ValueOf } from './option-value.ts';

export const OPTION_GROUPS = [
  'Sources',
  'Shipping',
  'Output',
  'API and metrics',
  'Credentials',
  'Analysis',
  'Diagnosis',
  'Hooks and security',
  'Many hosts',
  'Limits',
  'General',
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/** What an error line says instead of the usual reason and remedy. */
type Texts = { readonly reason?: string; readonly remedy?: string };

/** What a row says of other options; src/config/relations.ts judges it. */
type Relations = {
  /** The option means nothing without one of these. */
  readonly needs?: readonly string[];
  readonly unmet?: Texts;
  /** The option cannot stand beside any of these. */
  readonly excludes?: readonly string[];
  readonly clash?: Texts;
  /** What it is an option of, where that differs from its group. */
  readonly of?: 'capture' | 'service' | 'any';
  /** The relations are for the command line alone. */
  readonly isForFlags?: true;
};

/** What most options have nothing of. */
type Extras = Relations & {
  readonly short?: string;
  readonly repeatable?: true;
  /** The value may be left out (`--uprobe` and `--uprobe=X`); this is what it then is. */
  readonly valueIfBare?: string;
  /** With `valueIfBare`: a word that follows the long name is the value, unless it is an option. */
  readonly takesNext?: true;
  readonly env?: string;
  readonly toml?: string;
  /** In the same text form a user would write. */
  readonly default?: string;
  /** Another option gets this value when it is not given itself. */
  readonly implies?: { readonly flag: string; readonly value: string };
  /** The feature that a build may have left out, and the option with it. */
  readonly feature?: Feature;
  /** A key of the configuration file alone: no option, no variable. */
  readonly isKeyOnly?: true;
  /** `-h` and `--help` leave it out: nobody needs it who does not know it. */
  readonly isHidden?: true;
  /** The option is not built in this version; the error line says this when it is used. */
  readonly refusal?: Refusal;
};

export type Refusal = { readonly reason: string; readonly remedy: string };

export type OptionSpec = Extras & {
  /** Long flag without the dashes; also the name of the option everywhere in the code. */
  readonly flag: string;
  /** What the value is called in the help; absent for booleans. */
  readonly arg?: string;
  readonly type: OptionType;
  readonly group: OptionGroup;
  /** A sentence that starts with a verb. */
  readonly help: string;
};

/** A row before it is put into its group, under its flag. */
type LooseOption = Omit<OptionSpec, 'group' | 'flag'>;

/** Rows by flag. */
export type Rows = Readonly<Record<string, OptionSpec>>;

/** The value of a row: a list, or one that is there, or null where it may be missing. */
type RowValue<R extends OptionSpec> = R extends { readonly repeatable: true }
  ? readonly ValueOf<R['type']>[]
  : R extends { readonly default: string } | { readonly type: { readonly kind: 'bool' } }
    ? ValueOf<R['type']>
    : ValueOf<R['type']> | null;

/** `hepListen` for `hep-listen`. */
type Camel<F> = F extends `${infer Head}-${infer Rest}` ? `${Head}${Capitalize<Camel<Rest>>}` : F;

/** The values of rows, by flag in camel case. */
export type RowValues<T extends Rows> = { readonly [F in keyof T as Camel<F>]: RowValue<T[F]> };

type Typed<T extends OptionType> = Omit<LooseOption, keyof Extras | 'type'> & { readonly type: T };

/** An option with a value. */
export function value<const T extends OptionType, const E extends Extras = Record<never, never>>(
  arg: string,
  type: T,
  help: string,
  extras?: E,
): Typed<T> & E {
  return { arg, type, help, ...(extras as E) };
}

/** An option without a value. */
export function toggle<const E extends Extras = Record<never, never>>(
  help: string,
  extras?: E,
): Typed<{ readonly kind: 'bool' }> & E {
  return { type: { kind: 'bool' }, help, ...(extras as E) };
}

type Grouped<T> = { readonly [F in keyof T]: T[F] & { readonly group: OptionGroup; readonly flag: string } };

/** Puts rows into their group. */
export function group<T extends Readonly<Record<string, LooseOption>>>(name: OptionGroup, rows: T): Grouped<T> {
  const grouped = Object.entries(rows).map(([flag, row]) => {
    return [flag, { ...row, ...variable(flag, row), flag, group: name }] as const;
  });
  // The keys and rows are those that were given; fromEntries widens them.
  return Object.fromEntries(grouped) as Grouped<T>;
}

/** A single value that the file can hold can also stand in `CALLTAP_<FLAG>`. */
function variable(flag: string, { env, toml, repeatable, isKeyOnly }: Extras): { readonly env?: string } {
  const hasOne = env === undefined && toml !== undefined && repeatable !== true && isKeyOnly !== true;
  return hasOne ? { env: `CALLTAP_${flag.toUpperCase().replaceAll('-', '_')}` } : {};
}

/** False when this build lacks the part that an option needs. */
export function isBuiltIn(spec: OptionSpec): boolean {
  return spec.refusal === undefined && (spec.feature === undefined || hasFeature(spec.feature));
}

/** Throws ServiceError for an option whose part this build lacks; `option` is how it was written. */
export function requireBuiltIn(spec: OptionSpec, option: string): void {
  const { refusal, feature } = spec;
  if (refusal !== undefined) throw failure('OPTION_NOT_BUILT_IN', { option, ...refusal });
  if (feature !== undefined && !hasFeature(feature)) throw failure('OPTION_LEFT_OUT', { option, feature });
}

/** The option as an error line tells the user to write it: `-I FILE`, `--alert syslog`. */
export function writtenOption(spec: OptionSpec): string {
  const { short, flag, arg, type, valueIfBare } = spec;
  const name = short === undefined ? `--${flag}` : `-${short}`;
  if (arg === undefined || valueIfBare !== undefined) return name;
  return `${name} ${type.kind === 'choice' && type.values.length === 1 ? type.values[0] : arg}`;
}

/** The effective values of rows. */
export function readRows<T extends Rows>(
  rows: T,
  valuesOf: (flag: string) => readonly OptionValue[] | undefined,
): RowValues<T> {
  const read = Object.values(rows).map(({ flag, type, repeatable }) => {
    const key = flag.replaceAll(/-./g, (dash) => dash.slice(1).toUpperCase());
    const values = valuesOf(flag) ?? [];
    return [key, repeatable === true ? values : (values[0] ?? (type.kind === 'bool' ? false : null))] as const;
  });
  // Each value was parsed by the type of its row, which is what RowValue says of it.
  return Object.fromEntries(read) as RowValues<T>;
}

/** Kinds of values, as the table writes them. */
export const text = { kind: 'string' } as const;
export const time = { kind: 'time' } as const;
export const files = (min: number, max: number) => ({ kind: 'keep', min, max }) as const;
export const address = { kind: 'address' } as const;
export const ports = { kind: 'portrange' } as const;
export const regexp = { kind: 'regexp' } as const;
export const int = (min: number, max: number) => ({ kind: 'int', min, max }) as const;
export const number = (min: number, max: number) => ({ kind: 'number', min, max }) as const;
export const size = (min: number, max: number) => ({ kind: 'size', min, max }) as const;
export const choice = <const V extends readonly string[]>(...values: V) => ({ kind: 'choice', values }) as const;
export const bearerSecret = { kind: 'secret', form: 'bearer' } as const;
export const textSecret = { kind: 'secret', form: 'text' } as const;
export const userPass = { kind: 'secret', form: 'user-pass' } as const;
