/** An anonymizer of tests: a fixed key, nothing kept. */
import type { Keep } from '../../src/export/anonymize/anonymizer.ts';
import { createAnonymizer } from '../../src/export/anonymize/anonymizer.ts';

export function testAnonymizer(keeps: readonly Keep[] = [], key = 9): ReturnType<typeof createAnonymizer> {
  return createAnonymizer(Buffer.alloc(32, key), { keepsAudio: false, keeps: new Set(keeps) });
}
