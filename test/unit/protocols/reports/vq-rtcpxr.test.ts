/** Reports of RFC 6035 as phones write them: in the order of the RFC and in others, folded, cut short, and by other hands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QualityReport } from '../../../../src/protocols/reports/quality-report.ts';
import { parseVqReport } from '../../../../src/protocols/reports/vq-rtcpxr.ts';

function read(text: string): QualityReport {
  const bytes = Buffer.from(text);
  const parsed = parseVqReport(bytes, 0, bytes.length);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.reason);
  return parsed.value;
}

function reasonOf(text: string): string {
  const bytes = Buffer.from(text);
  const parsed = parseVqReport(bytes, 0, bytes.length);
  return parsed.ok ? 'read' : parsed.reason;
}

const crlf = (lines: string): string =>
  lines
    .trim()
    .split('\n')
    .map((line) => `${line}\r\n`)
    .join('');

/** All that RFC 6035 section 4.6.1 has, with figures of our own. */
const WHOLE = crlf(`
VQSessionReport: CallTerm
CallID: 6dg37f1890463@kiosk.example.net
LocalID: Front desk <sip:1201@example.net>
RemoteID: Yard <sip:1202@example.net>
OrigID: Front desk <sip:1201@example.net>
LocalGroup: hall-a
RemoteGroup: hall-b
LocalAddr: IP=192.0.2.10 PORT=5000 SSRC=1a3b5c7d
LocalMAC: 00:1f:5b:cc:21:0f
RemoteAddr: IP=192.0.2.20 PORT=5002 SSRC=0x2468ace0
RemoteMAC: 00:26:08:8e:95:02
LocalMetrics:
Timestamps: START=2026-10-10T18:23:43Z STOP=2026-10-10T18:26:02Z
SessionDesc: PT=18 PD=G729 SR=8000 FD=20 FO=20 FPP=2 PPS=50 FMTP="annexb=no" PLC=3 SSUP=on
JitterBuffer: JBA=3 JBR=2 JBN=40 JBM=80 JBX=120
PacketLoss: NLR=5.0 JDR=2.0
BurstGapLoss: BLD=0 BD=0 GLD=2.0 GD=500 GMIN=16
Delay: RTD=200 ESD=140 OWD=100 IAJ=2 MAJ=10
Signal: SL=-18 NL=-50 RERL=55
QualityEst: RLQ=88 RCQ=85 EXTRI=90 MOSLQ=4.1 MOSCQ=4.0 QoEEstAlg=P.564
RemoteMetrics:
Timestamps: START=2026-10-10T18:23:43Z STOP=2026-10-10T18:26:02Z
JitterBuffer: JBA=3 JBR=2 JBN=42 JBM=82 JBX=122
PacketLoss: NLR=0.5 JDR=1.0
Delay: RTD=190 ESD=120 IAJ=9
QualityEst: RLQ=91 RCQ=87 MOSLQ=4.3 MOSCQ=4.2
x-box-uptime: 7200
DialogID: 6dg37f1890463@kiosk.example.net;to-tag=8472761;from-tag=9123dh311
`);

test('a session report gives both directions, its call, its ends and its times', () => {
  const r = read(WHOLE);
  assert.equal(r.kind, 'session');
  assert.equal(r.callId, '6dg37f1890463@kiosk.example.net');
  assert.equal(r.user, 'Front desk <sip:1201@example.net>');
  assert.equal(r.mac, '00:1f:5b:cc:21:0f');
  assert.equal(r.codec, 'G729');
  assert.deepEqual(r.remote, { address: '192.0.2.20', port: 5002, ssrc: 0x2468ace0 });
  // The examples of the RFC leave 0x out now and then.
  assert.deepEqual(r.local, { address: '192.0.2.10', port: 5000, ssrc: 0x1a3b5c7d });
  assert.equal(r.stopUs - r.startUs, 139_000_000);
  assert.deepEqual(r.heard, {
    bufferMs: 40,
    bufferMaxMs: 80,
    lossPct: 5,
    discardPct: 2,
    burstLossPct: 0,
    burstMs: 0,
    gapLossPct: 2,
    gapMs: 500,
    roundTripMs: 200,
    endSystemDelayMs: 140,
    oneWayDelayMs: 100,
    jitterMs: 2,
    jitterMaxMs: 10,
    signalDbm: -18,
    noiseDbm: -50,
    echoReturnLossDb: 55,
    rLq: 88,
    rCq: 85,
    mosLq: 4.1,
    mosCq: 4,
  });
  assert.deepEqual(r.sent, {
    bufferMs: 42,
    bufferMaxMs: 82,
    lossPct: 0.5,
    discardPct: 1,
    roundTripMs: 190,
    endSystemDelayMs: 120,
    jitterMs: 9,
    rLq: 91,
    rCq: 87,
    mosLq: 4.3,
    mosCq: 4.2,
  });
  assert.deepEqual(r.own, [['x-box-uptime', '7200']]);
});

