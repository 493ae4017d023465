/** Whatever stands on the command line or in the file, the answer is a configuration or one line, never an exception. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { configErrorLine, loadConfig } from '../../../src/config/config.ts';
import { OPTIONS } from '../../../src/config/options.ts';
import { ok } from '../../../src/core/result.ts';

const raw = fc.string({ unit: 'binary', maxLength: 80 });
const flag = fc.constantFrom(
  ...OPTIONS.flatMap(({ flag: long, short }) => (short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`])),
);
const word = fc.oneof(
  flag,
  raw,
  fc.tuple(flag, raw).map(([name, value]) => `${name}=${value}`),
  raw.map((each) => `--${each}`),
);

function assertOutcome(result: ReturnType<typeof loadConfig>): void {
  if (result.ok) return;
  const line = configErrorLine(result.error);
  assert.match(line, /^calltap: .+; .+$/u);
  assert.ok(!/\p{Cc}/u.test(line), JSON.stringify(line));
  assert.ok(line.length < 400, line);
}

test('any arguments', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      assertOutcome(loadConfig({ argv, env: {}, readFile: () => ok('') }));
    }),
    { numRuns: 1000 },
  );
});

test('any file', () => {
  const key = fc.constantFrom(...OPTIONS.flatMap(({ toml }) => (toml === undefined ? [] : [toml])));
  const value = fc.constantFrom(
    '1',
    '-1',
    '"x"',
    'true',
    '[1, [2]]',
    '{ a = 1 }',
    '1.5',
    'nan',
    '1979-05-27',
    '99999999999999999999',
    '"5060"',
  );
  const entry = fc.oneof(
    fc.tuple(key, value).map(([name, text]) => `${name} = ${text}`),
    raw,
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), (lines) => {
      assertOutcome(loadConfig({ argv: ['-I', 'a', '--config', 'f'], env: {}, readFile: () => ok(lines.join('\n')) }));
    }),
    { numRuns: 1000 },
  );
});
