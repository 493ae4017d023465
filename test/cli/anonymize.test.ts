/** What a user gets of --anonymize: a capture with the same calls of other people, and a report of numbers. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

type Call = { readonly state: string; readonly method: string; readonly streams?: readonly { packets: number }[] };

/** What stays: in the order of the capture. */
async function callsOf(path: string): Promise<unknown[]> {
  const lines = (await printed(['-I', path, '--json'])).split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => {
    const { state, method, streams = [] } = JSON.parse(line) as Call;
    return { state, method, packets: streams.map(({ packets }) => packets) };
  });
}

const NAMES = ['good-g711', 'one-way-audio', '198.51.100.21', '192.0.2.10'];

test('-O --anonymize: the same calls, no name of theirs, and the same bytes with the same key', async (t) => {
  const folder = temporaryFolder(t);
  const key = join(folder, 'key');
  const paths = ['a', 'b'].map((name) => join(folder, `${name}.pcapng`));
  for (const path of paths) {
    const done = await run(['-I', DEMO, '-O', path, '--anonymize', key]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /^calltap: anonymized \d+ frames$/m);
    assert.match(done.stderr, /^calltap: replaced: .*SIP messages \d+/m);
    for (const name of NAMES) assert.ok(!done.stderr.includes(name), name);
  }
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const [a = '', b = ''] = paths;
  assert.deepEqual(readFileSync(a), readFileSync(b));
  const bytes = readFileSync(a, 'latin1');
  for (const name of NAMES) assert.ok(!bytes.includes(name), name);
  assert.deepEqual(await callsOf(a), await callsOf(DEMO));
  const other = join(folder, 'c.pcapng');
  assert.equal((await run(['-I', DEMO, '-O', other, '--anonymize'])).code, 0);
  assert.notDeepEqual(readFileSync(other), readFileSync(a));
});

test('--split and pcap are written as ever', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'x.pcap');
  const done = await run(['-I', DEMO, '-O', path, '--split', '1M', '--anonymize']);
  assert.equal(done.code, 0, done.stderr);
  assert.ok(readdirSync(folder).filter((name) => name.startsWith('x.pcap.')).length > 1);
});

test('--split call: names of files are replaced too', async (t) => {
  const folder = join(temporaryFolder(t), 'calls');
  mkdirSync(folder);
  const done = await run(['-I', DEMO, '-O', folder, '--split', 'call', '--anonymize']);
  assert.equal(done.code, 0, done.stderr);
  const files = readdirSync(folder);
  assert.equal(files.length, (await callsOf(DEMO)).length);
  for (const file of files)
    for (const name of NAMES) {
      assert.ok(!file.includes(name), file);
      assert.ok(!readFileSync(join(folder, file), 'latin1').includes(name), `${name} in ${file}`);
    }
});

test('a word that --anonymize-keep does not know, a key file that is none, and nothing that is saved', async (t) => {
  const path = join(temporaryFolder(t), 'x.pcapng');
  const refused = await run(['-I', DEMO, '-O', path, '--anonymize', '--anonymize-keep', 'country,names']);
  assert.match(assertRefused(refused, 2), /--anonymize-keep: .*names.*country, last-digits, user-agent/);
  assert.match(assertRefused(await run(['-I', DEMO, '-O', path, `--anonymize=${DEMO}`]), 2), /--anonymize/);
  assert.match(assertRefused(await run(['-I', DEMO, '--anonymize']), 2), /--anonymize.*add -O FILE/);
  assert.ok(!existsSync(path));
});
