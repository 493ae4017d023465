/** A capture rebuilt from kept messages: SIP for tshark, the same calls for calltap, without the secrets of TLS. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { finish } from '../../../src/core/turns.ts';
import { ORIGINS, TRANSPORT } from '../../../src/core/words.ts';
import type { RebuiltCapture } from '../../../src/export/rebuilt-capture.ts';
import { rebuiltCapture } from '../../../src/export/rebuilt-capture.ts';
import type { Packet } from '../../../src/sources/packet.ts';
import { dialogDocument } from '../../../src/view/documents.ts';
import { openSession } from '../../helpers/open-session.ts';
import { INVITE, probedMessage, probedPacket } from '../../helpers/probe-message.ts';
import { readCaptureFile, temporaryFolder } from '../../helpers/read-capture.ts';
import { skipWithoutTshark, tsharkSip } from '../../helpers/tshark.ts';

const BY = {
  wire: { origin: ORIGINS.indexOf('wire'), transport: TRANSPORT.UDP },
  hep: { origin: ORIGINS.indexOf('hep'), transport: TRANSPORT.TCP },
  uprobe: { origin: ORIGINS.indexOf('uprobe'), transport: TRANSPORT.WSS },
} as const;
const SECRET = ['Authorization: Digest response="S3CR3T"'];

function sessionWith(t: TestContext, messages: readonly (readonly [Buffer, Packet])[]) {
  const session = openSession(['-I', 'x.pcap', '--message-log-bytes', '2m']);
  t.after(() => session.close());
  for (const [bytes, packet] of messages) {
    session.ingest.sip.onBytes(bytes, 0, bytes.length, packet);
    session.ingest.tick(packet.tsUs);
  }
  return session;
}

/** A call of each origin, the three mixed in time. */
function calls(): (readonly [Buffer, Packet])[] {
  return (['wire', 'hep', 'uprobe'] as const).flatMap((origin, i) => {
    const version = origin === 'hep' ? 6 : 4;
    return [
      [probedMessage(INVITE, origin, SECRET), { ...probedPacket(version, i), ...BY[origin] }],
      [probedMessage('SIP/2.0 200 OK', origin), { ...probedPacket(version, 10 + i, true), ...BY[origin] }],
    ] as const;
  });
}

function written(t: TestContext, { bytes, pieces }: RebuiltCapture): string {
  const path = join(temporaryFolder(t), 'rebuilt.pcapng');
  const file = Buffer.concat([...pieces()]);
  assert.equal(file.length, bytes, 'the size is known before');
  writeFileSync(path, file);
  return path;
}

test('tshark opens it: in the order of time, with addresses and the comment', { skip: skipWithoutTshark() }, (t) => {
  const session = sessionWith(t, calls());
  const path = written(t, finish(rebuiltCapture(session.dialogs.oldestFirst(), session.log)));
  const fields = ['sip.Call-ID', '_ws.col.Source', 'exported_pdu.src_port', 'frame.comment'];
  const found = tsharkSip(path, fields);
  assert.deepEqual(
    found.map(([callId]) => callId),
    ['wire', 'hep', 'uprobe', 'wire', 'hep', 'uprobe'],
  );
  assert.deepEqual(found[1]?.slice(1, 4), ['2001:db8::1', '40000', 'rebuilt']);
  assert.deepEqual(found[5]?.slice(1, 4), ['198.51.100.2', '5061', 'rebuilt']);
});

test('it reads back as the same calls of the same origin; only what a probe read has no secrets', async (t) => {
  const session = sessionWith(t, calls());
  const rebuilt = finish(rebuiltCapture(session.dialogs.oldestFirst(), session.log));
  assert.deepEqual([rebuilt.messages, rebuilt.leftOut], [6, 0]);
  const again = (await readCaptureFile(t, written(t, rebuilt))).session;
  for (const origin of ORIGINS) {
    const [before, after] = [session, again].map((from) => {
      const d = from.dialogs.get(origin);
      assert.ok(d !== undefined);
      const { frame: _frame, ...document } = dialogDocument(from.evidence, d);
      return { document, transport: from.log.transport(d.headRow), bytes: Buffer.from(from.log.bytes(d.headRow)) };
    });
    assert.equal(after?.document.input_origin, origin);
    assert.deepEqual([after?.document, after?.transport], [before?.document, before?.transport]);
    assert.equal(after?.bytes.includes('S3CR3T'), origin !== 'uprobe');
    assert.equal(after?.bytes.length, before?.bytes.length);
  }
});

test('a call that is asked for twice is there once; nothing to show is an empty file', async (t) => {
  const session = sessionWith(t, calls());
  const wire = session.dialogs.get('wire');
  assert.ok(wire !== undefined);
  assert.equal(finish(rebuiltCapture([wire, wire], session.log)).messages, 2);
  const empty = finish(rebuiltCapture([], session.log));
  assert.equal(empty.messages, 0);
  assert.equal((await readCaptureFile(t, written(t, empty))).session.dialogs.size, 0);
});

test('many bytes come in pieces as they are taken; what is evicted meanwhile is left out, or ends the file', (t) => {
  const long = ['X-Long: '.padEnd(60_000, 'x')];
  const many = Array.from(
    { length: 20 },
    (_, i) => [probedMessage(INVITE.replace('bob', `bob${i}`), 'long', long), probedPacket(4, i * 1e6)] as const,
  );
  const session = sessionWith(t, many);
  const dialog = session.dialogs.get('long');
  assert.ok(dialog !== undefined);
  const whole = finish(rebuiltCapture([dialog], session.log));
  assert.deepEqual([whole.messages, whole.leftOut], [20, 0]);
  assert.ok(whole.keeps < 512 * 1024);
  const pieces = [...whole.pieces()];
  assert.ok(pieces.length > 5 && pieces.every((piece) => piece.length < 256 * 1024));
  const unread = whole.pieces();
  unread.next();

  const steps = rebuiltCapture([dialog], session.log);
  for (let i = 0; i < 4; i++) assert.equal(steps.next().done, false);
  for (const [bytes, packet] of [...many, ...many]) {
    const other = Buffer.from(bytes.toString().replace('Call-ID: long', 'Call-ID: late'));
    session.ingest.sip.onBytes(other, 0, other.length, packet);
  }
  const cut = finish(steps);
  assert.ok(cut.leftOut > 0);
  assert.equal(cut.messages + cut.leftOut, 20);
  assert.throws(() => [...unread], /evicted while it was read/);
});
