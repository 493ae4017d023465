/** -H: a collector gets the SIP and RTCP that were captured, and one that is not there costs a counter alone. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import { ETHERTYPE, tagged } from '../../fixtures/build/link.ts';
import { TCP_FLAG, udpPacket } from '../../fixtures/build/packet.ts';
import { pcap } from '../../fixtures/build/pcap-file.ts';
import { TcpConnection } from '../../fixtures/build/tcp.ts';
import * as CHUNK from '../../src/decode/hep/chunks.ts';
import type { HepPacket } from '../../src/decode/hep/packet.ts';
import { StreamCollector } from '../helpers/hep-collectors.ts';
import { chunkNumber, chunkText, hepOf } from '../helpers/hep-packet.ts';
import { asJson } from '../helpers/json.ts';
import { freePort, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { DEMO, run } from './run-program.ts';

async function collector(t: TestContext): Promise<{ readonly address: string; readonly packets: HepPacket[] }> {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  const packets: HepPacket[] = [];
  socket.on('message', (b) => packets.push(hepOf(b)));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  socket.setRecvBufferSize(4 * 1024 * 1024);
  return { address: `127.0.0.1:${socket.address().port}`, packets };
}

test('every SIP message and RTCP report of the capture arrives, with agent, node and key', async (t) => {
  const { address, packets } = await collector(t);
  const r = await run(['-I', DEMO, '-H', address, '--hep-id', '77', '--hep-send-auth', 'sesame', '--stats-json']);
  assert.equal(r.code, 0, r.stderr);
  const figures = asJson(JSON.parse(r.stdout));
  const sip = () => packets.filter((p) => p.protocolType === 1);
  await until(
    () => sip().length >= Number(figures['sipMessages']),
    () => `${sip().length} messages arrived`,
  );
  // One too many would come now.
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(sip().length, figures['sipMessages']);
  for (const p of packets) {
    assert.equal(p.agentId, 77);
    assert.equal(chunkText(p.bytes, CHUNK.NODE), hostname());
    assert.equal(Buffer.from(p.authKey ?? []).toString(), 'sesame');
  }
  const rtcp = packets.filter((p) => p.protocolType === 5);
  assert.ok(rtcp.length > 0);
  for (const p of rtcp) {
    const report = asJson(JSON.parse(Buffer.from(p.bytes.subarray(p.start, p.end)).toString()));
    assert.ok(typeof report['ssrc'] === 'number');
  }
  assert.ok(
    rtcp.some((p) => p.correlationId !== null),
    'reports name the call they belong to',
  );
});

test('a collector that is not there costs a counter', async () => {
  const port = await freePort();
  const r = await run(['-I', DEMO, '-H', `127.0.0.1:${port}`, '--stats-json']);
  assert.equal(r.code, 0, r.stderr);
  assert.equal(r.stderr.split(`-H 127.0.0.1:${port}: nobody listens there`).length, 2, 'said once');
  const figures = asJson(JSON.parse(r.stdout));
  assert.equal(asJson(figures['stats'])['dialogs'] !== undefined, true);
  const losses = asJson(asJson(figures['stats'])['losses']);
  assert.ok(Number(losses['hep_out_connection_refused']) > 0, JSON.stringify(losses));
});

test('with --hep-rtp-reports each window of a stream of a call is a report', async (t) => {
  const { address, packets } = await collector(t);
  const r = await run(['-I', DEMO, '-H', address, '--hep-rtp-reports', '--json']);
  assert.equal(r.code, 0, r.stderr);
  const reports = () => packets.filter((p) => p.protocolType === 34);
  const calls = r.stdout
    .trim()
    .split('\n')
    .map((line) => asJson(JSON.parse(line)));
  /** The windows of each stream, as the documents of the calls have them. */
  const streams = calls.flatMap((call) =>
    (Array.isArray(call['streams']) ? call['streams'] : []).map((each) => {
      const { ssrc, quality_intervals: intervals } = asJson(each);
      return (Array.isArray(intervals) ? intervals : []).map((one) => {
        const { packets: count, mos, jitter_ms: jitter } = asJson(one);
        return JSON.stringify([call['call_id'], ssrc, count, mos ?? null, jitter]);
      });
    }),
  );
  // The last window of a stream may still have been open.
  const least = streams.reduce((sum, windows) => sum + Math.max(windows.length - 1, 0), 0);
  assert.ok(least > 2);
  await until(
    () => reports().length >= least,
    () => `${reports().length} of ${least}`,
  );
  const said = reports().map((p) => {
    const json = asJson(JSON.parse(Buffer.from(p.bytes.subarray(p.start, p.end)).toString()));
    assert.equal(p.correlationId, json['CORRELATION_ID']);
    assert.equal(p.srcPort, json['SRC_PORT']);
    return JSON.stringify([
      json['CORRELATION_ID'],
      json['SSRC'],
      json['TOTAL_PK'],
      json['MOS'] ?? null,
      json['JITTER'],
    ]);
  });
  for (const windows of streams)
    for (const [i, window] of windows.entries()) {
      const at = said.indexOf(window);
      if (at >= 0) said.splice(at, 1);
      else assert.equal(i, windows.length - 1, `${window} is missing`);
    }
  assert.deepEqual(said, [], 'no other reports');
});

