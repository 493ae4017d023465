/** `-O` with `--filter`: the frames of the chosen calls with their media, as tshark finds them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-save-'));
after(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);

/** Time and bytes of the frames that tshark shows. */
function frames(file: string, filter: string): string[] {
  const args = [
    '-r',
    file,
    '-T',
    'fields',
    '-e',
    'frame.time_epoch',
    '-e',
    'frame.len',
    '-e',
    'ip.id',
    '-e',
    'udp.srcport',
  ];
  const text = execFileSync('tshark', [...args, '-Y', filter], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text.trimEnd().split('\n');
}

test('a call and its media are what tshark finds by Call-ID and sockets', async () => {
  const text = await printed([DEMO, '--filter', 'callid:packet-loss*', '-O', path('one.pcapng')]);
  assert.match(text, /^1061 frames written to .*one\.pcapng$/m);
  const wanted = 'sip.Call-ID == "packet-loss@pbx.example.com" || (udp.port == 30140 && udp.port == 12030)';
  assert.deepEqual(frames(path('one.pcapng'), 'frame'), frames(DEMO, wanted));
  // It reads as the same call.
  const again = await printed([path('one.pcapng'), '--json']);
  assert.match(again, /"call_id":"packet-loss@pbx\.example\.com".*"loss_pct":4\.81/);
  assert.equal(again.trimEnd().split('\n').length, 1);
});

test('--legs adds the other legs; nothing that matches is a line and an empty file', async () => {
  await printed([DEMO, '--filter', 'callid:"transfer@pbx.example.com"', '--legs', '-O', path('two.pcap')]);
  const ids = (await printed([path('two.pcap'), '--csv', '--columns', 'callid'])).trimEnd().split('\n');
  assert.deepEqual(ids, ['callid', 'transfer@pbx.example.com', 'transfer-target@pbx.example.com']);
  const none = await run([DEMO, '--filter', 'from:nobody', '-O', path('none.pcap')]);
  assert.deepEqual([none.code, none.stderr], [0, 'calltap: -O: no call matches; the file has no frame\n']);
});

test('what can be read once is refused in one line that names --split call', async () => {
  for (const source of [['-'], ['-d', 'lo']])
    assert.match(
      assertRefused(await run([...source, '--filter', 'from:1', '-O', path('x.pcap')]), 2),
      /--filter with -O: it reads the files twice, and this source can be read once; use --split call$/,
    );
});
