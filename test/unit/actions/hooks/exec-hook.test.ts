/** Commands of hooks: how they are split, how many run, and that none of them stays behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { splitCommand } from '../../../../src/actions/hooks/command-line.ts';
import { ExecHook, type ExecHookOptions } from '../../../../src/actions/hooks/exec-hook.ts';
import { loadNative } from '../../../../src/sources/native.ts';
import { until } from '../../../helpers/patience.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'calltap-test-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function hookOf(command: readonly [string, ...string[]], more: Partial<ExecHookOptions> = {}): ExecHook {
  const { inputPipe } = loadNative();
  return new ExecHook({ command, perSecond: 100, inputPipe, onTrouble: () => undefined, ...more });
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that was killed and not yet waited for by its parent is no process that runs.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a command as it is written', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['/bin/notify', ['/bin/notify']],
    ['  a  b\tc ', ['a', 'b', 'c']],
    [`a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    [`a "x \\"y\\" \\z" ''`, ['a', 'x "y" \\z', '']],
    ['a; rm -rf $HOME | b > c && `d`', ['a;', 'rm', '-rf', '$HOME', '|', 'b', '>', 'c', '&&', '`d`']],
  ];
  for (const [text, words] of cases) {
    it(text, () => {
      const r = splitCommand(text);
      assert.ok(r.ok);
      assert.deepEqual(r.value, words);
    });
  }
  it('says what is wrong', () => {
    for (const text of ['', '  ', `a 'b`, 'a "b', 'a \\', `''`]) assert.equal(splitCommand(text).ok, false, text);
  });
  it('gives back what was quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (words) => {
        const text = words.map((w) => `'${w.replaceAll("'", "'\\''")}'`).join(' ');
        const r = splitCommand(text);
        if (words[0] === '') assert.equal(r.ok, false);
        else assert.deepEqual(r.ok && r.value, words);
      }),
    );
  });
});

describe('a hook', () => {
  it('gives the event on standard input, and no secret in the environment', async (t) => {
    const out = join(folder(t), 'out');
    const env = { PATH: process.env['PATH'], SERVICE_API_KEY: 'secret', HOME: '/root' };
    const hook = hookOf(['sh', '-c', `cat > ${out}; env >> ${out}`], { env });
    assert.ok(hook.admit());
    hook.run({ event: 'x', text: 'a"b\n' });
    await hook.drain();
    const [first = '', ...rest] = readFileSync(out, 'utf8').split('\n');
    assert.deepEqual(JSON.parse(first), { event: 'x', text: 'a"b\n' });
    assert.ok(rest.includes('HOME=/root') && !rest.join('\n').includes('secret'));
    assert.deepEqual(hook.counts, { started: 1, rateLimited: 0, queueFull: 0, failed: 0, timedOut: 0 });
  });

  it('may be read as /dev/stdin too, whatever the size of the event', async (t) => {
    const text = 'x'.repeat(300_000);
    for (const reader of ['cat /dev/stdin', 'cat <&0', `${process.execPath} -p 'fs.readFileSync(0,"utf8").trim()'`]) {
      const out = join(folder(t), 'out');
      const hook = hookOf(['sh', '-c', `${reader} > ${out}`]);
      hook.run({ text });
      await hook.drain();
      assert.equal(hook.counts.failed, 0, reader);
      assert.deepEqual(JSON.parse(readFileSync(out, 'utf8')), { text }, reader);
    }
  });

  it('runs nothing for an event that no pipe can hold, and says so once', async () => {
    const lines: string[] = [];
    const inputPipe = (): number => -constants.errno.E2BIG;
    const hook = hookOf(['true'], { inputPipe, onTrouble: (line) => lines.push(line) });
    for (let n = 0; n < 2; n++) hook.run({});
    await hook.drain();
    assert.deepEqual([hook.counts.failed, lines], [2, ['true: cannot write its event (E2BIG)']]);
  });

  it('runs at most so many a second of a storm, and counts the rest', async () => {
    let nowMs = 0;
    const hook = hookOf(['true'], { perSecond: 10, now: () => nowMs });
    for (let n = 0; n < 10_000; n++) {
      nowMs = n / 10;
      if (hook.admit()) hook.run({ n });
    }
    await hook.drain();
    assert.deepEqual([hook.counts.started, hook.counts.rateLimited], [10, 9_990]);
    nowMs = 1_000;
    assert.ok(hook.admit());
  });

  it('has a cap on what runs and what waits', async () => {
    const hook = hookOf(['sleep', '300'], { perSecond: 10_000 });
    for (let n = 0; n < 400; n++) if (hook.admit()) hook.run({ n });
    assert.deepEqual([hook.counts.started, hook.counts.queueFull], [32, 400 - 32 - 256]);
    hook.close();
    await hook.drain();
    assert.equal(hook.counts.queueFull, 400 - 32);
  });

  it('kills a command that hangs and ignores SIGTERM, with all it started', async (t) => {
    const pids = join(folder(t), 'pids');
    const script = `trap '' TERM; sleep 300 & echo $$ $! > ${pids}; sleep 300`;
    const hook = hookOf(['sh', '-c', script], { limitMs: 2_000 });
    // A machine that does other things may take those two seconds for starting it.
    for (let run = 1; run === 1 || (run < 10 && !existsSync(pids)); run++) {
      hook.run({});
      await hook.drain();
      assert.equal(hook.counts.timedOut, run);
    }
    for (const pid of readFileSync(pids, 'utf8').trim().split(' '))
      await until(
        () => !isAlive(Number(pid)),
        () => `${pid} still runs`,
      );
  });

  it('kills what a command leaves behind when it ends', async (t) => {
    const file = join(folder(t), 'pid');
    const hook = hookOf(['sh', '-c', `sleep 300 & echo $! > ${file}`]);
    hook.run({});
    await hook.drain();
    await until(
      () => existsSync(file) && !isAlive(Number(readFileSync(file, 'utf8'))),
      () => 'it still runs',
    );
  });

  it('counts commands that fail, do not read, or cannot be started, and says the last once', async () => {
    const lines: string[] = [];
    const bad = hookOf(['/no/such/program'], { onTrouble: (line) => lines.push(line) });
    for (let n = 0; n < 3; n++) bad.run({});
    await bad.drain();
    assert.deepEqual([bad.counts.failed, lines.length], [3, 1]);
    assert.match(lines[0] ?? '', /\/no\/such\/program: cannot start it \(ENOENT\)/);
    const impossible = hookOf(['true', 'a\0b'], { onTrouble: (line) => lines.push(line) });
    impossible.run({});
    await impossible.drain();
    assert.deepEqual([impossible.counts.failed, lines.at(-1)], [1, 'true: cannot start it (ERR_INVALID_ARG_VALUE)']);
    const failing = hookOf(['false']);
    failing.run({ text: 'x'.repeat(1_000_000) });
    await failing.drain();
    assert.equal(failing.counts.failed, 1);
  });
});
