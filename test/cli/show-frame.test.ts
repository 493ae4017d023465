/** --show-frame: a pointer with the right digest shows the frame; with a wrong one it shows nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { asJson } from '../helpers/json.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

/** FNV-1a 64, from its definition; the product has its own. */
function fnv1a(bytes: Uint8Array): string {
  let h = 0xcbf29ce484222325n;
  for (const b of bytes) h = ((h ^ BigInt(b)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return h.toString(16).padStart(16, '0');
}

/** Frame `n` of a classic little-endian pcap. */
function frameOf(path: string, n: number): Buffer {
  const file = readFileSync(path);
  let at = 24;
  for (let i = 0; i < n; i++) at += 16 + file.readUInt32LE(at + 8);
  return file.subarray(at + 16, at + 16 + file.readUInt32LE(at + 8));
}

test('the pointers of the documents lead to their frames', async () => {
  const lines = (await printed(['-I', DEMO, '--json']))
    .trimEnd()
    .split('\n')
    .map((line) => asJson(JSON.parse(line)));
  const invite = lines.find((d) => d['call_id'] === 'ipv6-call@pbx.example.com');
  const frame = String(invite?.['frame']);
  const [, ordinal = '', digest] = /#(\d+)@([0-9a-f]{16})$/.exec(frame) ?? [];
  assert.equal(digest, fnv1a(frameOf(DEMO, Number(ordinal))), 'the digest is FNV-1a 64 of the captured bytes');
  const shown = await printed(['--show-frame', frame]);
  assert.match(shown, new RegExp(`^frame ${ordinal} of ${DEMO}\n`));
  assert.doesNotMatch(shown, /UNVERIFIED/);
  assert.match(shown, /^IPv6 UDP \[2001:db8:10::21\]:5060 -> \[2001:db8:10::a\]:5060, \d+ payload bytes$/m);
  assert.match(shown, /^INVITE sip:2018@pbx\.example\.com SIP\/2\.0$/m);
  assert.match(shown, /^Call-ID: ipv6-call@pbx\.example\.com$/m);
  // The dump is the whole frame.
  const dump = [...shown.matchAll(/^[0-9a-f]{6} {2}((?:[0-9a-f]{2} )*[0-9a-f]{2})/gm)].map((m) => m[1] ?? '').join(' ');
  assert.equal(dump.replaceAll(' ', ''), frameOf(DEMO, Number(ordinal)).toString('hex'));
});

test('a wrong digest prints nothing on standard output and exits 1', async () => {
  const right = fnv1a(frameOf(DEMO, 3));
  const wrong = right.slice(0, 15) + (right.endsWith('0') ? '1' : '0');
  assert.match(
    assertRefused(await run(['--show-frame', `${DEMO}#3@${wrong}`]), 1),
    /give the capture that the pointer comes from/,
  );
  assert.match(await printed(['--show-frame', `${DEMO}#3@${right}`]), /^frame 3 of /);
});

test('without a digest the frame is labelled UNVERIFIED', async () => {
  assert.match(await printed(['--show-frame', `${DEMO}#3`]), /^UNVERIFIED frame 3 of /);
});

test('a frame, a file or a pointer that is none is one line', async () => {
  assert.match(
    assertRefused(await run(['--show-frame', `${DEMO}#99999999`]), 1),
    /the capture ends before frame 99999999/,
  );
  assert.match(assertRefused(await run(['--show-frame', '/nonexistent/x.pcap#1']), 1), /there is no such file/);
  for (const pointer of ['', 'x', '#1', 'x#', 'x#-1', 'x#1@', 'x#1@0123', 'x#1@0123456789ABCDEF']) {
    assertRefused(await run(['--show-frame', pointer]), 2);
  }
});
