/** What an option is: its flag, its other names, its type, and whether the part behind it is built in. */

import type { Feature } from '../core/features.ts';
import { hasFeature } from '../core/features.ts';
import type { OptionType } from './option-value.ts';

export const OPTION_GROUPS = [
  'Sources',
  'Output',
  'API and metrics',
  'Credentials',
  'Analysis',
  'Diagnosis',
  'Hooks and security',
  'Limits',
  'General',
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

export type OptionSpec = {
  /** Long flag without the dashes; also the name of the option everywhere in the code. */
  readonly flag: string;
  readonly short?: string;
  /** What the value is called in the help; absent for booleans. */
  readonly arg?: string;
  readonly type: OptionType;
  readonly repeatable?: true;
  /** The value may be left out (`--uprobe` and `--uprobe=X`); this is what it then is. */
  readonly valueIfBare?: string;
  readonly env?: string;
  readonly toml?: string;
  /** In the same text form a user would write. */
  readonly default?: string;
  readonly group: OptionGroup;
  readonly help: string;
  /** False: the option belongs to a part that is not built in this version, and using it is an error. */
  readonly builtIn: boolean;
  /** The feature that a build may have left out, and the option with it. */
  readonly feature?: Feature;
  /** What the error line says about an option that is not built in. */
  readonly refusal?: Refusal;
};

export type Refusal = { readonly reason: string; readonly remedy: string };

/** An option before it is put into its group. */
export type LooseOption = Omit<OptionSpec, 'group'>;

type Extras = Pick<OptionSpec, 'feature' | 'short' | 'repeatable' | 'valueIfBare' | 'env' | 'toml' | 'default'> & {
  /** The option is not built in; this is what using it answers. */
  readonly later?: Refusal;
};

/** An option with a value. A single value that the file can hold can also stand in `CALLTAP_<FLAG>`. */
export function value(flag: string, arg: string, type: OptionType, help: string, extras: Extras = {}): LooseOption {
  return { ...common(flag, type, help, extras), arg };
}

/** An option without a value. */
export function toggle(flag: string, help: string, extras: Extras = {}): LooseOption {
  return common(flag, { kind: 'bool' }, help, extras);
}

/** False when the part behind an option is not in this build. */
export function isBuiltIn(spec: OptionSpec): boolean {
  return spec.builtIn && (spec.feature === undefined || hasFeature(spec.feature));
}

/** Puts options into their group. */
export function group(name: OptionGroup, options: readonly LooseOption[]): readonly OptionSpec[] {
  return options.map((option) => ({ ...option, group: name }));
}

function common(flag: string, type: OptionType, help: string, extras: Extras): LooseOption {
  const { later, ...names } = extras;
  const hasVariable = names.env === undefined && names.toml !== undefined && names.repeatable !== true;
  return {
    flag,
    type,
    help,
    ...names,
    ...(hasVariable ? { env: `CALLTAP_${flag.toUpperCase().replaceAll('-', '_')}` } : {}),
    builtIn: later === undefined,
    ...(later === undefined ? {} : { refusal: later }),
  };
}
