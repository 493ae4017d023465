/** -O DIR --split call, as a user runs it: a file for each call, safe names, a filter, and what it says. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../fixtures/build/basic-call.ts';
import { text } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { bothWays } from '../../fixtures/build/scene-kit.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { assertRefused, DEMO, finished, PROGRAM, printed, run } from './run-program.ts';

const HOSTILE = ['../../etc/x', '-rf', 'x'.repeat(4096), 'a\0b', '..', '.hidden', '/abs', '%s%n', '\u202ecod.exe'];

/** A request whose Call-ID and users are `hostile`. */
function request(hostile: string, i: number) {
  const lines = [
    `INVITE sip:${hostile}@example.com SIP/2.0`,
    `Via: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK${i}`,
    `From: <sip:${i === 0 ? '' : `${hostile}@`}example.com>;tag=${i}`,
    `To: <sip:${hostile}@example.com>`,
    `Call-ID: ${hostile}`,
    'CSeq: 1 INVITE',
    'Content-Length: 0',
  ];
  return { tsUs: EPOCH_US + i, src: ALICE.sip, dst: BOB.sip, bytes: text(`${lines.join('\r\n')}\r\n\r\n`) };
}

test('hostile Call-IDs and users make plain names inside the folder', async (t) => {
  const folder = temporaryFolder(t);
  // A folder in a folder of its own: what else is made there is ours.
  const [path, to] = [join(temporaryFolder(t), 'hostile.pcap'), join(folder, 'calls')];
  mkdirSync(to);
  writeFileSync(path, new Capture().add(HOSTILE.map(request)).pcap());
  const said = await printed([path, '-O', to, '--split', 'call']);
  const names = readdirSync(to);
  const count = Number(/^(\d+) calls \(\d+ frames\) written to /m.exec(said)?.[1]);
  assert.equal(names.length, count);
  assert.ok(count >= HOSTILE.length - 1, said);
  for (const name of names) {
    assert.match(name, /^[0-9][A-Za-z0-9._-]{0,130}\.pcapng$/);
    assert.doesNotMatch(name, /\.\./);
    assert.equal(statSync(join(to, name)).mode & 0o777, 0o600);
  }
  assert.deepEqual(readdirSync(folder), ['calls'], 'nothing beside the folder');
});

test('a filter chooses the calls, and what is written reads as the call that it is', async (t) => {
  const to = temporaryFolder(t);
  const args = [DEMO, '-O', to, '--split', 'call', '--filter', 'callid:good-g711*'];
  assert.match(await printed(args), /^1 call \((\d+) frames\) written to \S+$/m);
  const [name = ''] = readdirSync(to);
  assert.match(name, /^20250304-090001_2001_2002_good-g711-pbx\.example\.com\.pcapng$/);
  const own = (path: string, ...more: string[]) => printed(['-I', path, '--json', ...more]);
  const facts = (line: string) => {
    const { frame: _, streams, ...rest } = JSON.parse(line);
    return { ...rest, streams: streams.map(({ frame: __, ...stream }: Record<string, unknown>) => stream) };
  };
  const of = await own(DEMO, '--filter', 'callid:good-g711*');
  assert.deepEqual(facts(await own(join(to, name))), facts(of), 'the same call with the same quality');
  assert.match(await printed([DEMO, '-O', to, '--split', 'call', '--filter', 'from:nobody']), /^0 calls \(0 frames\)/m);
});

test('a filter that asks for what comes later is refused before anything is read', async (t) => {
  const args = [DEMO, '-O', temporaryFolder(t), '--split', 'call', '--filter', 'from:2001 mos<3.6'];
  assert.match(assertRefused(await run(args), 2), /^calltap: --filter mos: --split call decides when a call begins/);
});

test('a disk that takes no more is said and counted, and ends with 1', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(temporaryFolder(t), 'two.pcap');
  const capture = new Capture();
  const call = basicCall('long');
  capture.add(call.messages);
  for (const media of bothWays(call, 2240, 4000)) capture.add(media);
  capture.add(basicCall('short', { startUs: EPOCH_US + 60e6 }).messages);
  writeFileSync(path, capture.pcap());
  // 16 blocks of 512 or 1,024 bytes.
  const limited = [
    '-c',
    'ulimit -f 16; exec "$@"',
    'sh',
    process.execPath,
    PROGRAM,
    path,
    '-O',
    folder,
    '--split',
    'call',
  ];
  const r = await finished(spawn('sh', limited));
  assert.equal(r.code, 1);
  assert.match(r.stderr, /^calltap: -O \S+: cannot write \(EFBIG\); \d+ frames are not in it\n$/);
  assert.match(r.stdout, /^2 calls \(\d+ frames\) written to \S+; not in it: lost \d+$/m);
  for (const name of readdirSync(folder)) {
    const b = readFileSync(join(folder, name));
    let at = 0;
    while (at < b.length) at += b.readUInt32LE(at + 4);
    assert.equal(at, b.length, 'whole blocks');
  }
  const full = temporaryFolder(t);
  const none = await finished(
    spawn(
      'sh',
      limited.map((word) => (word === folder ? full : word.replace('-f 16', '-f 0'))),
    ),
  );
  assert.equal(none.code, 1);
  assert.match(none.stdout, /^0 calls \(0 frames\) written to \S+; not in it: lost 190$/m);
  assert.deepEqual(readdirSync(full), [], 'no file without a byte stays');
});
