/** Judges what a row of the option table says of other options: what it needs, and what it cannot stand beside. */
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { Effective } from './layers.ts';
import type { OptionGroup, OptionSpec, RowValues } from './option-spec.ts';
import { writtenOption } from './option-spec.ts';
import type { Flag, TABLE } from './options.ts';
import { optionByFlag } from './options.ts';
import { looksForScanners } from './run-kind.ts';

type Config = RowValues<typeof TABLE>;

/** What is asked for: the values in force, and which options somebody gave. A default and a refusal give none. */
export type Given = { readonly config: Config; readonly effective: Effective; has(flag: Flag): boolean };

/** These read no capture. */
const NO_CAPTURE = ['mint-token', 'uprobe-list', 'check', 'connect', 'hub'] as const satisfies readonly Flag[];

/**
 * What the options of a group are of. Those of a capture say nothing in a run without one. Those of a service say nothing
 * beside --mint-token, nor in the environment or the file, where they may be meant for other starts.
 */
const OF_GROUP: Partial<Record<OptionGroup, NonNullable<OptionSpec['of']>>> = {
  Sources: 'capture',
  Shipping: 'capture',
  'API and metrics': 'service',
  Credentials: 'service',
};

/** Where something else will do as well as what the row needs. */
const IS_MET: Partial<Record<Flag, (config: Config) => boolean>> = { 'kill-response': looksForScanners };

export function given(config: Config, effective: Effective): Given {
  const has = (flag: Flag): boolean => {
    const entry = effective.get(flag);
    return entry !== undefined && entry.origin !== 'default' && entry.values[0] !== false;
  };
  return { config, effective, has };
}

export function conflict(option: string, reason: string, remedy: string): ServiceError {
  return failure('OPTION_CONFLICT', { option, reason, remedy });
}

/** True when a run of this kind looks at what is said of captures. */
export function readsCapture({ has }: Given): boolean {
  return !NO_CAPTURE.some(has);
}

/** What is wrong with a row; null without a mistake. */
export function brokenRelation(spec: OptionSpec, all: Given): ServiceError | null {
  const { flag, needs, excludes, unmet, clash } = spec;
  // Rows name others by texts: test/unit/config/conflicts.test.ts looks for each in the table.
  const has = (name: string): boolean => all.has(name as Flag);
  if (!has(flag) || !isLookedAt(spec, all)) return null;
  const other = excludes?.find(has);
  if (other !== undefined) {
    const reason = clash?.reason ?? `it cannot be combined with ${nameOf(other)}`;
    return conflict(nameOf(flag), reason, clash?.remedy ?? 'give one of them');
  }
  if (needs === undefined || needs.some(has) || IS_MET[flag as Flag]?.(all.config) === true) return null;
  const written = needs.map((needed) => writtenOption(optionByFlag(needed))).join(' or ');
  const reason = unmet?.reason ?? `it requires ${needs.map(nameOf).join(' or ')}`;
  return conflict(nameOf(flag), reason, unmet?.remedy ?? `add ${written}`);
}

function isLookedAt({ flag, group, of = OF_GROUP[group], isForFlags }: OptionSpec, all: Given): boolean {
  const isService = of === 'service';
  if ((isForFlags === true || isService) && all.effective.get(flag)?.origin !== 'flag') return false;
  return isService ? !all.has('mint-token') : of !== 'capture' || readsCapture(all);
}

/** The option as people know it: `-I`, `--json`. */
export function nameOf(flag: string): string {
  const { short } = optionByFlag(flag);
  return short === undefined ? `--${flag}` : `-${short}`;
}
