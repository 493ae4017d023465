/** Statistics: the busiest ports behind a gate, and losses under their own names. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALICE, BOB, basicCall, withPort } from '../../../fixtures/build/basic-call.ts';
import { bytes, concat, u16, u32 } from '../../../fixtures/build/bytes.ts';
import { callCases } from '../../../fixtures/build/calls.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { hep3 } from '../../../fixtures/build/hep.ts';
import { ip, PROTO } from '../../../fixtures/build/packet.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { busiestPorts, toStats } from '../../../src/view/stats.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import { asJson } from '../../helpers/json.ts';
import { openSession } from '../../helpers/open-session.ts';
import { readCapture, temporaryFolder } from '../../helpers/read-capture.ts';

test('the busiest ports add up both tallies, five at most, ties by number', () => {
  const native = new Uint32Array(65536);
  native[5062] = 3;
  native[5070] = 10;
  native[65535] = 1;
  const more = new Map([
    [5062, 4],
    [443, 7],
    [9, 1],
    [10, 1],
  ]);
  assert.deepEqual(busiestPorts(native, more), [
    { port: 5070, messages: 10 },
    { port: 443, messages: 7 },
    { port: 5062, messages: 7 },
    { port: 9, messages: 1 },
    { port: 10, messages: 1 },
  ]);
  assert.deepEqual(busiestPorts(new Uint32Array(65536), new Map()), []);
});

test('SIP outside the gate is counted by port and makes no dialog; a wider gate recovers it', async (t) => {
  const { messages } = basicCall('gate', { caller: withPort(ALICE, 5070), callee: withPort(BOB, 5080) });
  const bytes = new Capture().add(messages).pcap();
  const closed = toStats((await readCapture(t, bytes, ['--portrange', '5060-5061'])).session.figures);
  assert.equal(closed.dialogs.total, 0);
  assert.equal(closed.unanalysed_sip_messages, 7);
  assert.equal(
    closed.unanalysed_busiest_ports.reduce((n, p) => n + p.messages, 0),
    7,
  );
  assert.ok(closed.unanalysed_busiest_ports.every((p) => p.port === 5070 || p.port === 5080));
  const open = toStats((await readCapture(t, bytes, ['--portrange', '5070,5080'])).session.figures);
  assert.deepEqual([open.dialogs.total, open.unanalysed_sip_messages, open.unanalysed_busiest_ports], [1, 0, []]);
  // One port of the pair is enough.
  assert.equal(toStats((await readCapture(t, bytes, ['--portrange', '5080'])).session.figures).dialogs.total, 1);
});

test('SIP over SCTP is counted under its own name and makes no dialog', async (t) => {
  const { messages } = basicCall('sctp');
  const capture = new Capture();
  messages.forEach((m, i) => {
    // DATA with both ends of its message (RFC 9260 3.3.1).
    const chunk = concat(bytes(0, 3), u16(16 + m.bytes.length), u32(i, 0, 0), m.bytes);
    const padding = new Uint8Array(-chunk.length & 3);
    const packet = concat(u16(m.src.port, m.dst.port), u32(1, 0), chunk, padding);
    capture.addPackets([{ tsUs: m.tsUs, bytes: ip(m.src.address, m.dst.address, PROTO.SCTP, packet) }]);
  });
  const stats = toStats((await readCapture(t, capture.pcap())).session.figures);
  assert.deepEqual([stats.dialogs.total, stats.losses?.['frame_sip_over_sctp']], [0, messages.length]);
  assert.deepEqual([stats.capture_quality.undecodable_frames, stats.capture_quality.degraded], [messages.length, true]);
});

test('what cannot be read is counted by reason and makes the capture degraded', async (t) => {
  const call = basicCall('broken');
  const [invite] = call.messages;
  assert.ok(invite !== undefined);
  const at = (ms: number, text: string): SipMessage => ({
    ...invite,
    tsUs: invite.tsUs + ms * 1000,
    bytes: Buffer.from(text, 'latin1'),
  });
  const clean = toStats((await readCapture(t, new Capture().add(call.messages).pcap())).session.figures);
  assert.equal(clean.capture_quality.degraded, false);
  const broken = [
    // Cut inside its headers, as by a sender that broke off.
    at(10_000, 'INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bKx\r\nFrom: <si'),
    at(
      10_100,
      'OPTIONS sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bKy\r\nCSeq: 1 OPTIONS\r\n\r\n',
    ),
    at(10_200, 'no SIP at all'),
  ];
  const { session } = await readCapture(t, new Capture().add([...call.messages, ...broken]).pcap());
  const { capture_quality: quality } = toStats(session.figures);
  assert.equal(quality.sip_without_call_id, 2);
  assert.equal(quality.degraded, true);
  assert.equal(session.dialogs.size, 1);
});

test('HEP in a capture: refused datagrams are counted, and only with -E is it read', async (t) => {
  const call = basicCall('hep');
  const agent = { address: '203.0.113.9', port: 45060 };
  const collector = { address: '203.0.113.60', port: 9060 };
  const datagrams = call.messages.map((m) => ({
    tsUs: m.tsUs + 2000,
    src: agent,
    dst: collector,
    bytes: hep3({ src: m.src, dst: m.dst, tsUs: m.tsUs, payload: m.bytes }),
  }));
  const [first] = datagrams;
  assert.ok(first !== undefined);
  // A chunk that claims to reach beyond the packet.
  const broken = { ...first, tsUs: first.tsUs + 9e6, bytes: first.bytes.slice() };
  broken.bytes.set([0xff, 0xff], 10);
  const bytes = new Capture().add([...datagrams, broken]).pcap();
  const { session } = await readCapture(t, bytes, ['-E']);
  const [d] = [...session.dialogs.oldestFirst()];
  assert.deepEqual([d?.callId, d?.msgCount, d?.origin], [call.callId, 7, 1]);
  assert.equal(d?.createdUs, call.messages[0]?.tsUs, 'the time inside counts');
  assert.equal(toStats(session.figures).capture_quality.hep_rejected, 1);
  assert.equal((await readCapture(t, bytes)).session.dialogs.size, 0);
});

test('streams that their description calls SRTP are a caveat, each counted once', async (t) => {
  const counted = async (name: string): Promise<readonly number[]> => {
    const found = callCases().find((c) => c.name === name);
    assert.ok(found !== undefined);
    const { session } = await readCapture(t, found.bytes);
    const s = toStats(session.figures);
    return [s.streams.established, s.caveats.encrypted_media_streams];
  };
  assert.deepEqual(await counted('srtp-sdes'), [2, 2]);
  assert.deepEqual(await counted('dtmf'), [2, 0]);
});

test('the document is valid before a capture is read and after', async (t) => {
  const path = join(temporaryFolder(t), 'valid.pcap');
  writeFileSync(path, new Capture().add(basicCall('valid').messages).pcap());
  const session = openSession(['-I', path]);
  t.after(() => session.close());
  const before = toStats(session.figures);
  await session.read([path], () => undefined);
  assertDocument('Stats', asJson(before));
  assertDocument('Stats', asJson(toStats(session.figures)));
  assert.deepEqual([asJson(before)['source'], asJson(before)['source_exhausted']], ['unknown', false]);
  assert.deepEqual([toStats(session.figures).source, toStats(session.figures).source_exhausted], ['file', true]);
});
