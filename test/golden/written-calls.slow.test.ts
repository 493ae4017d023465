/**
 * The frames of one call out of a capture with several, against tshark: all that it shows for the Call-ID, every segment and
 * fragment of its messages, and the media of its sockets. Skipped where tshark is not there.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, it } from 'node:test';
import { ALICE, BOB, basicCall } from '../../fixtures/build/basic-call.ts';
import { concat, labelHash } from '../../fixtures/build/bytes.ts';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import { talk } from '../../fixtures/build/case-kit.ts';
import { ethernet } from '../../fixtures/build/link.ts';
import { type Endpoint, fragments, udpPacket } from '../../fixtures/build/packet.ts';
import { type Frame, inTimeOrder, pcap } from '../../fixtures/build/pcap-file.ts';
import { receiverReport } from '../../fixtures/build/rtcp.ts';
import type { SipScript } from '../../fixtures/build/sip-call.ts';
import { TcpConnection } from '../../fixtures/build/tcp.ts';
import { OutputFile } from '../../src/export/capture-file.ts';
import { writeDialogs } from '../../src/export/selected-frames.ts';
import { openSession } from '../helpers/open-session.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

const UDP_CALLS = 4;
const TCP_CALLS = 3;

const withMedia = (party: typeof ALICE, port: number): typeof ALICE => ({ ...party, rtp: { ...party.rtp, port } });

/** A call between Alice and Bob with sockets of its own for media. */
function call(name: string, i: number, transport: 'UDP' | 'TCP', startUs: number): SipScript {
  const caller = withMedia(ALICE, 20_000 + 4 * i);
  return basicCall(name, { caller, callee: withMedia(BOB, 30_000 + 4 * i), transport, startUs });
}

const partiesOf = (i: number): [typeof ALICE, typeof ALICE] => [
  withMedia(ALICE, 20_000 + 4 * i),
  withMedia(BOB, 30_000 + 4 * i),
];

let nextId = 1;
const udpFrame = (tsUs: number, src: Endpoint, dst: Endpoint, bytes: Uint8Array): Frame => ({
  tsUs,
  data: ethernet(udpPacket(src, dst, bytes, { id: nextId++ & 0xffff }), 0),
});

/** Voice both ways, and RTCP on the ports after it. */
function mediaOf(script: SipScript, i: number): Frame[] {
  const [caller, callee] = partiesOf(i);
  const voice = [
    [caller, callee],
    [callee, caller],
  ].flatMap(([from = ALICE, to = BOB]) => talk(script, from, to, { count: 40 }).datagrams);
  const next = ({ address, port }: Endpoint): Endpoint => ({ address, port: port + 1 });
  const report = udpFrame(script.at(3000), next(caller.rtp), next(callee.rtp), receiverReport(labelHash(`${i}`), []));
  return [...voice.map(({ tsUs, src, dst, bytes }) => udpFrame(tsUs, src, dst, bytes)), report];
}

/** Messages as datagrams; every third one in fragments of 320 bytes. */
function udpFrames(script: SipScript): Frame[] {
  return script.messages.flatMap((m, i) => {
    if (i % 3 !== 0) return [udpFrame(m.tsUs, m.src, m.dst, m.bytes)];
    const packet = udpPacket(m.src, m.dst, m.bytes, { id: nextId++ & 0xffff });
    return fragments(packet, 320).map((data, k) => ({ tsUs: m.tsUs + k, data: ethernet(data, 0) }));
  });
}

/** Messages of several calls on one connection, in pieces that do not end where messages do. */
function tcpFrames(scripts: readonly SipScript[]): Frame[] {
  const connection = new TcpConnection({ client: ALICE.sip, server: BOB.sip, clientIsn: 1000, serverIsn: 9000 });
  connection.open(EPOCH_US - 10_000);
  const messages = inTimeOrder(scripts.flatMap((script) => script.messages));
  for (let i = 0; i < messages.length; ) {
    // What one side sends in a row goes together.
    const by = messages[i]?.by;
    const run = messages.slice(i).findIndex((m) => m.by !== by);
    const together = messages.slice(i, run < 0 ? messages.length : i + run);
    const bytes = concat(...together.map((m) => m.bytes));
    connection.send(by === 'caller', together.at(-1)?.tsUs ?? 0, bytes, together.length > 1 ? 4 : 2);
    i += together.length;
  }
  return connection.frames();
}

/** Seven calls at a time, and after an hour one more on the sockets of the first. */
function capture(): { readonly bytes: Uint8Array; readonly names: readonly string[] } {
  const names: string[] = [];
  const make = (i: number, transport: 'UDP' | 'TCP', startUs = EPOCH_US + 1000 * i, media = i): SipScript => {
    names.push(`call-${i}`);
    return call(`call-${i}`, media, transport, startUs);
  };
  const udp = Array.from({ length: UDP_CALLS }, (_, i) => make(i, 'UDP'));
  const tcp = Array.from({ length: TCP_CALLS }, (_, i) => make(UDP_CALLS + i, 'TCP', EPOCH_US));
  const later = make(UDP_CALLS + TCP_CALLS, 'UDP', EPOCH_US + 3600e6, 0);
  const frames = [
    ...[...udp, later].flatMap(udpFrames),
    ...tcpFrames(tcp),
    ...[...udp, ...tcp].flatMap((script, i) => mediaOf(script, i)),
    ...mediaOf(later, 0),
  ];
  return { bytes: pcap(inTimeOrder(frames)), names };
}

