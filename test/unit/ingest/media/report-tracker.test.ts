/** Reports of phones find their call, by SIP and by HEP, once each; those of strangers are told apart, and none fills the memory. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB, basicCall, callIdOf } from '../../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { hep3 } from '../../../../fixtures/build/hep.ts';
import type { Endpoint } from '../../../../fixtures/build/packet.ts';
import { reportsOf } from '../../../../src/analysis/media/phone-reports.ts';
import { finish } from '../../../../src/core/turns.ts';
import { MAX_CALL_REPORTS, MAX_STRANGE_REPORTS } from '../../../../src/store/media/phone-reports.ts';
import { callDocumentSteps } from '../../../../src/view/documents.ts';
import { hepCapture } from '../../../helpers/hep-capture.ts';
import type { OpenSession } from '../../../helpers/open-session.ts';
import { readCapture } from '../../../helpers/read-capture.ts';

const COLLECTOR: Endpoint = { address: '203.0.113.80', port: 5060 };
const STRANGER: Endpoint = { address: '203.0.113.99', port: 5060 };
const CALL = callIdOf('reported');

type Sent = { readonly atMs: number; readonly src?: Endpoint; readonly body: string; readonly type?: string };

let branch = 0;
function publish({ atMs, src = BOB.sip, body, type = 'application/vq-rtcpxr' }: Sent) {
  branch++;
  const head = [
    'PUBLISH sip:collector@example.net SIP/2.0',
    `Via: SIP/2.0/UDP ${src.address}:5060;branch=z9hG4bKreport${branch}`,
    'From: <sip:bob@example.net>;tag=1',
    'To: <sip:collector@example.net>',
    `Call-ID: publish-${branch}@${src.address}`,
    'CSeq: 1 PUBLISH',
    'Max-Forwards: 70',
    'Event: vq-rtcpxr',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return {
    tsUs: EPOCH_US + atMs * 1000,
    src,
    dst: COLLECTOR,
    bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`),
  };
}

const report = (nlr: number | string, kind = 'VQSessionReport: CallTerm', callId = CALL): string =>
  `${kind}\r\nCallID: ${callId}\r\nLocalMetrics:\r\nPacketLoss: NLR=${nlr} JDR=0.0\r\n`;

async function read(t: TestContext, sent: readonly Sent[]): Promise<OpenSession> {
  const call = basicCall('reported');
  const capture = new Capture().add(call.messages).add(sent.map(publish));
  return (await readCapture(t, capture.pcap())).session;
}

function callIn(session: OpenSession) {
  const d = session.dialogs.get(CALL);
  assert.ok(d !== undefined);
  return d;
}

const losses = (session: OpenSession): (number | undefined)[] =>
  reportsOf(callIn(session), session.ingest.stores, []).map(({ report: r }) => r.heard.lossPct);

test('a report comes to the call that it names, also long after its end', async (t) => {
  const session = await read(t, [
    { atMs: 3_000, body: report(1.5, 'VQIntervalReport') },
    { atMs: 900_000, body: report(2.5) },
  ]);
  assert.deepEqual(losses(session), [1.5, 2.5]);
  const document = finish(callDocumentSteps(session.evidence, callIn(session)));
  assert.deepEqual(
    document.phone_reports?.map(({ kind, from, verified_by, heard }) => [kind, from, verified_by, heard]),
    [
      ['interval', BOB.sip.address, 'address', { loss_pct: 1.5, discard_pct: 0 }],
      ['session', BOB.sip.address, 'address', { loss_pct: 2.5, discard_pct: 0 }],
    ],
  );
  assert.deepEqual(document.reported, { loss_pct: 2.5 });
});

test('in a multipart body too, and the same report again is a copy', async (t) => {
  const type = 'multipart/mixed;boundary=x';
  const body = `--x\r\nContent-Type: text/plain\r\n\r\nhello\r\n--x\r\nContent-Type: application/vq-rtcpxr\r\n\r\n${report(4)}\r\n--x--\r\n`;
  const session = await read(t, [
    { atMs: 30_000, body, type },
    { atMs: 30_500, body: report(4) },
    { atMs: 31_000, body: report(4) },
  ]);
  assert.deepEqual(losses(session), [4]);
  assert.equal(session.ingest.reports.copies, 2);
  assert.equal(session.ingest.reports.kept.session, 1);
});

test('of no call here, or no report at all: counted', async (t) => {
  const session = await read(t, [
    { atMs: 30_000, body: report(4, undefined, 'nobody-has-this') },
    { atMs: 30_100, body: 'hello' },
    { atMs: 30_200, body: report('NaN').replace('JDR=0.0', 'JDR=-1') },
    { atMs: 30_300, body: report(4).padEnd(60_000, 'x-more: yes\r\n') },
    { atMs: 30_400, body: '{}', type: 'application/json' },
  ]);
  assert.deepEqual(losses(session), []);
  const { no_call, no_report, too_long, no_figures } = Object.fromEntries(session.ingest.reports.refused);
  assert.deepEqual(
    { no_call, no_report, too_long, no_figures },
    { no_call: 1, no_report: 1, too_long: 1, no_figures: 1 },
  );
});

test('who has no part in the call is not believed, and gets little room', async (t) => {
  const strange = Array.from({ length: 3_000 }, (_, i) => ({
    atMs: 30_000 + i,
    src: STRANGER,
    body: report(i / 100 + 50),
  }));
  const session = await read(t, [...strange, { atMs: 40_000, body: report(0.5) }]);
  const all = reportsOf(callIn(session), session.ingest.stores, []);
  assert.equal(all.filter(({ proof }) => proof === null).length, MAX_STRANGE_REPORTS);
  assert.deepEqual(
    all.flatMap(({ proof, report: { heard } }) => (proof === null ? [] : [heard.lossPct])),
    [0.5],
  );
  assert.equal(session.ingest.reports.refused.get('strange_beyond_call'), 3_000 - MAX_STRANGE_REPORTS);
  const document = finish(callDocumentSteps(session.evidence, callIn(session)));
  assert.deepEqual(document.reported, { loss_pct: 0.5 });
  assert.equal(document.phone_reports?.[0]?.verified_by, undefined);
});

test('thousands of a party: the newest interval reports stay, and the last word', async (t) => {
  const intervals = Array.from({ length: 2_000 }, (_, i) => ({
    atMs: 3_000 + i,
    body: report(i / 100, 'VQIntervalReport'),
  }));
  const finals = Array.from({ length: 100 }, (_, i) => ({ atMs: 30_000 + i, body: report(30 + i / 10) }));
  const session = await read(t, [...intervals, ...finals]);
  const all = losses(session);
  assert.equal(all.length, MAX_CALL_REPORTS);
  assert.deepEqual(
    all,
    finals.slice(0, MAX_CALL_REPORTS).map((_, i) => 30 + i / 10),
  );
  assert.equal(session.ingest.stores.reports.shed, 2_000);
  assert.equal(session.ingest.reports.refused.get('beyond_call'), 100 - MAX_CALL_REPORTS);
});

test('HEP: text of a phone, the message that brought it, and JSON of agents', async (t) => {
  const call = basicCall('reported');
  const at = (ms: number) => ({ src: BOB.sip, dst: COLLECTOR, tsUs: EPOCH_US + ms * 1000 });
  const json = { RTP_SIP_CALL_ID: CALL, TOTAL_PK: 90, PACKET_LOSS: 10, MOS: 3.2, TYPE: 'HANGUP' };
  const sides = {
    INC_ID: CALL,
    INC_RTP_PK: 80,
    INC_RTP_PK_LOSS: 20,
    OUT_ID: 'elsewhere',
    OUT_RTP_PK: 1,
    OUT_RTP_PK_LOSS: 0,
  };
  const payloads: readonly (readonly [number, Uint8Array, string?])[] = [
    [35, Buffer.from(report(3))],
    [35, publish({ atMs: 0, body: report(5) }).bytes],
    [34, Buffer.from(JSON.stringify(json))],
    [38, Buffer.from(JSON.stringify(sides))],
    // It names the call in its packet alone.
    [35, Buffer.from('VQSessionReport\r\nLocalMetrics:\r\nPacketLoss: NLR=7.0\r\n'), CALL],
    [34, Buffer.from('{"MOS":')],
    [100, Buffer.from('a log line')],
  ];
  const packets = [
    ...call.messages.map((m) => ({ tsUs: m.tsUs + 2_000, datagram: hep3({ ...m, payload: m.bytes }) })),
    ...payloads.map(([protocolType, payload, correlationId], i) => ({
      tsUs: EPOCH_US + 40_000_000 + i,
      datagram: hep3(
        { ...at(40_000), payload },
        { protocolType, ...(correlationId === undefined ? {} : { correlationId }) },
      ),
    })),
  ];
  const { session } = await readCapture(t, hepCapture(packets), ['-E']);
  const all = reportsOf(callIn(session), session.ingest.stores, []);
  assert.deepEqual(
    all.map(({ report: { kind, heard }, proof }) => [kind, heard.lossPct, proof]),
    [
      ['session', 3, 'agent'],
      ['session', 5, 'agent'],
      ['hep', 10, 'agent'],
      ['hep', 20, 'agent'],
      ['session', 7, 'agent'],
    ],
  );
  const { hep, reports } = session.ingest;
  assert.deepEqual([hep.otherTypes, reports.refused.get('bad_json'), reports.refused.get('no_call')], [1, 1, 1]);
});

test('a dialog that goes takes its reports along', async (t) => {
  const call = basicCall('reported');
  const others = Array.from({ length: 60 }, (_, i) => basicCall(`later-${i}`, { startUs: EPOCH_US + 100e6 + i * 1e6 }));
  const capture = new Capture()
    .add(call.messages)
    .add([publish({ atMs: 30_000, body: report(4) })])
    .add(others.flatMap(({ messages }) => messages));
  const { session } = await readCapture(t, capture.pcap(), ['--max-dialogs', '50']);
  assert.equal(session.dialogs.get(CALL), undefined);
  assert.deepEqual([session.ingest.stores.reports.size, session.ingest.stores.reports.bytes], [0, 0]);
});

test('what Alice says in her BYE is of her side', async (t) => {
  const call = basicCall('reported');
  const bytes = call.messages.map((m) => {
    const text = Buffer.from(m.bytes).toString('latin1');
    return text.startsWith('BYE ')
      ? Buffer.from(text.replace('\r\nContent-Length', '\r\nP-RTP-Stat: PR=99,PL=1\r\nContent-Length'))
      : m.bytes;
  });
  const capture = new Capture().add(call.messages.map((m, i) => ({ ...m, bytes: bytes[i] ?? m.bytes })));
  const { session } = await readCapture(t, capture.pcap());
  const [one, ...more] = reportsOf(callIn(session), session.ingest.stores, []);
  assert.deepEqual([one?.side, one?.from, one?.proof, more.length], [0, ALICE.sip.address, 'address', 0]);
});
