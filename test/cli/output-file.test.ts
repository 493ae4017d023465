/** -O: what is captured is in the file, the gate stops it at once, and logrotate can take the file away. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../helpers/json.ts';
import { asJson } from '../helpers/json.ts';
import { answered, listen, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { DEMO, finished, run, start } from './run-program.ts';

const PCAP_HEADER = 24;
const RECORD_HEADER = 16;

type Frame = { readonly tsNs: bigint; readonly wireLength: number; readonly bytes: Buffer };

/** Frames of a little-endian pcap file; fails where it does not end at the end of a record. */
function frames(path: string): Frame[] {
  const b = readFileSync(path);
  const perTick = { 2712812621: 1n, 2712847316: 1000n }[b.readUInt32LE(0)];
  assert.ok(perTick !== undefined, 'a pcap file');
  const found: Frame[] = [];
  let at = PCAP_HEADER;
  while (at < b.length) {
    const length = b.readUInt32LE(at + 8);
    assert.ok(at + RECORD_HEADER + length <= b.length, 'whole records');
    found.push({
      tsNs: BigInt(b.readUInt32LE(at)) * 1_000_000_000n + BigInt(b.readUInt32LE(at + 4)) * perTick,
      wireLength: b.readUInt32LE(at + 12),
      bytes: b.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length),
    });
    at += RECORD_HEADER + length;
  }
  return found;
}

test('every frame of the input is written as it was, with its time', async (t) => {
  const path = join(temporaryFolder(t), 'out.pcap');
  const r = await run(['-I', DEMO, '-O', path]);
  assert.equal(r.code, 0, r.stderr);
  assert.deepEqual(frames(path), frames(DEMO));
  assert.match(r.stdout, new RegExp(`^${frames(DEMO).length} frames written to ${path}$`, 'm'));
  assert.equal(statSync(path).mode & 0o077, 0, 'calls are nobody else’s');
  const again = await run(['-I', path, '--json']);
  assert.equal(
    again.stdout.trim().split('\n').length,
    (await run(['-I', DEMO, '--json'])).stdout.trim().split('\n').length,
  );
});

test('the name decides the format, --split the size of each file', async (t) => {
  const dir = temporaryFolder(t);
  const ng = join(dir, 'out.pcapng');
  assert.equal((await run(['-I', DEMO, '-O', ng])).code, 0);
  assert.equal(readFileSync(ng).readUInt32LE(0), 0x0a0d0d0a);
  const split = join(dir, 'part.pcap');
  assert.equal((await run(['-I', DEMO, '-O', split, '--split', '64k'])).code, 0);
  const parts = readdirSync(dir)
    .filter((name) => /^part\.pcap\.\d+$/.test(name))
    .sort();
  assert.deepEqual(parts.slice(0, 2), ['part.pcap.00001', 'part.pcap.00002']);
  for (const name of parts) assert.ok(statSync(join(dir, name)).size <= 64 * 1024, name);
  assert.deepEqual(
    parts.flatMap((name) => frames(join(dir, name))),
    frames(DEMO),
  );
});

test('--keep: the newest files stay, those of an earlier run go first, and nothing else is touched', async (t) => {
  const dir = temporaryFolder(t);
  const ring = join(dir, 'ring.pcap');
  const others = ['ring.pcap', 'ring.pcap.1', 'ring.pcap.00001.gz', 'ring.pcap.000002', 'other.pcap.00001'];
  for (const name of others) writeFileSync(join(dir, name), 'x');
  const kept = (): string[] => readdirSync(dir).filter((name) => !others.includes(name) && !name.endsWith('.idx'));
  const args = [DEMO, '-O', ring, '--split', '64k', '--keep', '4'];
  const first = await run(args);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  const written = kept().sort();
  assert.equal(written.length, 4);
  for (const name of readdirSync(dir).filter((one) => one.endsWith('.idx')))
    assert.ok(written.includes(name.slice(0, -'.idx'.length)), `${name} has no file`);
  const tail = written.flatMap((name) => frames(join(dir, name)));
  assert.deepEqual(tail, frames(DEMO).slice(-tail.length));
  const newest = written.at(-1) ?? '';
  assert.equal((await run(args)).code, 0);
  assert.equal(kept().length, 4);
  assert.ok((kept().sort()[0] ?? '') > newest, 'the numbers go on');
  for (const name of others) assert.equal(readFileSync(join(dir, name), 'utf8'), 'x', name);
  // What is read must not be removed meanwhile.
  const [oldest = ''] = kept().sort();
  const own = await run([join(dir, oldest), ...args.slice(1)]);
  assert.match(own.stderr, /^calltap: -O \S+: it is the file that -I reads; name another one\n$/);
  assert.equal(own.code, 1);
  assert.ok(existsSync(join(dir, oldest)));
});

