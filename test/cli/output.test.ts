/** What the offline modes print: the table, JSON, the call report and the statistics, over the demo capture. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scriptOf } from '../../fixtures/build/calls-setup.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { demo } from '../../fixtures/build/demo.ts';
import type { SipScript } from '../../fixtures/build/sip-call.ts';
import { assertDocument } from '../api/strict-contract.ts';
import { asJson } from '../helpers/json.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { readStrictly } from '../helpers/strict-page.ts';
import { assertRefused, DEMO, PROGRAM, printed, run } from './run-program.ts';

const { dialogs } = demo().expected;

test('the table has a line a dialog, oldest first, and a summary', async () => {
  const lines = (await printed(['-I', DEMO, '--utc'])).split('\n');
  assert.match(
    lines[0] ?? '',
    /^ *# +Started +State +Method +From +To +Code +Duration +PDD +MOS +Loss +Cause +Source +Destination +Call-ID$/,
  );
  const rows = lines.slice(1, 1 + dialogs.length);
  const shown = new Set(rows.map((row) => row.split(/\s+/).at(-1)));
  assert.deepEqual(shown, new Set(dialogs.map((d) => d.call_id)));
  const starts = rows.map((row) => row.slice(4, 27));
  assert.deepEqual(starts, [...starts].sort());
  const one = (id: string): string => rows.find((row) => row.includes(` ${id}@`)) ?? '';
  assert.match(
    one('busy'),
    /^ *6 +2025-03-04 09:00:11\.000Z +Failed +INVITE +2001 +2007 +486 +0:00 +130 ms +- +- +486 Busy Here /,
  );
  assert.match(one('one-way-audio'), / one-way-audio +\S+ +\S+ +one-way-audio@/);
  assert.match(one('no-media'), / no-media +\S+ +\S+ +no-media@/);
  assert.match(one('nat-mismatch'), / nat-mismatch +\S+/);
  assert.match(
    one('good-g711'),
    / 200 +0:16 +210 ms +4\.41 +0\.0 % +- +198\.51\.100\.21:5060 +192\.0\.2\.10:5060 +good-g711@/,
  );
  assert.match(lines.at(-3) ?? '', /^\d+ frames, 149 SIP messages, 21 dialogs .*, \d+ RTP streams \(1 orphaned\)$/);
});

test('the table has the final code of every method that failed; the document keeps it where the contract has it', async () => {
  const script = (method: string, status: number): SipScript => {
    const call = scriptOf(`refused-${method}`);
    call.respond(call.request(method, 0), 401, 10);
    call.respond(call.request(method, 100), status, 110);
    return call;
  };
  const folder = mkdtempSync(join(tmpdir(), 'calltap-codes-'));
  const path = join(folder, 'refused.pcap');
  const refused = [script('REGISTER', 403), script('PUBLISH', 412), script('SUBSCRIBE', 489), script('OPTIONS', 200)];
  writeFileSync(path, new Capture().add(refused.flatMap(({ messages }) => messages)).pcap());
  const lines = (await printed(['-I', path])).split('\n').slice(1, 5);
  const shown = lines.map((line) => line.split(/ {2,}/).filter((cell) => /^[A-Z]+$|^\d{3}$/.test(cell)));
  assert.deepEqual(
    shown,
    [
      ['REGISTER', '403'],
      ['PUBLISH', '412'],
      ['SUBSCRIBE', '489'],
      ['OPTIONS', '200'],
    ],
    lines.join('\n'),
  );
  const json = (await printed(['-I', path, '--json']))
    .trimEnd()
    .split('\n')
    .map((line) => asJson(JSON.parse(line)));
  assert.deepEqual(
    json.map((d) => 'final_status_code' in d),
    [false, false, false, false],
  );
  rmSync(folder, { recursive: true });
});

test('--json prints a whole and valid dialog a line', async () => {
  const lines = (await printed(['-I', DEMO, '--json'])).trimEnd().split('\n');
  assert.equal(lines.length, dialogs.length);
  for (const line of lines) {
    // The document of the contract, with the times of its list row.
    const { created_at, updated_at, ...document } = asJson(JSON.parse(line));
    assertDocument('Dialog', document);
    for (const time of [created_at, updated_at]) assert.match(String(time), /^2025-03-04T09:0\d:\d\d\.\d{6}Z$/);
  }
});

test('--stats-json prints one object with the statistics of the contract in it', async () => {
  const text = await printed(['-I', DEMO, '--stats-json']);
  assert.match(text, /^[^\n]+\n$/);
  const all = asJson(JSON.parse(text));
  assert.deepEqual([all['sipMessages'], all['dialogs']], [149, dialogs.length]);
  assertDocument('Stats', all['stats']);
});

test('--call-report tells one call, as text and as Markdown', async () => {
  const args = ['-I', DEMO, '--utc', '--call-report', 'nat-mismatch@pbx.example.com'];
  const text = await printed(args);
  assert.match(text, /^Call nat-mismatch@pbx\.example\.com\n=+\n/);
  assert.match(text, /^From +Marta Silva \(remote\) <2014>$/m);
  assert.match(text, /NAT mismatch: media comes from 203\.0\.113\.88:21004/);
  assert.match(text, /^ {3}0 {2}09:00:55\.000 +\+0\.000 .* INVITE \(SDP\) sip:2015@pbx\.example\.com .*>\|$/m);
  assert.match(text, /^0\.000 s +offer of caller +audio +192\.168\.1\.44:11850 +sendrecv /m);
  const markdown = await printed([...args, '--markdown']);
  assert.match(markdown, /^# Call nat-mismatch@pbx\.example\.com\n/);
  assert.match(markdown, /^## Media\n\n\| SSRC /m);
  assert.match(markdown, /^\|-+\|/m);
  // What a renderer would take for a tag is escaped.
  assert.match(markdown, /^- \*\*From:\*\* Marta Silva \(remote\) \\<2014\\>$/m);
  assert.equal(markdown.split('\n').filter((line) => line.startsWith('```')).length, 2);
  assert.match(markdown, /^```mermaid\nsequenceDiagram\n {2}participant L0 as 203\.0\.113\.88#58;40211$/m);
});

test('--html makes the report a page, on standard output or in the file of --to, which is not replaced', async (t) => {
  const args = ['-I', DEMO, '--utc', '--call-report', 'nat-mismatch@pbx.example.com', '--html'];
  const page = await printed(args);
  const { text, ids } = readStrictly(page.trimEnd());
  assert.match(text, /NAT mismatch: media comes from 203\.0\.113\.88:21004/);
  assert.ok(ids.has('m0-0'));
  const path = join(temporaryFolder(t), 'call.html');
  const made = await printed([...args, '--to', path]);
  const written = readFileSync(path, 'utf8');
  assert.equal(made, `${path}: ${Buffer.byteLength(written)} bytes\n`);
  // All but the moment at which it was made.
  const rest = (whole: string): string => whole.replace(/Made by calltap .*/, '');
  assert.equal(rest(written), rest(page));
  assert.match(assertRefused(await run([...args, '--to', path]), 1), /call\.html/);
  const legs = readStrictly(await printed(['-I', DEMO, '--call-report', 'transfer@', '--legs', '--html']));
  assert.equal(legs.counts.get('article'), 20);
});

