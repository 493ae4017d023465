/**
 * How calls sounded, by cells of time, against the losses by which the capture was made: MOS by the E-model written out here
 * (ITU-T G.107, G.711 with concealment by G.113 appendix I), and lost of sent packets.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rtpStream, voice } from '../../../fixtures/build/rtp.ts';
import { finish } from '../../../src/core/turns.ts';
import { overviewSteps } from '../../../src/view/overview.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { Recorder } from '../../helpers/recorder.ts';

const EPOCH_US = 1_700_000_040 * 1e6;
const PHONE = '198.51.100.1';
const CARRIER = '203.0.113.1';
/** Two windows of five seconds. */
const PACKETS = 500;
/** One packet of so many is lost in a direction; 0 for none. Each divides the packets of a window. */
const LOSSES = [0, 0, 0, 0, 125, 50, 25, 10] as const;

type Call = { readonly atSec: number; readonly sent: number; readonly came: number };

/** 90 calls over 15 minutes; each direction has its own loss. */
const CALLS = Array.from({ length: 90 }, (_, i): Call => {
  const loss = (n: number): number => LOSSES[n % LOSSES.length] ?? 0;
  return { atSec: i * 10 + ((i * 7) % 5), sent: loss(i * 5 + 3), came: loss(i * 3 + (i >> 3)) };
});

const lostOf = (every: number): number => (every === 0 ? 0 : PACKETS / every);

function mosOf(every: number): number {
  const pct = every === 0 ? 0 : 100 / every;
  const r = 93.2 - (95 * pct) / (pct + 25.1);
  return 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
}

function sdp(address: string, port: number): string {
  return `v=0\r\no=- 1 1 IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 8\r\n`;
}

function record(recorder: Recorder, { atSec, sent, came }: Call, i: number): void {
  const [callId, from, to] = [`sound-${i}@x`, 20_000 + 2 * i, 30_000 + 2 * i];
  const say = (sec: number, isCaller: boolean, start: string, cseq: string, body = ''): void => {
    const via = `Via: SIP/2.0/UDP ${PHONE};branch=z9hG4bK${i}${cseq.replace(' ', '')}\r\n`;
    const tag = start.startsWith('INVITE') ? '' : ';tag=b';
    const ends = `From: <sip:1@x>;tag=a${i}\r\nTo: <sip:2@x>${tag}\r\nCall-ID: ${callId}\r\nCSeq: ${cseq}\r\n`;
    const type = body === '' ? '' : 'Content-Type: application/sdp\r\n';
    const text = `${start}\r\n${via}${ends}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
    recorder.send(atSec + sec, isCaller ? PHONE : CARRIER, isCaller ? CARRIER : PHONE, text);
  };
  say(0, true, 'INVITE sip:2@x SIP/2.0', '1 INVITE', sdp(PHONE, from));
  say(0.2, false, 'SIP/2.0 200 OK', '1 INVITE', sdp(CARRIER, to));
  say(0.21, true, 'ACK sip:2@x SIP/2.0', '1 ACK');
  const [a, b] = [
    { address: PHONE, port: from },
    { address: CARRIER, port: to },
  ];
  const startUs = EPOCH_US + Math.round((atSec + 0.25) * 1e6);
  for (const [src, dst, every, ssrc] of [[a, b, sent, 2 * i + 1] as const, [b, a, came, 2 * i + 2] as const]) {
    const lost = new Set(every === 0 ? [] : Array.from({ length: PACKETS / every }, (_, n) => n * every + 1));
    const plan = voice({ payloadType: 8, count: PACKETS });
    recorder.capture.add(rtpStream({ src, dst, ssrc, startUs }, plan, { lost }).datagrams);
  }
  say(10.5, true, 'BYE sip:2@x SIP/2.0', '2 BYE');
  say(10.52, false, 'SIP/2.0 200 OK', '2 BYE');
}

/** Of nearest rank. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
}

test('MOS and loss of each cell, and of the whole span, are those of the plan', async (t) => {
  const recorder = new Recorder(EPOCH_US);
  for (const [i, call] of CALLS.entries()) record(recorder, call, i);
  const { session } = await readCapture(t, recorder.capture.pcap(), ['--trunks']);
  const { span } = finish(overviewSteps(session.figures, { minutes: 60 }));
  assert.ok(span !== undefined);
  const check = ({ mos, loss_pct: lossPct }: typeof span.figures, own: readonly Call[], what: string): void => {
    assert.equal(mos?.count ?? 0, own.length, what);
    const worst = own.map(({ sent, came }) => Math.min(mosOf(sent), mosOf(came)));
    for (const [name, share] of [
      ['p05', 0.05],
      ['p50', 0.5],
    ] as const) {
      const exact = quantile(worst, share);
      const shown = mos?.[name] ?? Number.NaN;
      if (own.length > 0)
        assert.ok(Math.abs(shown / exact - 1) <= 0.0101, `${what} ${name}: ${shown}, exactly ${exact}`);
    }
    const lost = own.reduce((n, { sent, came }) => n + lostOf(sent) + lostOf(came), 0);
    if (own.length > 0) assert.equal(lossPct?.toFixed(2), ((100 * lost) / (own.length * 2 * PACKETS)).toFixed(2), what);
  };
  check(span.figures, CALLS, 'all');
  let checked = 0;
  for (const cell of span.cells) {
    const fromSec = (Date.parse(cell.at) * 1000 - EPOCH_US) / 1e6;
    const own = CALLS.filter(({ atSec }) => atSec >= fromSec && atSec < fromSec + 60);
    check(cell, own, cell.at);
    checked += own.length;
  }
  assert.equal(checked, CALLS.length);
});
