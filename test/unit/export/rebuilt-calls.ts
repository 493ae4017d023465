/** A call of each origin in a session's log, and the file that is rebuilt of them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ORIGINS, TRANSPORT } from '../../../src/core/words.ts';
import type { RebuiltCapture } from '../../../src/export/rebuilt-capture.ts';
import type { Packet } from '../../../src/sources/packet.ts';
import { openSession } from '../../helpers/open-session.ts';
import { INVITE, probedMessage, probedPacket } from '../../helpers/probe-message.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

const BY = {
  wire: { origin: ORIGINS.indexOf('wire'), transport: TRANSPORT.UDP },
  hep: { origin: ORIGINS.indexOf('hep'), transport: TRANSPORT.TCP },
  uprobe: { origin: ORIGINS.indexOf('uprobe'), transport: TRANSPORT.WSS },
} as const;
const SECRET = ['Authorization: Digest response="S3CR3T"'];

export function sessionWith(t: TestContext, messages: readonly (readonly [Buffer, Packet])[]) {
  const session = openSession(['-I', 'x.pcap', '--message-log-bytes', '2m']);
  t.after(() => session.close());
  for (const [bytes, packet] of messages) {
    session.ingest.sip.onBytes(bytes, 0, bytes.length, packet);
    session.ingest.tick(packet.tsUs);
  }
  return session;
}

/** A call of each origin, the three mixed in time. */
export function calls(): (readonly [Buffer, Packet])[] {
  return (['wire', 'hep', 'uprobe'] as const).flatMap((origin, i) => {
    const version = origin === 'hep' ? 6 : 4;
    return [
      [probedMessage(INVITE, origin, SECRET), { ...probedPacket(version, i), ...BY[origin] }],
      [probedMessage('SIP/2.0 200 OK', origin), { ...probedPacket(version, 10 + i, true), ...BY[origin] }],
    ] as const;
  });
}

export function written(t: TestContext, { bytes, pieces }: RebuiltCapture): string {
  const path = join(temporaryFolder(t), 'rebuilt.pcapng');
  const file = Buffer.concat([...pieces()]);
  assert.equal(file.length, bytes, 'the size is known before');
  writeFileSync(path, file);
  return path;
}
