/** What TLS probes read is in the file of -O: as SIP for everybody, without secrets, gated and split like frames. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OutputFile } from '../../../src/export/capture-file.ts';
import { ProbeMessages } from '../../../src/export/probe-messages.ts';
import { ProcessNames } from '../../../src/sources/tls/process-names.ts';
import { INVITE, probedMessage, probedPacket } from '../../helpers/probe-message.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';
import { skipWithoutTshark, tsharkSip } from '../../helpers/tshark.ts';

const NEVER = { bytes: 0, seconds: 0 };
const skip = skipWithoutTshark();
const COLUMNS = ['sip.Call-ID', '_ws.col.Source', '_ws.col.Destination', 'exported_pdu.src_port'];

test('tshark opens what a probe read: Call-ID, addresses, process, and no secret', { skip }, (t) => {
  const path = join(temporaryFolder(t), 'probes.pcapng');
  const file = OutputFile.open(path, NEVER);
  const messages = new ProbeMessages(() => file);
  const secrets = ['Authorization: Digest response="S3CR3T"', 'Contact: <sip:alice:S3CR3T@192.0.2.1>'];
  const body = 'v=0\r\nm=audio 4000 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:S3CR3T\r\n';
  for (const version of [4, 6, 0] as const) {
    const bytes = probedMessage(INVITE, `v${version}@tls`, secrets, body);
    messages.write(bytes, 0, bytes.length, probedPacket(version), process.pid);
  }
  const cut = probedMessage(INVITE, 'cut@tls', [], body);
  messages.write(cut, 0, cut.length - 20, { ...probedPacket(4), isSnapped: true, isWeak: true }, 0x7fffffff);
  file.close();
  const fields = [...COLUMNS, 'exported_pdu.dst_port', 'frame.comment', 'frame.time_epoch'];
  const process_ = new RegExp(`^process ${process.pid} \\(node\\), TLS, uprobe$`);
  const [four, six, unknown, weak, ...more] = tsharkSip(path, fields);
  assert.deepEqual(four?.slice(0, 5), ['v4@tls', '192.0.2.1', '198.51.100.2', '40000', '5061']);
  assert.match(four?.[5] ?? '', process_);
  assert.equal(Number(four?.[6]), 1_700_000_000.123456);
  assert.deepEqual(six?.slice(0, 5), ['v6@tls', '2001:db8::1', '2001:db8::2', '40000', '5061']);
  assert.deepEqual(unknown?.slice(0, 3), ['v0@tls', '', '']);
  assert.match(unknown?.[5] ?? '', /, address not known$/);
  assert.deepEqual(weak?.slice(0, 2), ['cut@tls', '192.0.2.1']);
  assert.equal(weak?.[5], 'process 2147483647, TLS, uprobe, address likely, not proven, cut');
  assert.deepEqual(more, []);
  const text = readFileSync(path, 'latin1');
  assert.ok(!text.includes('S3CR3T'));
  assert.ok(text.includes(`Content-Length: ${body.length}\r\n\r\n${body.replace('inline:S3CR3T', 'x'.repeat(13))}`));
});

test('each file of a split holds whole messages, and a closed gate keeps them out', { skip }, (t) => {
  const folder = temporaryFolder(t);
  const file = OutputFile.open(join(folder, 'split.pcapng'), { bytes: 4096, seconds: 0 });
  const messages = new ProbeMessages(() => file);
  for (let i = 0; i < 40; i++) {
    file.setEnabled(i < 20 || i >= 30);
    const bytes = probedMessage(INVITE, `${i}@tls`);
    messages.write(bytes, 0, bytes.length, probedPacket(4, i), process.pid);
  }
  file.close();
  const names = readdirSync(folder).sort();
  assert.ok(names.length > 2);
  const found = names.flatMap((name) => tsharkSip(join(folder, name), ['sip.Call-ID']).flat());
  const wanted = Array.from({ length: 40 }, (_, i) => i).filter((i) => i < 20 || i >= 30);
  assert.deepEqual(
    found,
    wanted.map((i) => `${i}@tls`),
  );
  assert.equal(file.counter('skipped_by_gate'), 10);
});

test('a pcap file has no place for them: they are counted, and one line says so', (t) => {
  const file = OutputFile.open(join(temporaryFolder(t), 'one.pcap'), NEVER);
  const messages = new ProbeMessages(() => file);
  const bytes = probedMessage(INVITE, 'one@tls');
  assert.deepEqual(file.tick(), []);
  messages.write(bytes, 0, bytes.length, probedPacket(4), process.pid);
  const [line = '', ...more] = file.tick();
  assert.match(line, /^-O \S+one\.pcap: messages of TLS probes have no frame, .* name it \.pcapng$/);
  assert.deepEqual(more, []);
  messages.write(bytes, 0, bytes.length, probedPacket(4), process.pid);
  assert.deepEqual(file.tick(), []);
  assert.deepEqual(Object.fromEntries(file.losses()), { lost: 0, link_refused: 0, messages_refused: 2, cut: 0 });
  file.close();
});

test('the name of a program is read again after a while, and kept when the process has gone', (t) => {
  const folder = temporaryFolder(t);
  const become = (program: string | null): void => {
    mkdirSync(join(folder, '7'), { recursive: true });
    rmSync(join(folder, '7/exe'), { force: true });
    if (program !== null) symlinkSync(program, join(folder, '7/exe'));
  };
  const names = new ProcessNames(folder);
  assert.equal(names.name(7, 0), '');
  become(`/usr/bin/na\nme${'x'.repeat(100)} (deleted)`);
  assert.equal(names.name(7, 0), '', 'it was not there a moment ago');
  assert.equal(names.name(7, 11e6), `na·me${'x'.repeat(43)}`);
  become(null);
  writeFileSync(join(folder, '7/comm'), 'worker\n');
  assert.equal(names.name(7, 22e6), 'worker');
  rmSync(join(folder, '7'), { recursive: true });
  assert.equal(names.name(7, 33e6), 'worker');
});
