/** What is asked about single calls: selectors, ladder, messages, comparison, audio. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scriptOf } from '../../fixtures/build/calls-setup.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

const ask = (...args: string[]): Promise<string> => printed(['-I', DEMO, '--utc', ...args]);
const refused = async (...args: string[]): Promise<string> => assertRefused(await run(['-I', DEMO, ...args]), 1);

test('a selector is a Call-ID, a row of the same table, an SSRC, or a prefix', async () => {
  const whole = await ask('--ladder', 'packet-loss@pbx.example.com');
  assert.match(whole, /^ {3}0 {2}09:00:14\.000 .*\|-* INVITE \(SDP\) /m);
  assert.equal(await ask('--ladder', 'packet'), whole);
  assert.equal(await ask('--ladder', 'row:7'), whole);
  assert.equal(await ask('--ladder', 'row:1', '--filter', 'finding:packet-loss'), whole);
  assert.equal(await ask('--ladder', 'ssrc:0xcdd26e9c'), whole);
  assert.equal(await ask('--ladder', 'id:packet-loss@pbx.example.com'), whole);
  assert.match(await refused('--ladder', 'tr'), /--ladder tr: 3 calls begin so \("trunk-.*\); write more of one$/);
  assert.match(await refused('--ladder', 'row:99'), /--ladder row:99: the capture has no such call; run without/);
  assert.match(
    await refused('--ladder', 'pakcet-loss@pbx.example.com'),
    /did you mean packet-loss@pbx\.example\.com\?/,
  );
});

test('a Call-ID that looks like a row wins over the row', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-row-'));
  const path = join(folder, 'row.pcap');
  const scripts = ['a', 'row:1'].map((id) => {
    const script = scriptOf(id);
    script.respond(script.request('OPTIONS', 0), 200, 10);
    return script;
  });
  writeFileSync(path, new Capture().add(scripts.flatMap(({ messages }) => messages)).pcap());
  const ids = scripts.map(({ callId }) => callId);
  const text = await printed(['-I', path, '--messages', ids[1] ?? '']);
  assert.ok(text.includes(`Call-ID: ${ids[1]}`), text);
  rmSync(folder, { recursive: true });
});

test('a ladder over all legs has a letter a call, and a name beside its address', async () => {
  const text = await ask('--ladder', 'transfer@', '--legs', '--name', '192.0.2.10=pbx');
  assert.match(text, /^2025-03-04 UTC .* pbx 192\.0\.2\.10:5060$/m);
  assert.match(text, /^ {2}A5 .* REFER /m);
  assert.match(text, /^ {2}B0 .* INVITE \(SDP\) /m);
  assert.match(text, /=+ RTP G729 0\.0 % MOS 4\.10 =+>/);
  assert.match(text, /^B {2}transfer-target@pbx\.example\.com$/m);
});

test('messages are whole, one alone, without a body, or raw; secrets only when asked for', async () => {
  const all = await ask('--messages', 'auth-loop@pbx.example.com');
  assert.match(
    all,
    /^2025-03-04 09:00:16\.000Z {2}198\.51\.100\.29:5060 -> 192\.0\.2\.10:5060 {2}UDP wire {2}auth-loop@pbx\.example\.com#0$/m,
  );
  assert.match(all, /^Proxy-Authorization: \[removed\]$/m);
  assert.match(all, /^a=rtpmap:/m);
  assert.doesNotMatch(await ask('--messages', 'auth-loop@', '--no-body'), /^a=rtpmap:/m);
  assert.match(await ask('--messages', 'auth-loop@', '--show-secrets'), /^Proxy-Authorization: Digest username=/m);
  const one = await ask('--messages', 'auth-loop@pbx.example.com#1');
  assert.equal(one.match(/^CSeq:/gm)?.length, 1);
  const raw = await ask('--messages', 'auth-loop@pbx.example.com#0', '--raw');
  assert.match(raw, /^INVITE [^\r\n]+\r\n/);
  assert.match(await refused('--messages', 'auth-loop@pbx.example.com#999'), /the call has no message of this number/);
  const every = await ask('--filter', 'method:OPTIONS', '--messages');
  assert.equal(every.match(/^OPTIONS sip:/gm)?.length, 3);
});

test('two calls stand side by side, what differs is marked', async () => {
  const text = await ask('--compare', 'row:2', '--compare', 'row:7');
  assert.match(text, /^! From +2001 +\+12025550143$/m);
  assert.match(text, /^ {2}Codec +PCMA +PCMA$/m);
  assert.match(text, /^! User-Agent +DeskPhone /m);
  assert.match(text, /^ {2}0 +INVITE \(SDP\) +INVITE \(SDP\)$/m);
  const r = await run(['-I', DEMO, '--compare', 'row:2']);
  assert.match(assertRefused(r, 2), /--compare: it takes two calls; give it twice/);
});

test('a pair of SIPp scenarios goes to a folder, with the lines that run it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-sipp-'));
  const text = await ask('--sipp', 'good-g711@', '--to', join(folder, 'new'));
  assert.match(text, /^sipp -sf \S+uas\.xml -m 1 .*&\nsipp -sf \S+uac\.xml -m 1 /);
  for (const side of ['uac', 'uas'])
    assert.match(readFileSync(join(folder, 'new', `${side}.xml`), 'latin1'), /^<\?xml [\s\S]*<scenario /);
  assert.match(
    assertRefused(await run(['-I', DEMO, '--sipp', 'row:2']), 2),
    /--sipp: it requires --to; add --to PATH$/,
  );
  rmSync(folder, { recursive: true });
});

test('the audio of a call goes to a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-wav-'));
  const path = join(folder, 'call.wav');
  assert.match(await ask('--wav', 'good-g711@', '--to', path), /call\.wav: \d+ bytes/);
  assert.equal(readFileSync(path).subarray(0, 4).toString('latin1'), 'RIFF');
  const whole = readFileSync(path).length;
  assert.match(
    await ask('--wav', 'jitter@', '--span', 'worst', '--to', path, '--force'),
    /bytes, \d+\.\d to \d+\.\d s of the call/,
  );
  assert.ok(readFileSync(path).length < whole);
  assert.match(
    assertRefused(await run(['-I', DEMO, '--wav', 'row:2', '--to', path, '--span', '5..2']), 2),
    /--span: 5\.\.2 is not a span; write/,
  );
  assert.match(await refused('--wav', 'busy@', '--to', path), /--wav: No audio stream belongs to this dialog; run/);
  assert.match(
    await refused('--wav', 'good-g711@', '--to', join(folder, 'no', 'x.wav')),
    /x\.wav: there is no such folder; make it/,
  );
  rmSync(folder, { recursive: true });
});