test('--call-report of an unknown Call-ID is one line and exit code 1', async () => {
  const r = await run(['-I', DEMO, '--call-report', 'nobody@example.com']);
  assert.match(
    assertRefused(r, 1),
    /--call-report nobody@example\.com: the capture has no such call; run without --call-report to list the calls/,
  );
});

test('--version and --help need no capture', async () => {
  assert.match(await printed(['--version']), /^calltap \d+\.\d+\.\d+ .*\nfeatures: /);
  assert.match(await printed(['--help']), /--portrange PORTS/);
});

test('standard output that cannot be written is one line and exit code 1', { skip: noFullDevice() }, () => {
  const wanted = ['-I', DEMO];
  for (const args of [wanted, [...wanted, '--json'], ['--mint-token', '--api-signing-key', 'k'], ['--help']]) {
    const full = openSync('/dev/full', 'w');
    const r = spawnSync(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    closeSync(full);
    assert.equal(r.status, 1, args.join(' '));
    const said = r.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('token '));
    assert.deepEqual(said, ['calltap: standard output: cannot write (ENOSPC)']);
  }
});

test('what -O could not write is told, and exit code 1', { skip: noFullDevice() }, async () => {
  const r = await run(['-I', DEMO, '-O', '/dev/full']);
  assert.match(r.stderr, /^calltap: -O \/dev\/full: cannot write \(ENOSPC\); [1-9]\d* frames are not in it\n$/);
  assert.match(r.stdout, /\n0 frames written to \/dev\/full\b/);
  assert.equal(r.code, 1);
});

function noFullDevice(): string | false {
  return existsSync('/dev/full') ? false : 'no /dev/full';
}
