/** Files that the program writes for one call: nobody else reads them, no link leads them elsewhere, none is written over. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

const SELECTOR = 'good-g711@';
const OPTIONS = ['--wav', '--sipp'] as const;

type Place = { readonly to: string; readonly file: string; readonly args: readonly string[] };

/** Where the option writes: `file` is what it makes. */
function placeOf(t: TestContext, option: (typeof OPTIONS)[number]): Place {
  const folder = temporaryFolder(t);
  const to = option === '--wav' ? join(folder, 'call.wav') : folder;
  const file = option === '--wav' ? to : join(folder, 'uac.xml');
  return { to, file, args: [DEMO, option, SELECTOR, '--to', to] };
}

for (const option of OPTIONS) {
  test(`${option} writes for its owner alone, whatever the umask allows`, async (t) => {
    const { file, args } = placeOf(t, option);
    const before = process.umask(0);
    t.after(() => process.umask(before));
    await printed(args);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test(`${option} follows no link, not even with --force`, async (t) => {
    const { file, args } = placeOf(t, option);
    const elsewhere = join(temporaryFolder(t), 'victim');
    symlinkSync(elsewhere, file);
    assert.match(assertRefused(await run(args), 1), /: it is there already; name another file, or give --force/);
    assert.match(
      assertRefused(await run([...args, '--force']), 1),
      /: this is not a regular file, and --force replaces nothing else/,
    );
    assert.ok(lstatSync(file).isSymbolicLink() && !existsSync(elsewhere));
  });

  test(`${option} leaves a file that is there, and --force replaces it, not what else has its content`, async (t) => {
    const { file, args } = placeOf(t, option);
    const second = join(temporaryFolder(t), 'second');
    writeFileSync(file, 'old', { mode: 0o644 });
    linkSync(file, second);
    assert.match(assertRefused(await run(args), 1), /: it is there already; /);
    assert.equal(readFileSync(file, 'latin1'), 'old');
    await printed([...args, '--force']);
    assert.notEqual(readFileSync(file, 'latin1'), 'old');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(readFileSync(second, 'latin1'), 'old');
  });
}

test('--force replaces no pipe, and asks for --to', async (t) => {
  const { file, args } = placeOf(t, '--wav');
  execFileSync('mkfifo', [file]);
  assert.match(
    assertRefused(await run([...args, '--force']), 1),
    /: this is not a regular file, and --force replaces nothing else/,
  );
  assert.ok(lstatSync(file).isFIFO());
  assert.match(assertRefused(await run([DEMO, '--force']), 2), /--force: it requires --to/);
});

test('-O takes its own old file over for its owner alone, and waits for no reader of a pipe', async (t) => {
  const folder = temporaryFolder(t);
  const [old, pipe] = [join(folder, 'old.pcap'), join(folder, 'pipe')];
  writeFileSync(old, 'old', { mode: 0o644 });
  await printed([DEMO, '-O', old]);
  assert.equal(statSync(old).mode & 0o777, 0o600);
  execFileSync('mkfifo', [pipe]);
  assert.match(
    assertRefused(await run([DEMO, '-O', pipe]), 1),
    /-O \S+: nobody reads this pipe; start its reader first$/,
  );
});

test('--force with odd targets is one line: a file for the folder, a file above it, a missing folder', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'file');
  writeFileSync(file, 'old');
  const cases = [
    ['--sipp', file, /: a file is where its folder must be; name another folder$/],
    ['--sipp', join(file, 'below'), /: a file is where its folder must be; name another folder$/],
    ['--wav', join(file, 'call.wav'), /: a file is where its folder must be; name another folder$/],
    ['--wav', join(folder, 'none', 'call.wav'), /: there is no such folder; make it$/],
    ['--wav', folder, /: this is not a regular file, and --force replaces nothing else/],
    ['--wav', join(folder, 'x'.repeat(300)), /: cannot write \(ENAMETOOLONG\); name another file$/],
  ] as const;
  for (const [option, to, line] of cases)
    assert.match(assertRefused(await run([DEMO, option, SELECTOR, '--to', to, '--force']), 1), line);
  assert.equal(readFileSync(file, 'latin1'), 'old');
});
