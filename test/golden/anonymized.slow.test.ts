/** Given captures, anonymized: tshark finds no error in a frame that the original did not have. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { run } from '../cli/run-program.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutTshark } from '../helpers/tshark.ts';

const FOLDER = join(packageRoot(), 'fixtures/pcap');
const CHECKS = ['ip', 'udp', 'tcp'].flatMap((protocol) => ['-o', `${protocol}.check_checksum:TRUE`]);

/** How often tshark says each error; numbers in its sentences do not count. */
function errorsOf(path: string): Map<string, number> {
  const text = execFileSync('tshark', ['-n', '-r', path, '-q', '-z', 'expert,error', ...CHECKS], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 16 * 1024 * 1024,
  });
  const errors = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, count, what = ''] = /^ *(\d+) +\w+ +(.*)$/.exec(line) ?? [];
    if (count === undefined) continue;
    const key = what.replace(/\[should.*|\d+/g, '');
    errors.set(key, (errors.get(key) ?? 0) + Number(count));
  }
  return errors;
}

test('tshark dissects each anonymized capture as it did the original', { skip: skipWithoutTshark() }, async (t) => {
  const folder = temporaryFolder(t);
  const captures = readdirSync(FOLDER).filter((name) => /\.pcap(ng)?$/.test(name));
  assert.ok(captures.length > 10);
  for (const name of captures) {
    const original = join(FOLDER, name);
    const out = join(folder, `${name}.pcapng`);
    const done = await run(['-I', original, '-O', out, '--anonymize']);
    if (done.code !== 0) continue;
    const before = errorsOf(original);
    for (const [error, count] of errorsOf(out)) assert.ok(count <= (before.get(error) ?? 0), `${name}: ${error}`);
  }
});