test('line feeds alone, folds, capitals and another order change nothing', () => {
  const whole = read(WHOLE);
  assert.deepEqual(read(WHOLE.replaceAll('\r\n', '\n')), whole);
  assert.deepEqual(read(WHOLE.replaceAll('\r\n', '\r')), whole);
  assert.deepEqual(read(WHOLE.replaceAll(' IAJ=', '\r\n  IAJ=').replace(' PORT=5002', '\r\n\tPORT=5002')), whole);
  assert.deepEqual(
    read(WHOLE.replaceAll(/^([A-Z][A-Za-z]+):/gm, (_, name: string) => `${name.toUpperCase()} :`)),
    whole,
  );
  const [first = '', ...rest] = WHOLE.split(/(?=LocalMetrics:|DialogID:)/);
  assert.deepEqual(read([first.replace(/^VQ.*\r\n/, ''), 'VQSessionReport\r\n', ...rest].join('')), whole);
});

test('an interval report and an alert say so', () => {
  assert.equal(read('VQIntervalReport\r\nLocalMetrics:\r\nPacketLoss:NLR=0.0 JDR=0.1\r\n').kind, 'interval');
  const alert = read(
    'VQAlertReport: Type=RLQ Severity=Warning Dir=local\r\nCallID: a@b\r\nMetrics:\r\nQualityEst: RLQ=60\r\n',
  );
  assert.deepEqual([alert.kind, alert.alert, alert.callId, alert.heard.rLq], ['alert', 'RLQ Warning', 'a@b', 60]);
});

test('what means unknown, and what cannot be, is left out', () => {
  const r = read(
    'VQSessionReport\nLocalMetrics:\nPacketLoss: NLR=120.0 JDR=-1\nDelay: RTD=0 ESD=99999999999999 IAJ=1e3\nSignal: SL=127 NL=127 RERL=127\nQualityEst: RCQ=127 MOSLQ=12.7 MOSCQ=3.9\nJitterBuffer: JBX=65535 JBN=NaN JBM=65535\n',
  );
  assert.deepEqual(r.heard, { mosCq: 3.9 });
  assert.equal(reasonOf('VQSessionReport\nLocalMetrics:\nPacketLoss: NLR=120.0\n'), 'no_figures');
});

test('what is no report is refused by a reason', () => {
  assert.equal(reasonOf(''), 'no_report');
  assert.equal(reasonOf('PacketLoss: NLR=1\r\n'), 'no_report');
  assert.equal(reasonOf('VQSessionReport: CallTerm\r\nCallID: a@b\r\n'), 'no_figures');
  assert.equal(reasonOf(`VQSessionReport\r\n${'x-more: y\r\n'.repeat(6_000)}`), 'too_long');
});