function tshark(path: string, filter: string, fields: readonly string[] = ['frame.number']): string[] {
  const options = ['-o', 'tcp.reassemble_out_of_order:TRUE', '-o', 'rtp.heuristic_rtp:TRUE'];
  const args = ['-r', path, ...options, '-Y', filter, '-T', 'fields', ...fields.flatMap((f) => ['-e', f])];
  const text = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return text.split('\n').filter((line) => line !== '');
}

function hasTshark(): boolean {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What tshark finds of a call: its SIP, with what was put together for it, and UDP on its ports in its time. */
function expectedFrames(path: string, name: string, media: number, isLate: boolean): Set<number> {
  const found = new Set<number>();
  const sip = tshark(path, `sip.Call-ID == "${name}@calltap.example.com"`, [
    'frame.number',
    'ip.fragment',
    'tcp.segment',
  ]);
  for (const row of sip)
    for (const list of row.split('\t'))
      for (const number of list.split(',')) if (number !== '') found.add(Number(number));
  const ports = [20_000 + 4 * media, 20_001 + 4 * media];
  const when = `frame.time_relative ${isLate ? '>' : '<'} 1000`;
  for (const number of tshark(path, `udp.port in {${ports.join(', ')}} && ${when}`)) found.add(Number(number));
  return found;
}

/** Time and length of each frame, which tell the frames of this capture apart with their bytes. */
function framesOf(path: string): string[] {
  return tshark(path, 'frame', ['frame.time_epoch', 'frame.len', 'ip.checksum', 'ip.id']);
}

async function write(t: TestContext, path: string, names: readonly string[], to: string): Promise<string> {
  const session = openSession(['-I', path], { keepsFrames: true, writesLater: true });
  t.after(() => session.close());
  await session.read([path], () => undefined);
  const { file } = session;
  assert.ok(file !== null);
  const dialogs = names.map((name) => {
    const dialog = session.dialogs.get(`${name}@calltap.example.com`);
    assert.ok(dialog !== undefined, name);
    return dialog;
  });
  const output = OutputFile.open(to, { bytes: 0, seconds: 0 });
  const done = await writeDialogs(dialogs, session.ingest.stores, file, output);
  output.close();
  assert.deepEqual([done.missedFragments, done.isStopped, done.skippedPairs], [0, false, 0]);
  assert.equal(done.frames, output.counter('frames'));
  return to;
}

describe('frames of calls against tshark', { skip: !hasTshark() && 'no tshark' }, () => {
  it('are those of its messages and its media, and no others', async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'all.pcap');
    const { bytes, names } = capture();
    writeFileSync(path, bytes);
    const all = framesOf(path);
    for (const i of [0, 1, 4, 5, 7]) {
      const name = names[i] ?? '';
      const isLate = i === UDP_CALLS + TCP_CALLS;
      const expected = expectedFrames(path, name, isLate ? 0 : i, isLate);
      assert.ok(expected.size > 80, `${name}: ${expected.size}`);
      const written = framesOf(await write(t, path, [name], join(folder, `${name}.pcapng`)));
      assert.deepEqual(
        written,
        all.filter((_, n) => expected.has(n + 1)),
        name,
      );
    }
  });

  it('are in a file for each call, after one reading', async (t) => {
    const folder = temporaryFolder(t);
    const [path, to] = [join(folder, 'all.pcap'), join(folder, 'calls')];
    mkdirSync(to);
    const { bytes, names } = capture();
    writeFileSync(path, bytes);
    const session = openSession(['-I', path, '-O', to, '--split', 'call']);
    await session.read([path], () => undefined);
    session.close();
    const files = readdirSync(to);
    assert.equal(files.length, names.length, files.join(' '));
    const all = framesOf(path);
    for (const i of [1, 4, 7]) {
      const name = names[i] ?? '';
      const isLate = i === UDP_CALLS + TCP_CALLS;
      const expected = expectedFrames(path, name, isLate ? 0 : i, isLate);
      const file = files.find((one) => one.includes(`_${name}-calltap.example`)) ?? assert.fail(name);
      // A segment that began a message is written when the message is whole.
      const wanted = all.filter((_, n) => expected.has(n + 1));
      assert.deepEqual(framesOf(join(to, file)).sort(), wanted.sort(), name);
    }
    assert.deepEqual(
      session.outputs.written?.losses.filter(([, n]) => n > 0),
      [],
    );
  });
});