test('a file that is read, standard output, a missing folder and --split alone are refused in one line', async (t) => {
  const dir = temporaryFolder(t);
  const cases: readonly (readonly [readonly string[], RegExp, number])[] = [
    [['-I', DEMO, '-O', DEMO], /it is the file that -I reads/, 1],
    [['-I', DEMO, '-O', '-'], /standard output/, 2],
    [['-I', DEMO, '-O', join(dir, 'no/such/out.pcap')], /there is no such folder/, 1],
    [['-I', DEMO, '-O', dir], /is a directory/, 1],
    [['-I', DEMO, '--split', '1h'], /add -O FILE/, 2],
    [['-I', DEMO, '-O', join(dir, 'x'), '--split', '10'], /--split/, 2],
    [['-I', DEMO, '-O', join(dir, 'x'), '--keep', '5'], /--keep: it requires --split; add --split/, 2],
    [['-I', DEMO, '-O', join(dir, 'x'), '--split', '1h,2h'], /--split/, 2],
    [['-I', DEMO, '--user', 'nobody'], /--user/, 2],
  ];
  const before = readFileSync(DEMO);
  for (const [args, line, code] of cases) {
    const r = await run(args);
    assert.match(r.stderr, line);
    assert.equal(r.stderr.trim().split('\n').length, 1, r.stderr);
    assert.equal(r.code, code, r.stderr);
    assert.equal(r.stdout, '');
  }
  assert.deepEqual(readFileSync(DEMO), before);
});

type Fed = {
  readonly feed: (from: number, to: number) => Promise<void>;
  readonly get: (path: string) => Promise<Json>;
  readonly gate: (enabled: unknown) => Promise<Response>;
  readonly child: ReturnType<typeof start>;
  readonly stop: () => Promise<void>;
};

/** Serves what is fed to standard input frame by frame: what is written when is known exactly. */
async function fed(...args: readonly string[]): Promise<Fed> {
  const source = readFileSync(DEMO);
  const offsets = [PCAP_HEADER];
  for (const f of frames(DEMO)) offsets.push((offsets.at(-1) ?? 0) + RECORD_HEADER + f.bytes.length);
  const child = start(['-I', '-', '--api', '127.0.0.1:0', ...args]);
  const done = finished(child);
  const [, base = ''] = await listen(child).said(/api listening on (\S+)\n/);
  child.stdin.write(source.subarray(0, PCAP_HEADER));
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => answered(base + path, init);
  const get = async (path: string): Promise<Json> => asJson(await (await ask(path)).json());
  return {
    child,
    get,
    async feed(from, to) {
      child.stdin.write(source.subarray(offsets[from], offsets[to]));
      await until(
        async () => {
          const page = await (await ask('/metrics')).text();
          return Number(/^calltap_capture_total\{what="frames"\} (\d+)$/m.exec(page)?.[1]) === to;
        },
        () => `${to} frames were never read`,
        20,
      );
    },
    gate: (enabled) =>
      ask('/v1/persistence', {
        method: 'POST',
        body: JSON.stringify({ enabled }),
        headers: { 'content-type': 'application/json' },
      }),
    async stop() {
      child.kill('SIGTERM');
      const r = await done;
      assert.equal(r.code, 0, r.stderr);
    },
  };
}

