/** What cannot be read or understood: exactly one line on standard error, exit code 1 (input) or 2 (command line). */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { assertRefused, DEMO, run } from './run-program.ts';

test('a file that is not there, is a folder, is empty or is no capture', async (t) => {
  const folder = temporaryFolder(t);
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const cases: readonly (readonly [string, RegExp])[] = [
    [join(folder, 'none.pcap'), /there is no such file; check the path$/],
    [join(folder, 'a'.repeat(300)), /: cannot open it \(ENAMETOOLONG\)$/],
    [temporaryFolder(t), /: the folder holds no capture; name a folder with /],
    [file('empty.pcap', ''), /the file is empty; give a pcap or pcapng capture$/],
    [file('notes.txt', 'INVITE sip:bob@example.com SIP/2.0\r\n'), /not a pcap or pcapng capture/],
    [file('zeroes.pcap', new Uint8Array(4096)), /not a pcap or pcapng capture/],
    [file('one.pcap', 'x'), /not a pcap or pcapng capture/],
    // A gzip header with nothing behind it, and one of text.
    [file('cut.gz', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3)), /not a pcap or pcapng capture/],
  ];
  for (const [path, reason] of cases) {
    const line = assertRefused(await run(['-I', path]), 1);
    assert.match(line, reason);
    assert.ok(line.includes(path), line);
  }
});

test('a file nobody may read', { skip: process.getuid?.() === 0 ? 'root may read everything' : false }, async (t) => {
  const path = join(temporaryFolder(t), 'secret.pcap');
  writeFileSync(path, 'x');
  chmodSync(path, 0);
  assert.match(assertRefused(await run(['-I', path]), 1), /permission denied/);
});

test('standard input that is empty or no capture', async () => {
  assert.match(assertRefused(await run(['-I', '-']), 1), /^calltap: -: the file is empty/);
  assert.match(assertRefused(await run(['-I', '-'], Buffer.from('hello\n')), 1), /^calltap: -: it is not a pcap/);
});

test('one bad file among good ones is named', async () => {
  const r = await run(['-I', DEMO, '-I', '/nonexistent/x.pcap']);
  assert.match(assertRefused(r, 1), /\/nonexistent\/x\.pcap: there is no such file/);
});

test('names with a line end or an escape sequence in them stay one line', async () => {
  const name = '/nonexistent\n\u001b[31mcalltap: all is well';
  for (const [args, code] of [
    [['-I', name], 1],
    [['-I', DEMO, '--call-report', name], 1],
    [['--show-frame', `${name}#0`], 1],
    [['-I', DEMO, '-O', `${name}/x`], 1],
    [['--config', name], 2],
  ] as const) {
    const line = assertRefused(await run(args), code);
    assert.doesNotMatch(line, /\p{Cc}/u, args[0]);
  }
});

test('a command line that is wrong', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--utc'], /there is nothing to read; .*; calltap alone lists them$/],
    [['-I'], /^calltap: -I/],
    [['--bogus'], /--bogus: there is no such option/],
    [['-I', DEMO, '--jsno'], /--jsno/],
    [['-d', 'lo', '-d', 'eth0', '-d', 'lo'], /^calltap: -d lo: this would capture the same packets twice/],
    [['-d', 'any', '-d', 'lo'], /^calltap: -d any: .* give each interface once, or any alone$/],
    [['-I', DEMO, '--call-id-header', 'X-Leg:'], /--call-id-header: "X-Leg:" is not a header name/],
    [['-I', DEMO, '--call-id-header', 'X Leg'], /--call-id-header/],
    [['-I', DEMO, '--call-id-header', 'X-Leg=a'], /--call-id-header: "X-Leg=a" is not a header name/],
    [['-I', DEMO, '--call-id-header', '=~(a)'], /--call-id-header: "=~\(a\)" is not a header name/],
    [
      ['-I', DEMO, '--call-id-header', 'X-Leg=~a'],
      /--call-id-header: the pattern has no group; give a short one, such as id=/,
    ],
    [['-I', DEMO, '--call-id-header', 'X-Leg=~(a'], /--call-id-header: the pattern is no RE2 regular expression/],
    [
      ['-I', DEMO, '--call-id-header', 'X-Leg=~((a{99}){99})'],
      /--call-id-header: the pattern repeats more than 100 times/,
    ],
    [['-I', DEMO, '--call-id-header', `X-Leg=~(${'ab?'.repeat(200)})`], /--call-id-header: the pattern is too complex/],
    [['-I', DEMO, '--json=yes'], /--json/],
    [['-I', DEMO, '--portrange', '0-70000'], /--portrange/],
    [['-I', DEMO, '--portrange', ''], /--portrange/],
    [['-I', DEMO, '--max-dialogs', '-1'], /--max-dialogs/],
    [['-I', DEMO, '--max-dialogs', '1e3'], /--max-dialogs/],
    [['-I', DEMO, '--quality-interval', '0'], /--quality-interval/],
    // It narrows the five seconds.
    [['-I', DEMO, '--quality-interval', '60'], /--quality-interval/],
    [['-I', DEMO, '--api', 'nonsense'], /--api/],
    [['-I', DEMO, '--api', '127.0.0.1:99999'], /--api/],
    [['-I', DEMO, '--json', '--stats-json'], /--stats-json: it cannot be combined with --json/],
    [['-I', DEMO, '--markdown'], /--markdown: it requires --call-report;/],
    [['-I', '-', '-I', '-'], /only one -I can read standard input/],
    [['-I', DEMO, '--config', '/nonexistent.toml'], /there is no such file/],
    [['hub'], /^calltap: hub: .* \.\/hub/],
  ];
  for (const [args, reason] of cases) assert.match(assertRefused(await run(args), 2), reason, args.join(' '));
});

test('TLS options name the reverse proxy, an open bind names what is missing', async () => {
  for (const option of ['--api-tls-cert', '--api-tls-key']) {
    const r = await run(['-I', DEMO, '--api', '127.0.0.1:0', option, '/etc/ssl/x.pem']);
    assert.match(assertRefused(r, 2), /reverse proxy/);
  }
  const open = assertRefused(await run(['-I', DEMO, '--api', '0.0.0.0:0']), 2);
  assert.match(open, /0\.0\.0\.0:0/);
  assert.match(open, /--api-key/);
  assert.match(open, /--api-signing-key/);
});