test('VLAN, DSCP and TCP flags of the frame go along', async (t) => {
  const { address, packets } = await collector(t);
  const client = { address: '192.0.2.1', port: 5060 };
  const server = { address: '192.0.2.2', port: 5060 };
  const message = (transport: string): Buffer =>
    Buffer.from(
      `OPTIONS sip:b@192.0.2.2 SIP/2.0\r\nVia: SIP/2.0/${transport} a;branch=z9hG4bK1\r\nFrom: <sip:a@a>;tag=1\r\n` +
        `To: <sip:b@b>\r\nCall-ID: ${transport}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
    );
  const frame = tagged(udpPacket(client, server, message('UDP'), { dscp: 26 }), 0, [[ETHERTYPE.VLAN, 1_234]]);
  const tcp = new TcpConnection({ client, server, clientIsn: 1, serverIsn: 2 })
    .open(EPOCH_US + 1_000)
    .send(true, EPOCH_US + 9_000, message('TCP'), 2);
  const file = join(temporaryFolder(t), 'tagged.pcap');
  writeFileSync(file, pcap([{ tsUs: EPOCH_US, data: frame }, ...tcp.frames()]));
  const r = await run(['-I', file, '-H', address]);
  assert.equal(r.code, 0, r.stderr);
  await until(
    () => packets.length === 2,
    () => `${packets.length} arrived`,
  );
  const said = packets.map((p) => [CHUNK.VLAN, CHUNK.TOS, CHUNK.TCP_FLAGS].map((type) => chunkNumber(p.bytes, type)));
  assert.deepEqual(said, [
    [1_234, 26 << 2, null],
    [null, null, TCP_FLAG.PSH | TCP_FLAG.ACK],
  ]);
});

test('over TCP: all of it to two collectors, and to the disk while one is away', async (t) => {
  const folder = temporaryFolder(t);
  const got: Record<string, string[]> = { here: [], away: [] };
  const collectors = ['here', 'away'].map(
    (name) => new StreamCollector(t, (packet) => got[name]?.push(packet.toString('latin1'))),
  );
  const [here, away] = collectors;
  assert.ok(here !== undefined && away !== undefined);
  await here.start();
  await away.start();
  away.kill();
  const to = (...ports: number[]): string[] => ports.flatMap((port) => ['-H', `tcp://127.0.0.1:${port}`]);
  const r = await run(['-I', DEMO, ...to(here.port, away.port), '--hep-spool', folder, '--stats-json']);
  assert.equal(r.code, 0, r.stderr);
  const messages = Number(asJson(JSON.parse(r.stdout))['sipMessages']);
  await until(
    () => (got['here']?.length ?? 0) >= messages,
    () => `${got['here']?.length} of ${messages}`,
  );
  assert.equal(got['away']?.length, 0);
  // The next run has nothing of its own to send.
  await away.start();
  const nothing = join(folder, 'nothing.pcap');
  writeFileSync(nothing, Buffer.from(`d4c3b2a1020004${'00'.repeat(9)}ffff000001000000`, 'hex'));
  const next = run(['-I', nothing, ...to(away.port), '--hep-spool', folder]);
  await until(
    () => got['away']?.length === got['here']?.length,
    () => `${got['away']?.length} of ${got['here']?.length}`,
  );
  await next;
  assert.deepEqual(got['away'], got['here']);
});

test('options of a mirror without one, and a port that cannot be, are refused in one line', async () => {
  for (const [args, line] of [
    [['-I', DEMO, '--hep-node', 'x'], /--hep-node/],
    [['-I', DEMO, '--hep-send-auth', 'x'], /--hep-send-auth/],
    [['-I', DEMO, '-H', '127.0.0.1:0'], /-H/],
    [['-I', DEMO, '-H', '127.0.0.1:9060', '--hep-id', '4294967296'], /--hep-id/],
    [['-I', DEMO, '--hep-spool', 'x'], /--hep-spool/],
    [['-I', DEMO, '-H', 'sctp://127.0.0.1:9060'], /-H/],
    [['-I', DEMO, '-H', 'tcp:h:1', '-H', 'tcp://h:1'], /-H tcp:\/\/h:1: it would get each message twice/],
    [['-I', DEMO, '-H', 'h:1', '--hep-failover'], /--hep-failover: there is no other collector/],
    [['-I', DEMO, '-H', 'tcp://h:1', '--hep-ca', 'x'], /--hep-ca: no collector of -H is spoken to by TLS/],
    [['-I', DEMO, '-H', 'tls://h:1', '--hep-cert', 'x'], /--hep-cert.*--hep-key FILE/],
    [['-I', DEMO, '-H', 'tls://h:1', '--hep-ca', '/nonexistent'], /--hep-ca \/nonexistent: there is no such file/],
    [['-I', DEMO, ...Array.from({ length: 9 }, (_, i) => ['-H', `h:${i + 1}`]).flat()], /-H: .* at most 8/],
  ] as const) {
    const r = await run(args);
    assert.match(r.stderr, line);
    assert.equal(r.code, 2);
    assert.equal(r.stderr.trim().split('\n').length, 1);
  }
});