test('the persistence gate stops and resumes writing at once, and the statistics say so', async (t) => {
  const path = join(temporaryFolder(t), 'gated.pcap');
  const p = await fed('-O', path);
  assert.deepEqual(await p.get('/v1/persistence'), { enabled: true, authorized: true });
  assert.equal((await p.get('/v1/stats'))['writing_to'], path);
  await p.feed(0, 40);
  const closed = await p.gate(false);
  assert.deepEqual(await closed.json(), { enabled: false, authorized: true });
  assert.deepEqual(frames(path), frames(DEMO).slice(0, 40), 'all before it is on disk when the answer comes');
  await p.feed(40, 100);
  const stats = await p.get('/v1/stats');
  assert.equal(stats['writing_to'], null);
  assert.equal(stats['unsaved'], false);
  assert.equal((await p.gate('true')).status, 400);
  assert.deepEqual(await p.get('/v1/persistence'), { enabled: false, authorized: true });
  assert.equal(frames(path).length, 40);
  assert.deepEqual(await (await p.gate(true)).json(), { enabled: true, authorized: true });
  await p.feed(100, 130);
  await p.stop();
  assert.deepEqual(frames(path), [...frames(DEMO).slice(0, 40), ...frames(DEMO).slice(100, 130)]);
});

test('without -O nothing is authorized and nothing over the network changes that', async () => {
  const p = await fed();
  assert.deepEqual(await p.get('/v1/persistence'), { enabled: false, authorized: false });
  assert.deepEqual(await (await p.gate(true)).json(), { enabled: false, authorized: false });
  assert.equal((await p.get('/v1/stats'))['writing_to'], null);
  await p.stop();
});

test('SIGHUP opens the file anew after it was moved; both parts are whole', async (t) => {
  const dir = temporaryFolder(t);
  const path = join(dir, 'live.pcap');
  const p = await fed('-O', path);
  await p.feed(0, 50);
  renameSync(path, `${path}.1`);
  p.child.kill('SIGHUP');
  await until(
    () => readdirSync(dir).includes('live.pcap'),
    () => 'it is not opened anew',
  );
  await p.feed(50, 90);
  // One that is still in its place goes on: a second header in it would break it.
  p.child.kill('SIGHUP');
  await wait(100);
  await p.feed(90, 120);
  await p.stop();
  assert.deepEqual(frames(`${path}.1`), frames(DEMO).slice(0, 50));
  assert.deepEqual(frames(path), frames(DEMO).slice(50, 120));
});

test('a signal while a file is read leaves what was written whole', async (t) => {
  const path = join(temporaryFolder(t), 'cut.pcap');
  const child = start(['-I', '-', '-O', path]);
  const done = finished(child);
  child.stdin.write(readFileSync(DEMO).subarray(0, 20_000));
  // What it has read is on disk a second later.
  await until(
    () => existsSync(path) && statSync(path).size > 2000,
    () => 'nothing is written',
  );
  child.kill('SIGTERM');
  const r = await done;
  assert.equal(r.signal, null);
  assert.ok(frames(path).length > 10);
  assert.deepEqual(frames(path), frames(DEMO).slice(0, frames(path).length));
});

test('SIGKILL: what was written is a file that ends at a record', async (t) => {
  const path = join(temporaryFolder(t), 'killed.pcap');
  const p = await fed('-O', path);
  await p.feed(0, 60);
  // A second later at most it is on disk.
  const whole = frames(DEMO)
    .slice(0, 60)
    .reduce((sum, f) => sum + RECORD_HEADER + f.bytes.length, PCAP_HEADER);
  await until(
    () => statSync(path).size >= whole,
    () => `${statSync(path).size} of ${whole} bytes are on disk`,
  );
  p.child.kill('SIGKILL');
  await new Promise((resolve) => p.child.once('close', resolve));
  assert.deepEqual(frames(path), frames(DEMO).slice(0, 60));
});
