/** Messages of a file that had no frame: the calls that their source made, whatever the port, beside frames. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { TRANSPORT } from '../../../src/core/words.ts';
import { OutputFile } from '../../../src/export/capture-file.ts';
import { ProbeMessages } from '../../../src/export/probe-messages.ts';
import type { Packet } from '../../../src/sources/packet.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { openSession } from '../../helpers/open-session.ts';
import { INVITE, probedMessage, probedPacket } from '../../helpers/probe-message.ts';
import { readCaptureFile, temporaryFolder } from '../../helpers/read-capture.ts';

type Seen = { readonly bytes: Buffer; readonly packet: Packet };

/** A call over TLS, and one of a WebSocket whose end is missing. */
function seen(): Seen[] {
  const body = 'v=0\r\nc=IN IP4 192.0.2.1\r\nm=audio 4000 RTP/AVP 0\r\n';
  const cut = probedMessage(INVITE, 'two@wss', [], body);
  return [
    { bytes: probedMessage(INVITE, 'one@tls', [], body), packet: probedPacket(6) },
    { bytes: probedMessage('SIP/2.0 180 Ringing', 'one@tls'), packet: probedPacket(6, 1000, true) },
    { bytes: cut.subarray(0, -9), packet: { ...probedPacket(4, 1500), isSnapped: true, transport: TRANSPORT.WSS } },
    { bytes: probedMessage('SIP/2.0 200 OK', 'one@tls'), packet: probedPacket(6, 2000, true) },
    { bytes: probedMessage('SIP/2.0 404 Gone', 'two@wss'), packet: { ...probedPacket(4, 2500, true), isWeak: true } },
    { bytes: probedMessage('ACK sip:bob@example.com SIP/2.0', 'one@tls'), packet: probedPacket(6, 3000) },
    { bytes: probedMessage('OPTIONS sip:bob@example.com SIP/2.0', 'three@tls'), packet: probedPacket(0, 3500) },
  ];
}

function written(t: TestContext, name: string, write: (file: OutputFile, messages: ProbeMessages) => void): string {
  const path = join(temporaryFolder(t), name);
  const file = OutputFile.open(path, { bytes: 0, seconds: 0 });
  write(file, new ProbeMessages(() => file));
  file.close();
  return path;
}

/** What a session knows of its calls. */
function known(session: Awaited<ReturnType<typeof readCaptureFile>>['session']): unknown[] {
  return [...session.dialogs.oldestFirst()].map((d) => {
    const { frame: _frame, ...document } = dialogDocument(session.evidence, d);
    const messages = messagesOf(d, session.log).map((m) => ({
      ...{ at: m.tsUs, way: m.way, origin: m.origin, transport: m.transport, isWeak: m.isWeak, isCut: m.isSnapped },
      text: m.bytes.toString('latin1'),
    }));
    return { document, messages };
  });
}

test('what was written reads back as the calls that the probe made', async (t) => {
  const path = written(t, 'probes.pcapng', (_file, messages) => {
    for (const { bytes, packet } of seen()) messages.write(bytes, 0, bytes.length, packet, process.pid);
  });
  const live = openSession(['-I', 'x.pcap']);
  t.after(() => live.close());
  for (const { bytes, packet } of seen()) live.ingest.sip.onBytes(bytes, 0, bytes.length, packet);
  const { session } = await readCaptureFile(t, path);
  const found = known(session);
  assert.equal(found.length, 3);
  assert.deepEqual(found, known(live));
  const one = session.dialogs.get('one@tls');
  assert.ok(one !== undefined);
  const { input_origin, state, frame } = dialogDocument(session.evidence, one);
  assert.deepEqual([input_origin, state], ['uprobe', 'InCall']);
  assert.match(frame ?? '', /probes\.pcapng#0@[0-9a-f]{16}$/, 'its packet can be shown');
});

test('beside frames of the wire each has its origin, in the order of the file', async (t) => {
  const ofWire = (start: string): Buffer =>
    Buffer.from(probedMessage(start, 'wire@udp').toString().replace('SIP/2.0/TLS', 'SIP/2.0/UDP'));
  const path = written(t, 'both.pcapng', (file, messages) => {
    const [first, ...rest] = seen().filter(({ packet }) => packet.ipVersion === 6);
    assert.ok(first !== undefined);
    messages.write(first.bytes, 0, first.bytes.length, first.packet, process.pid);
    for (const [i, start] of [INVITE, 'SIP/2.0 486 Busy Here'].entries()) {
      const packet = { ...probedPacket(4, 100 + i, i === 1), srcPort: 5060, dstPort: 5060 };
      const bytes = ofWire(start);
      file.writeDatagram(bytes, 0, bytes.length, packet);
    }
    for (const { bytes, packet } of rest) messages.write(bytes, 0, bytes.length, packet, process.pid);
  });
  const { session } = await readCaptureFile(t, path);
  const origins = ['one@tls', 'wire@udp'].map((callId) => {
    const d = session.dialogs.get(callId);
    assert.ok(d !== undefined);
    const { input_origin, state, msg_count, frame } = dialogDocument(session.evidence, d);
    return [input_origin, state, msg_count, frame?.replace(/.*#(\d+)@.*/, '$1')];
  });
  assert.deepEqual(origins, [
    ['uprobe', 'InCall', 4, '0'],
    ['wire', 'Failed', 2, '1'],
  ]);
  // With a gate that has neither port, what has no frame is read all the same.
  const gated = await readCaptureFile(t, path, ['--portrange', '9']);
  assert.deepEqual(
    [...gated.session.dialogs.oldestFirst()].map((d) => d.callId),
    ['one@tls'],
  );
});
