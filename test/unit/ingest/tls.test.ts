/** Records of the TLS probes, through the same pipeline as every other source, to dialogs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import { TRANSPORT } from '../../../src/core/words.ts';
import { TlsIngest } from '../../../src/ingest/tls.ts';
import { RecordBatch } from '../../../src/sources/record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES, TLS_FLAG, TLS_LIBRARY_SHIFT } from '../../../src/sources/records.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { openSession } from '../../helpers/open-session.ts';

/** enum ct_tls_library of bpf/tls_event.h. */
const OPENSSL = 1;

type Row = {
  readonly kind: number;
  readonly id?: number;
  readonly data?: string;
  readonly offset?: number;
  readonly flags?: number;
  readonly tsUs?: number;
  /** source and destination port; null: not known. */
  readonly ports?: readonly [number, number] | null;
  readonly pid?: number;
};

function batchOf(rows: readonly Row[]): RecordBatch {
  const texts = rows.map((r) => Buffer.from(r.data ?? '', 'latin1'));
  const descriptors = new Uint8Array(rows.length * RECORD_BYTES);
  const view = new DataView(descriptors.buffer);
  let at = 0;
  rows.forEach((r, i) => {
    const o = i * RECORD_BYTES;
    const length = texts[i]?.length ?? 0;
    const ports = r.ports === undefined ? ([40_000, 5061] as const) : r.ports;
    view.setFloat64(o + OFFSET.tsUs, r.tsUs ?? 1_700_000_000_000_000 + i * 1000, true);
    view.setFloat64(o + OFFSET.frame, r.offset ?? 0, true);
    view.setUint32(o + OFFSET.digest, r.pid ?? 100, true);
    view.setUint32(o + OFFSET.off, at, true);
    view.setUint32(o + OFFSET.len, length, true);
    view.setUint32(o + OFFSET.aux0, r.id ?? 1, true);
    view.setUint32(o + OFFSET.aux2, (r.flags ?? 0) | (OPENSSL << TLS_LIBRARY_SHIFT), true);
    descriptors[o + OFFSET.kind] = r.kind;
    descriptors[o + OFFSET.origin] = 2;
    descriptors[o + OFFSET.ipVersion] = ports === null ? 0 : 4;
    if (ports !== null) {
      view.setUint16(o + OFFSET.srcPort, ports[0], true);
      view.setUint16(o + OFFSET.dstPort, ports[1], true);
      descriptors.set([127, 0, 0, 1], o + OFFSET.src);
      descriptors.set([127, 0, 0, 1], o + OFFSET.dst);
    }
    at += length;
  });
  return new RecordBatch(Buffer.concat(texts), descriptors);
}

function invite(callId: string, body = ''): string {
  return message('INVITE sip:bob@example.com SIP/2.0', callId, '1 INVITE', '', body);
}

function message(start: string, callId: string, cseq: string, toTag = '', body = ''): string {
  return [
    start,
    'Via: SIP/2.0/TLS 127.0.0.1:40000;branch=z9hG4bKtls1',
    'From: <sip:alice@example.com>;tag=a',
    `To: <sip:bob@example.com>${toTag}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq}`,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

function setUp() {
  const session = openSession(['-I', 'x.pcap']);
  const ingest = new TlsIngest(session.ingest.sip, () => {});
  const feed = (...rows: Row[]): void => ingest.onRecords(batchOf(rows), rows.length);
  return { session, ingest, feed };
}

test('a call read from TLS is a dialog of origin uprobe, on any port, with the transport TLS', () => {
  const { session, feed } = setUp();
  feed(
    { kind: KIND.TLS_DATA, data: invite('one@tls'), ports: [40_000, 15_061] },
    {
      kind: KIND.TLS_DATA,
      data: message('SIP/2.0 200 OK', 'one@tls', '1 INVITE', ';tag=b'),
      flags: TLS_FLAG.WRITTEN,
      ports: [15_061, 40_000],
    },
  );
  const d = session.dialogs.get('one@tls');
  assert.ok(d !== undefined);
  assert.equal(dialogDocument(session.evidence, d).input_origin, 'uprobe');
  assert.equal(dialogDocument(session.evidence, d).state, 'InCall');
  assert.equal(d.msgCount, 2);
  assert.equal(session.log.transport(d.headRow), TRANSPORT.TLS);
  session.close();
});

test('client and server on one host are one call without retransmissions; a real one still counts', () => {
  const { session, ingest, feed } = setUp();
  const text = invite('both@tls');
  feed(
    { kind: KIND.TLS_DATA, id: 1, data: text, flags: TLS_FLAG.WRITTEN, pid: 1 },
    { kind: KIND.TLS_DATA, id: 2, data: text, pid: 2, tsUs: 1_700_000_000_009_000 },
  );
  const d = session.dialogs.get('both@tls');
  assert.deepEqual([d?.msgCount, d?.retransmits, ingest.bothEnds.seconds], [1, 0, 1]);
  feed(
    {
      kind: KIND.TLS_DATA,
      id: 1,
      offset: text.length,
      data: text,
      flags: TLS_FLAG.WRITTEN,
      tsUs: 1_700_000_000_509_000,
    },
    { kind: KIND.TLS_DATA, id: 2, offset: text.length, data: text, tsUs: 1_700_000_000_510_000 },
  );
  assert.deepEqual([d?.msgCount, d?.retransmits, ingest.bothEnds.seconds], [2, 1, 2]);
  session.close();
});

test('an address that nobody learned is no public peer, and makes no finding', () => {
  const { session, ingest, feed } = setUp();
  const body = sdp({ media: { address: '192.168.1.10', port: 4000 }, codecs: [CODEC.PCMU] });
  feed({ kind: KIND.TLS_DATA, data: invite('unbound@tls', body), ports: null });
  assert.equal(session.dialogs.get('unbound@tls'), undefined, 'it waits for its address');
  ingest.tick(1_700_000_000_200_000);
  const d = session.dialogs.get('unbound@tls');
  assert.ok(d !== undefined);
  assert.equal(ingest.streams.counters.unbound, 1);
  assert.equal(d.sdp?.[0]?.toPublicPeer, false);
  session.close();
});

test('a bind that comes a little later brings the address', () => {
  const { session, ingest, feed } = setUp();
  feed({ kind: KIND.TLS_DATA, data: invite('late@tls'), ports: null }, { kind: KIND.TLS_BIND, ports: [5061, 40_000] });
  const d = session.dialogs.get('late@tls');
  assert.ok(d !== undefined);
  assert.equal(ingest.streams.counters.unbound, 0);
  session.close();
});

test('what closes: one connection, a process, the source', () => {
  const { session, ingest, feed } = setUp();
  feed(
    { kind: KIND.TLS_DATA, id: 1, data: invite('c1'), pid: 9 },
    { kind: KIND.TLS_DATA, id: 2, data: invite('c2'), pid: 9 },
    { kind: KIND.TLS_DATA, id: 3, data: invite('c3'), pid: 8 },
    { kind: KIND.TLS_CLOSE, id: 1 },
  );
  assert.equal(ingest.streams.connections, 2);
  feed({ kind: KIND.TLS_CLOSE, id: 0, pid: 9 });
  assert.equal(ingest.streams.connections, 1);
  ingest.finish();
  assert.equal(ingest.streams.connections, 0);
  session.close();
});
