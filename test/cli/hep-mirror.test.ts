/** -H: a collector gets the SIP and RTCP that were captured, and one that is not there costs a counter alone. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import * as CHUNK from '../../src/decode/hep/chunks.ts';
import type { HepPacket } from '../../src/decode/hep/packet.ts';
import { chunkText, hepOf } from '../helpers/hep-packet.ts';
import { asJson } from '../helpers/json.ts';
import { freePort, until } from '../helpers/patience.ts';
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

test('options of a mirror without one, and a port that cannot be, are refused in one line', async () => {
  for (const [args, line] of [
    [['-I', DEMO, '--hep-node', 'x'], /--hep-node/],
    [['-I', DEMO, '--hep-send-auth', 'x'], /--hep-send-auth/],
    [['-I', DEMO, '-H', '127.0.0.1:0'], /-H/],
    [['-I', DEMO, '-H', '127.0.0.1:9060', '--hep-id', '4294967296'], /--hep-id/],
  ] as const) {
    const r = await run(args);
    assert.match(r.stderr, line);
    assert.equal(r.code, 2);
    assert.equal(r.stderr.trim().split('\n').length, 1);
  }
});
