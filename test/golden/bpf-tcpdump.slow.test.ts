/**
 * --bpf takes the frames that tcpdump takes, over link types and encapsulations of all kinds. Skipped where tcpdump is not
 * there.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { DEMO, run } from '../cli/run-program.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { readRecords } from '../helpers/split-capture.ts';

const withoutTcpdump = spawnSync('tcpdump', ['--version']).error !== undefined && 'no tcpdump';

/** What tcpdump takes; null when the expression is none for the link type. */
function tcpdump(path: string, expression: string): number | null {
  const r = spawnSync('tcpdump', ['-n', '-r', path, '--count', expression], { encoding: 'utf8' });
  const count = /^(\d+) packets?$/m.exec(`${r.stdout}\n${r.stderr}`)?.[1];
  return r.status === 0 && count !== undefined ? Number(count) : null;
}

/** Each capture is asked one of them. */
const EXPRESSIONS = [
  'udp port 5060',
  'src host 192.0.2.10',
  'vlan',
  'ip6',
  'ip[6:2] & 0x3fff != 0',
  'tcp[tcpflags] & tcp-push != 0',
  'greater 500 and not tcp',
  'ether[0] & 1 = 0',
  'udp[8:4] = 0x494e5649 or host 198.51.100.20',
  'mpls',
  'not ip',
] as const;

test('captures of all link types', { skip: withoutTcpdump }, async (t) => {
  const folder = temporaryFolder(t);
  let refused = 0;
  for (const [i, row] of decodeMatrixCases().entries()) {
    const expression = EXPRESSIONS[i % EXPRESSIONS.length] ?? '';
    const path = join(folder, `${i}.pcap`);
    writeFileSync(path, row.bytes);
    const wanted = tcpdump(path, expression);
    const { session } = await readCaptureFile(t, path, ['--bpf', expression]);
    const [frames, skipped, unfit] = ['frames', 'bpf_skipped', 'bpf_unfit'].map((name) => session.source.counter(name));
    session.close();
    if (wanted === null) refused++;
    // tcpdump reads pcapng of one link type only, and refuses what we count.
    else assert.deepEqual([frames, unfit], [wanted, 0], `${row.name}: ${expression}`);
    assert.ok((skipped ?? 0) >= 0);
  }
  assert.ok(refused < 12, `tcpdump refused ${refused}`);
});

test('what does not match is neither analysed nor written', { skip: withoutTcpdump }, async (t) => {
  const expression = 'host 192.0.2.10 and (udp port 5060 or greater 200)';
  const folder = temporaryFolder(t);
  const [ours, theirs] = [join(folder, 'ours.pcap'), join(folder, 'theirs.pcap')];
  const r = await run(['-I', DEMO, '--bpf', expression, '-O', ours, '--stats-json']);
  assert.equal(r.code, 0, r.stderr);
  assert.equal(spawnSync('tcpdump', ['-r', DEMO, '-w', theirs, expression]).status, 0);
  const taken = readRecords(theirs).records;
  const stats: unknown = JSON.parse(r.stdout);
  assert.ok(typeof stats === 'object' && stats !== null && 'packets' in stats);
  assert.equal(stats.packets, taken.length);
  assert.equal(
    readFileSync(ours).length - 24,
    taken.reduce((n, { data }) => n + 16 + data.length, 0),
  );
});
