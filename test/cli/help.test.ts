/** -h is one screen of examples that work; --help is the reference. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { configErrorLine, loadConfig } from '../../src/config/config.ts';
import { DEMO, printed, run } from './run-program.ts';

/** What follows `calltap` in the examples of -h, word by word. */
async function examples(): Promise<string[][]> {
  const lines = (await printed(['-h'])).split('\n\n')[2]?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('  calltap ')).map((line) => line.trim().split(/\s+/).slice(1));
}

test('-h fits on a screen, and says where to read more', async () => {
  const screen = await printed(['-h']);
  const lines = screen.trimEnd().split('\n');
  assert.ok(lines.length <= 25, `${lines.length} lines`);
  for (const line of lines) assert.ok(line.length <= 80, line);
  assert.equal((await examples()).length, 6);
  for (const more of ['--help ', '--help filter', '--help findings', 'man calltap', 'docs/tasks.md'])
    assert.ok(screen.includes(more), more);
  assert.equal(await printed(['-I', 'a', '-h']), screen);
});

test('each example of -h works', async () => {
  for (const words of await examples()) {
    const loaded = loadConfig({ argv: words, env: {} });
    assert.ok(loaded.ok, loaded.ok ? '' : configErrorLine(loaded.error));
    // These stay until somebody ends them.
    if (words.includes('-d') || words.includes('-i')) continue;
    const { code, stdout, stderr } = await run(words.map((word) => (word === 'calls.pcap' ? DEMO : word)));
    assert.equal(code, 0, stderr);
    assert.ok(stdout.length > 200, words.join(' '));
  }
});

test('--help is the reference, with the topics that it names', async () => {
  const reference = await printed(['--help']);
  for (const words of await examples()) assert.ok(reference.includes(`\n  calltap ${words.join(' ')}\n`));
  assert.ok(reference.includes('\nSources:\n') && reference.includes('\nGeneral:\n'));
  assert.ok(!reference.includes('-N,') && !reference.includes('--diag'));
  assert.equal(await printed(['--help', 'options']), reference);
  assert.equal(await printed(['-h', 'options']), reference);
  assert.equal(await printed(['-h', 'filter']), await printed(['--help', 'filter']));
  for (const words of [['--help=nothing'], ['--help', 'nothing']]) {
    const unknown = await run(words);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    assert.equal(unknown.stderr, 'calltap: --help: "nothing" is not a choice; give one of options, filter, findings\n');
  }
});

test('calltap alone names three ways to begin and the interfaces of this host, and fails', async () => {
  const { code, stdout, stderr } = await run([]);
  assert.deepEqual([code, stdout], [2, '']);
  assert.equal(stderr.match(/^ {2}calltap /gm)?.length, 3);
  for (const name of readdirSync('/sys/class/net').slice(0, 3)) assert.ok(stderr.includes(`  -d ${name} `), stderr);
  assert.match(stderr, /^ {2}-d lo +up +127\.0\.0\.1/m);
  for (const line of stderr.split('\n')) assert.ok(line.length <= 100, line);
});
