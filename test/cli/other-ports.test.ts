/** Frames of calls on ports that nobody named are written as they are where the ports are named: by a second reading, and by call. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ALICE, BOB, basicCall, withPort } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { inTimeOrder, pcap } from '../../fixtures/build/pcap-file.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { TcpConnection } from '../../fixtures/build/tcp.ts';
import { printed } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-ports-'));
after(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const NAMED = ['--portrange', '5080'];

/** A call by UDP, one by TCP in pieces, and the media that both describe. */
function twoCalls(): Uint8Array {
  const client = withPort(ALICE, 40_000);
  const server = withPort(BOB, 5080);
  const { messages } = basicCall('by-tcp', { transport: 'TCP', caller: client, callee: server });
  const c = new TcpConnection({ client: client.sip, server: server.sip, clientIsn: 1000, serverIsn: 9000 });
  c.open(EPOCH_US - 50_000);
  for (const m of messages) c.send(m.by === 'caller', m.tsUs, m.bytes, 3);
  c.close(EPOCH_US + 9e6);
  const rtp = rtpStream(
    { src: ALICE.rtp, dst: BOB.rtp, ssrc: 7, startUs: EPOCH_US + 2.3e6 },
    voice({ count: 100, payloadType: 0 }),
  );
  const udp = basicCall('by-udp', { caller: withPort(ALICE, 5080), callee: server });
  return pcap(inTimeOrder([...new Capture().add([...udp.messages, ...rtp.datagrams]).frames(), ...c.frames()]));
}

writeFileSync(path('two.pcap'), twoCalls());

test('a second reading writes the frames of a call on 5080', async () => {
  for (const [name, frames] of [
    ['by-tcp', 121],
    ['by-udp', 107],
  ] as const) {
    const chosen = [path('two.pcap'), '--filter', `callid:"${name}@calltap.example.com"`, '-O'];
    const text = await printed([...chosen, path(`${name}.pcap`)]);
    assert.match(text, new RegExp(`^${frames} frames written to `, 'm'));
    await printed([...chosen, path(`${name}-named.pcap`), ...NAMED]);
    assert.deepEqual(readFileSync(path(`${name}.pcap`)), readFileSync(path(`${name}-named.pcap`)));
  }
});

test('--split call has a file for each call on 5080', async () => {
  const written = async (name: string, options: readonly string[]): Promise<(readonly [string, Buffer])[]> => {
    mkdirSync(path(name));
    assert.match(
      await printed([path('two.pcap'), '--split', 'call', '-O', path(name), ...options]),
      /^2 calls \(228 frames\) written to /m,
    );
    return readdirSync(path(name)).map((file) => [file, readFileSync(join(path(name), file))]);
  };
  const found = await written('found', []);
  assert.equal(found.length, 2);
  assert.deepEqual(found, await written('named', NAMED));
});