/** As documents of vendors show theirs; figures, names and addresses are ours. */
const SHAPES: readonly (readonly [name: string, text: string, told: Partial<QualityReport>])[] = [
  [
    'a desk phone without blanks, whose PUBLISH has the Call-ID of the call',
    'VQSessionReport\r\nLocalMetrics:\r\nTimestamps:START=2026-02-17T13:59:42Z STOP=2026-02-17T13:59:52Z\r\nSessionDesc:PT=0 PD=G.711U PPS=50 SSUP=off\r\nCallID:3c26a8\r\nx-UserAgent:desk/8.2\r\nFromID:<sip:446@example.net>\r\nLocalAddr:IP=192.0.2.5 PORT=62754 SSRC=0xCBE3450E\r\nRemoteAddr:IP=192.0.2.6 PORT=54018 SSRC=0xB80B52F3\r\nJitterBuffer:JBA=0 JBR=0 JBN=0 JBM=0 JBX=65535\r\nPacketLoss:NLR=0.8 JDR=0.0\r\nDelay:RTD=0 ESD=0 IAJ=4\r\nRemoteMetrics:\r\nPacketLoss:NLR=0.4 JDR=0.0\r\nDelay:RTD=0 ESD=0 IAJ=2\r\n',
    {
      callId: '3c26a8',
      user: '<sip:446@example.net>',
      codec: 'G.711U',
      heard: { bufferMs: 0, bufferMaxMs: 0, lossPct: 0.8, discardPct: 0, jitterMs: 4 },
      sent: { lossPct: 0.4, discardPct: 0, jitterMs: 2 },
    },
  ],
  [
    'a gateway with an equals sign after CallID, and a line broken without a blank',
    'VQSessionReport\r\nCallID=20328634741@192.0.2.201\r\nLocalID: <sip:1000@192.0.2.201>\r\nLocalAddr: IP=192.0.2.201 Port=6000 SSRC=0x54c62a13\r\nLocalGroup: \r\nLocalMetrics: \r\nPacketLoss: NLR=0.00 JDR=0.00\r\nDelay: RTD=0 ESD=11 \r\nQualityEst: RLQ=93 MOSLQ=4.1 \r\nMOSCQ=4.10 \r\n',
    {
      callId: '20328634741@192.0.2.201',
      local: { address: '192.0.2.201', port: 6000, ssrc: 0x54c62a13 },
      heard: { lossPct: 0, discardPct: 0, endSystemDelayMs: 11, rLq: 93, mosLq: 4.1, mosCq: 4.1 },
    },
  ],
  [
    'a soft phone that writes SSRCs as signed decimals',
    'VQSessionReport: CallTerm\r\nCallID: xT5\r\nLocalID: sip:a@example.net\r\nRemoteID: sip:b@example.net\r\nOrigID: sip:a@example.net\r\nLocalAddr: IP=192.0.2.7 PORT=7078 SSRC=-2\r\nRemoteAddr: IP=2001:db8::7 PORT=7178 SSRC=77\r\nLocalMetrics:\r\nPacketLoss: NLR=3.125000 JDR=0.000000\r\nQualityEst: MOSLQ=3.9 MOSCQ=3.8\r\n',
    {
      callId: 'xT5',
      local: { address: '192.0.2.7', port: 7078, ssrc: 0xffff_fffe },
      remote: { address: '2001:db8::7', port: 7178, ssrc: 77 },
      heard: { lossPct: 3.125, discardPct: 0, mosLq: 3.9, mosCq: 3.8 },
    },
  ],
  [
    'a browser client that knows no SSRC, and names the call in DialogID alone',
    'VQSessionReport: CallTerm\r\nLocalID: 101\r\nLocalAddr: IP=192.0.2.8 SSRC=0x00000000\r\nRemoteAddr: IP= SSRC=0x00000000\r\nLocalMetrics:\r\nTimestamps: START=0 STOP=0\r\nSessionDesc: PT=0 PD=opus SR=0\r\nPacketLoss: NLR=1.25 JDR=0\r\nDelay: RTD=34.5 ESD=0 SOWD=0 IAJ=0\r\nQualityEst: MOSLQ=0 MOSCQ=4.2\r\nDialogID: web-1;to-tag=t;from-tag=f',
    {
      callId: 'web-1',
      local: { address: '192.0.2.8', port: 0, ssrc: null },
      remote: null,
      codec: 'opus',
      heard: { lossPct: 1.25, discardPct: 0, roundTripMs: 34.5, jitterMs: 0, mosCq: 4.2 },
    },
  ],
  [
    'a phone whose figures stand in lines without names',
    'VQSessionReport: CallTerm\r\nCallID: n1\r\nLocalMetrics:\r\nNLR=0.50 JDR=1.20 BLD=0.30 GLD=0.10\r\nRTD=45.5 ESD=20.3 IAJ=5.2\r\n',
    {
      callId: 'n1',
      heard: {
        lossPct: 0.5,
        discardPct: 1.2,
        burstLossPct: 0.3,
        gapLossPct: 0.1,
        roundTripMs: 45.5,
        endSystemDelayMs: 20.3,
        jitterMs: 5.2,
      },
    },
  ],
  [
    'an alert in the midst of a call, with what is bad alone',
    'VQAlertReport: Type=NLR Severity=Critical Dir=local\r\nCallID: al1\r\nLocalID: <sip:9@example.net>\r\nMetrics: \r\nTimestamps: START=2026-10-10T18:23:43Z STOP=2026-10-10T18:26:02Z\r\nPacketLoss: NLR=12.0 JDR=0.0\r\n',
    { kind: 'alert', alert: 'NLR Critical', heard: { lossPct: 12, discardPct: 0 } },
  ],
];

for (const [name, text, told] of SHAPES) {
  test(`read: ${name}`, () => {
    const r = read(text);
    for (const [key, value] of Object.entries(told)) assert.deepEqual(r[key as keyof QualityReport], value, key);
  });
}
