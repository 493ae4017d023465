/** Files that options name, whatever lies there: what is no readable text is one line and exit 2, and nobody is waited for. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefused, DEMO, finished, PROGRAM, printed, run, start } from './run-program.ts';

/** Each option with what it needs beside it. */
const OPTIONS: readonly (readonly [option: string, ...rest: string[]])[] = [
  ['--config', '-I', DEMO],
  ['--names', '-I', DEMO],
  ['--api-key-file', '-I', DEMO, '--api', '127.0.0.1:0'],
  ['--api-signing-key-file', '-I', DEMO, '--api', '127.0.0.1:0'],
  ['--api-revoked-file', '-I', DEMO, '--api', '127.0.0.1:0', '--api-signing-key', 'k'.repeat(32)],
  ['--metrics-auth-file', '-I', DEMO, '--metrics', '127.0.0.1:0'],
  ['--hep-ca', '-I', DEMO, '-H', 'tls://127.0.0.1:1'],
  ['--ship-password-file', '-I', DEMO, '--ship', 'http://127.0.0.1:1', '--ship-user', 'u'],
];

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'calltap-named-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(
    join(folder, 'binary'),
    Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) & 0xff),
  );
  writeFileSync(join(folder, 'sparse'), '');
  truncateSync(join(folder, 'sparse'), 5 * 2 ** 30);
  symlinkSync('/dev/zero', join(folder, 'link'));
});

after(() => rmSync(folder, { recursive: true }));

for (const [option, ...rest] of OPTIONS) {
  test(`${option} reads a text file, and says what else it met`, async () => {
    const refusals: readonly (readonly [path: string, reason: RegExp])[] = [
      ['/dev/zero', /: it is (a device|not a regular file)/],
      ['link', /: it is (a device|not a regular file)/],
      ['.', /: it is (a folder|not a regular file)/],
      ['none', /: there is no such file/],
      ['binary', /: it is not UTF-8 text/],
      ['sparse', /: it is larger than \d+ bytes/],
    ];
    for (const [path, reason] of refusals) {
      const line = assertRefused(await run([option, resolve(folder, path), ...rest]), 2);
      assert.ok(line.includes(option), line);
      assert.match(line, reason);
    }
  });
}

test('a pipe that nobody writes is given up, and a signal ends the wait', async () => {
  const pipe = join(folder, 'pipe');
  const options = OPTIONS.filter(([option]) => option !== '--api-revoked-file');
  const runs = await Promise.all(options.map(([option, ...rest]) => run([option, pipe, ...rest])));
  for (const r of runs) assert.match(assertRefused(r, 2), /: it is a pipe that nobody ended within 5 s; /);
});

test('what a command writes into a pipe is read, and /dev/null is an empty file', async () => {
  const shell = (script: string) => finished(spawn('bash', ['-c', script, 'bash', process.execPath, PROGRAM, DEMO]));
  const named = await shell('"$1" "$2" "$3" --names <(sleep 0.3; echo 192.0.2.10 kitchen)');
  assert.deepEqual([named.code, named.stderr], [0, '']);
  assert.match(named.stdout, /kitchen/);
  const configured = await shell(
    '"$1" "$2" "$3" --config <(printf \'[general]\\nname = "192.0.2.10=hall"\\n\') --print-config',
  );
  assert.deepEqual([configured.code, configured.stderr], [0, '']);
  await printed([DEMO, '--names', '/dev/null', '--config', '/dev/null']);
});

test('a signal ends a run that waits for a pipe', async (t) => {
  for (const option of ['--config', '--names']) {
    const child = start([DEMO, option, join(folder, 'pipe')]);
    child.stdin.end();
    const ended = once(child, 'exit');
    const writer = spawn('sh', [
      '-c',
      'exec >"$1"; echo "#"; echo open >&2; exec sleep 60',
      'sh',
      join(folder, 'pipe'),
    ]);
    t.after(() => writer.kill());
    // The run has it open for reading, and waits for its end.
    await once(writer.stderr, 'data');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [null, 'SIGTERM'], option);
  }
});
