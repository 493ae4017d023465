/** A class of phones, and what stands in the User-Agent of each. */
import type { PatternLimits } from './pattern.ts';
import { compilePattern } from './pattern.ts';
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

export type DeviceClass = { readonly name: string; readonly fits: (text: string) => boolean };

/** Instructions of a pattern, and the sum of its counted repeats; each User-Agent is matched once. @cap */
const DEVICE_PROGRAM = 2_000;
const DEVICE_REPEATS = 100;
const LIMITS: PatternLimits = { maxProgram: DEVICE_PROGRAM, maxRepeats: DEVICE_REPEATS };

/** Classes that the configuration can name. @cap */
export const MAX_DEVICES = 50;

/** What has no class. */
export const OTHER_DEVICE = 'other';

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@/+-]{0,39}$/u;

/** `NAME=PATTERN`; else what is wrong with it. */
export function readDeviceClass(text: string): Result<DeviceClass, string> {
  const equal = text.indexOf('=');
  const name = text.slice(0, Math.max(0, equal));
  if (!NAME.test(name) || name === OTHER_DEVICE) return fail(`${name.slice(0, 40) || '""'} is no name of a class`);
  const fits = compilePattern(text.slice(equal + 1), LIMITS);
  return fits.ok ? ok({ name, fits: fits.value }) : fail(`the pattern ${fits.reason}`);
}
