/** Reports of phones of any text are read or refused by a reason: never thrown at, never a figure that cannot be, linear in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAgentJson } from '../../src/protocols/reports/agent-json.ts';
import type { QualityReport } from '../../src/protocols/reports/quality-report.ts';
import { parseRtpStat } from '../../src/protocols/reports/rtp-stat.ts';
import { parseVqReport } from '../../src/protocols/reports/vq-rtcpxr.ts';
import { cpuMs } from '../helpers/patience.ts';

/** No text of a report is longer, and it has no more fields of its own. */
const MOST = 128;

function assertBounded(r: QualityReport): void {
  for (const figures of [r.heard, r.sent])
    for (const [name, value] of Object.entries(figures)) {
      assert.ok(Number.isFinite(value), name);
      if (name.endsWith('Pct')) assert.ok(value >= 0 && value <= 100, `${name} ${value}`);
      if (name.startsWith('mos')) assert.ok(value >= 1 && value <= 5, `${name} ${value}`);
      if (name.endsWith('Ms')) assert.ok(value >= 0 && value <= 65_535, `${name} ${value}`);
    }
  for (const text of [
    r.user,
    r.mac,
    r.codec,
    r.alert,
    r.local?.address ?? '',
    r.remote?.address ?? '',
    ...r.own.flat(),
  ])
    assert.ok(text.length <= MOST);
  assert.ok(r.own.length <= 8);
  for (const end of [r.local, r.remote]) assert.ok(end === null || (end.port >= 0 && end.port <= 65_535));
}

const number = fc.oneof(
  fc.constantFrom(
    '0',
    '127',
    '65535',
    '-1',
    '1e9',
    'NaN',
    '',
    '0x',
    '99999999999999999999',
    '3.',
    '.5',
    '1.2.3',
    '"4"',
  ),
  fc.double({ min: -10, max: 200, noNaN: true }).map((n) => n.toFixed(3)),
);
const line = fc
  .tuple(
    fc.constantFrom(
      ...[
        'VQSessionReport',
        'VQIntervalReport',
        'VQAlertReport',
        'LocalMetrics',
        'RemoteMetrics',
        'PacketLoss',
        'Delay',
      ],
      ...[
        'QualityEst',
        'JitterBuffer',
        'CallID',
        'DialogID',
        'LocalAddr',
        'RemoteAddr',
        'LocalID',
        'x-own',
        'Timestamps',
        '',
      ],
    ),
    fc.constantFrom(':', ': ', ' :', '=', '', '\r\n  '),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'NLR',
          'JDR',
          'IAJ',
          'RTD',
          'MOSLQ',
          'MOSCQ',
          'RCQ',
          'SL',
          'IP',
          'PORT',
          'SSRC',
          'START',
          'PD',
          'Q="',
        ),
        fc.constantFrom('=', '==', '', '="'),
        number,
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom('\r\n', '\n', '\r', '\r\n\t', ''),
  )
  .map(([name, colon, pairs, end]) => `${name}${colon}${pairs.map((pair) => pair.join('')).join(' ')}${end}`);
const anything = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.array(line, { maxLength: 30 }).map((lines) => Buffer.from(lines.join(''))),
);

test('vq-rtcpxr of any text', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(anything, fc.nat(5), (bytes, shift) => {
      const whole = Buffer.alloc(bytes.length + shift + 3, 0x51);
      bytes.copy(whole, shift);
      const parsed = parseVqReport(whole, shift, shift + bytes.length);
      if (parsed.ok) assertBounded(parsed.value);
      seen.add(parsed.ok ? 'ok' : parsed.reason);
    }),
    { numRuns: 4_000 },
  );
  for (const outcome of ['ok', 'no_report', 'no_figures']) assert.ok(seen.has(outcome), `no input gave ${outcome}`);
});

test('stat headers of any text', () => {
  const seen = new Set<string>();
  const pair = fc
    .tuple(
      fc.constantFrom(
        'PS',
        'PR',
        'PL',
        'PD',
        'JI',
        'MOS',
        'DE',
        'EN',
        'IP',
        'EX',
        'Pkt',
        'LostPkt',
        'AvgJit',
        'VQMetrics',
        'x',
      ),
      fc.oneof(
        number,
        fc.tuple(number, number).map((two) => two.join(',')),
        fc.string({ maxLength: 200 }),
      ),
    )
    .map((two) => two.join('='));
  const value = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc
      .array(pair, { maxLength: 12 })
      .chain((pairs) => fc.constantFrom(pairs.join(';'), pairs.join(','), `"${pairs.join(';')}`)),
  );
  const name = fc.constantFrom('p-rtp-stat', 'x-rtp-stat', 'rtp-rxstat', 'rtp-txstat');
  fc.assert(
    fc.property(fc.array(fc.record({ name, value }), { maxLength: 3 }), (headers) => {
      const parsed = parseRtpStat(headers);
      if (parsed.ok) assertBounded(parsed.value);
      seen.add(parsed.ok ? 'ok' : parsed.reason);
    }),
    { numRuns: 4_000 },
  );
  assert.ok(seen.has('ok') && seen.has('no_figures'));
});

test('JSON of any values', () => {
  const names = [
    'TOTAL_PK',
    'PACKET_LOSS',
    'MOS',
    'JITTER',
    'SSRC',
    'SRC_IP',
    'DST_PORT',
    'INC_MOS',
    'OUT_RTP_PK',
    'INC_ID',
  ];
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue(), number)).map((value) => JSON.stringify(value)),
  );
  let read = 0;
  fc.assert(
    fc.property(text, (json) => {
      const parsed = parseAgentJson(Buffer.from(json));
      if (!parsed.ok) return;
      read++;
      assert.ok(parsed.value.length > 0 && parsed.value.length <= 2);
      parsed.value.forEach(assertBounded);
    }),
    { numRuns: 4_000 },
  );
  assert.ok(read > 50);
});

test('what is written to take long does not', () => {
  const size = 16_000;
  const hostile = [
    'a',
    ' ',
    '=',
    '="',
    ';',
    '"',
    '\r\n',
    '\r\n ',
    'a="',
    'a: ',
    'CallID=',
    'x=1 ',
    '\\',
    'x-a:b\r\n',
    ';=',
    ',"',
  ];
  const heads = ['', 'VQSessionReport\r\n', 'VQSessionReport\r\nPacketLoss: '];
  const texts = hostile.flatMap((piece) => heads.map((head) => (head + piece.repeat(size)).slice(0, size)));
  const tookMs = cpuMs(() => {
    for (const text of texts) {
      const bytes = Buffer.from(text);
      parseVqReport(bytes, 0, bytes.length);
      for (let i = 0; i < 16; i++)
        parseRtpStat([{ name: 'x-rtp-stat', value: text.slice(i * 1_000, i * 1_000 + 1_000) }]);
    }
  });
  // 48 texts of 16 kB: something quadratic would take minutes.
  assert.ok(tookMs < 5_000);
});
