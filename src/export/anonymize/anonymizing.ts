/** What --anonymize and the options beside it ask for. */
import { NEW_KEY } from '../../config/source-options.ts';
import { failure } from '../../core/errors.ts';
import type { AnonymizeOptions, Keep } from './anonymizer.ts';
import { KEEPS } from './anonymizer.ts';
import { keyOfFile, runKey } from './key.ts';

export type AnonymizeConfig = {
  /** The key file, or NEW_KEY. */
  readonly anonymize: string | null;
  readonly keepAudio: boolean;
  readonly anonymizeKeep: string | null;
};

/** How a capture is made anonymous. */
export type Anonymizing = {
  readonly key: Uint8Array;
  readonly options: AnonymizeOptions;
  /** A capture file waits for the worker; what comes live does not, and loses frames. */
  readonly waits: boolean;
};

/** Where no file is named, the key is one of this run. Throws ServiceError. */
export function anonymizingOf({ anonymize, keepAudio, anonymizeKeep }: AnonymizeConfig): Anonymizing {
  const isNew = anonymize === null || anonymize === NEW_KEY;
  const key = isNew ? runKey() : keyOfFile('--anonymize', anonymize);
  return { key, options: { keepsAudio: keepAudio, keeps: keepsOf(anonymizeKeep) }, waits: true };
}

function keepsOf(words: string | null): ReadonlySet<Keep> {
  const keeps = new Set<Keep>();
  for (const word of words?.split(',') ?? []) {
    const keep = KEEPS.find((one) => one === word.trim());
    if (keep === undefined)
      throw failure('CHOICE_INVALID', { option: '--anonymize-keep', value: word, choices: KEEPS.join(', ') });
    keeps.add(keep);
  }
  return keeps;
}
