/** The reckoning that metrics are held to (`test/reckoning`), by hand: what each shape of an attempt comes to, and nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attemptCalls } from '../helpers/attempt-calls.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { ROOT } from '../helpers/source-files.ts';

const ANY_ADDRESS = ['--trunk', '0.0.0.0/0=t', '--trunk', '::/0=t'];
/** Families that differ from call to call, and those of the OPTIONS at the end of each capture. */
const LEFT_OUT = /^calltap_(responses|retransmissions|final_responses|registration_results|options)_/;

/** What is counted `in` and by trunk, without the names that all have: `outcomes answered`, `srd_seconds`. */
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  'talks 5 s': [
    ...['attempts', 'outcomes answered', 'completed', 'short_calls 20', 'short_calls 60'],
    ...['srd_seconds', 'sdd_seconds', 'sdt_seconds', 'pdd_seconds', 'ring_seconds', 'first_response_seconds'],
  ],
  'answers at once': [
    ...['attempts', 'outcomes answered', 'completed', 'short_calls 20', 'short_calls 60'],
    ...['srd_seconds', 'sdd_seconds', 'sdt_seconds', 'first_response_seconds'],
  ],
  'busy after ringing': ['attempts', 'outcomes declined', 'srd_seconds', 'pdd_seconds', 'first_response_seconds'],
  busy: ['attempts', 'outcomes declined', 'srd_failed_seconds', 'first_response_seconds'],
  'redirected after 183': ['attempts', 'outcomes redirected', 'srd_seconds', 'pdd_seconds', 'first_response_seconds'],
  redirected: ['attempts', 'outcomes redirected', 'first_response_seconds'],
  'given up before it rings': ['attempts', 'outcomes abandoned', 'srd_failed_seconds', 'first_response_seconds'],
  silent: ['attempts', 'outcomes unanswered'],
  'trying for ever': ['attempts', 'first_response_seconds'],
  'answers too late': ['attempts', 'outcomes unanswered'],
  'credentials never come': ['attempts', 'outcomes challenged', 'first_response_seconds'],
  'credentials with a tag': [
    ...['attempts', 'outcomes answered', 'completed', 'short_calls 20', 'short_calls 5', 'short_calls 60'],
    ...['srd_seconds', 'sdd_seconds', 'sdt_seconds', 'pdd_seconds', 'ring_seconds', 'first_response_seconds'],
  ],
  'credentials come after a minute': ['attempts', 'outcomes challenged', 'first_response_seconds'],
  'tried once more after 503': ['attempts', 'outcomes ineffective', 'srd_failed_seconds', 'first_response_seconds'],
  'its BYE is lost': [
    ...['attempts', 'outcomes answered', 'byes_failed', 'short_calls 20', 'short_calls 60'],
    ...['srd_seconds', 'sdt_seconds', 'pdd_seconds', 'ring_seconds', 'first_response_seconds'],
  ],
  'nobody hangs up': [
    ...['attempts', 'outcomes answered', 'srd_seconds', 'pdd_seconds', 'ring_seconds', 'first_response_seconds'],
  ],
  'two places answer': [
    ...['attempts', 'outcomes answered', 'completed', 'short_calls 60'],
    ...['srd_seconds', 'sdd_seconds', 'sdt_seconds', 'pdd_seconds', 'ring_seconds', 'first_response_seconds'],
  ],
  'registers, and calls by the same Call-ID': [
    ...['attempts', 'outcomes answered', 'completed', 'short_calls 20', 'short_calls 5', 'short_calls 60'],
    ...['srd_seconds', 'sdd_seconds', 'sdt_seconds', 'pdd_seconds', 'ring_seconds', 'first_response_seconds'],
    ...['registrations registered', 'registration_delay_seconds'],
  ],
  'registers and leaves': ['registrations registered', 'registrations unregistered', '2 registration_delay_seconds'],
  'registers with credentials, and again': ['2 registrations registered', '2 registration_delay_seconds'],
  'may not register': ['registrations failed'],
  'is not heard by the registrar': ['registrations unanswered'],
  'has no password': ['registrations challenged'],
};

function shown(line: string): string[] {
  const page = asJson(JSON.parse(line));
  return Object.values(page)
    .flatMap(asRows)
    .flatMap(({ name, labels, value }) => {
      const { direction, outcome, under } = asJson(labels);
      const family = String(name);
      if (LEFT_OUT.test(family) || direction === 'out' || /_(?:sum|bucket)$/.test(family)) return [];
      const short = family.replace(/^calltap_(?:trunk_)?/, '').replace(/_(?:total|count)$/, '');
      const words = [value === 1 ? '' : String(value), short, outcome ?? under];
      return [words.filter((word) => typeof word === 'string' && word !== '').join(' ')];
    });
}

test('each shape of an attempt is reckoned as it is by hand', (t) => {
  const folder = temporaryFolder(t);
  const paths = Object.keys(BY_HAND).map((name) => {
    const path = join(folder, `${name}.pcap`);
    writeFileSync(path, attemptCalls(9, [name]));
    return path;
  });
  const args = [join(ROOT, 'test/reckoning/reckon.py'), ...ANY_ADDRESS, ...paths];
  const lines = execFileSync('python3', args, { encoding: 'utf8' }).trim().split('\n');
  const reckoned = Object.keys(BY_HAND).map((name, i) => [name, shown(lines[i] ?? '').sort()] as const);
  const byHand = Object.entries(BY_HAND).map(([name, counted]) => [name, [...counted].sort()] as const);
  assert.deepEqual(Object.fromEntries(reckoned), Object.fromEntries(byHand));
});
