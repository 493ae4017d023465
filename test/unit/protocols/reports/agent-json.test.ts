/** JSON of agents by HEP: of one stream, of both sides of a call, and what is neither. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAgentJson } from '../../../../src/protocols/reports/agent-json.ts';

const read = (value: unknown) => parseAgentJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

test('of one stream: who gets it hears', () => {
  const parsed = read({
    CORRELATION_ID: 'leg-b',
    RTP_SIP_CALL_ID: 'leg-a',
    TOTAL_PK: 950,
    EXPECTED_PK: 1000,
    PACKET_LOSS: 50,
    JITTER: 3,
    MEAN_JITTER: 2.5,
    MAX_JITTER: 11,
    MOS: 4.1,
    MEAN_MOS: 3.9,
    RFACTOR: 80.2,
    SRC_IP: '192.0.2.10',
    SRC_PORT: 20_000,
    DST_IP: '192.0.2.20',
    DST_PORT: '30000',
    SSRC: '0x1a2b3c4d',
    CODEC_NAME: 'PCMA',
    TYPE: 'HANGUP',
  });
  assert.ok(parsed.ok);
  const [report, ...more] = parsed.value;
  assert.deepEqual(more, []);
  assert.equal(report?.callId, 'leg-a');
  assert.deepEqual(report?.heard, {
    packets: 950,
    lost: 50,
    jitterMs: 2.5,
    jitterMaxMs: 11,
    mosLq: 3.9,
    rLq: 80.2,
    lossPct: 5,
  });
  assert.deepEqual(report?.local, { address: '192.0.2.20', port: 30_000, ssrc: null });
  assert.deepEqual(report?.remote, { address: '192.0.2.10', port: 20_000, ssrc: 0x1a2b3c4d });
});

test('a report of a period is one of a part of the call', () => {
  const part = (type?: string): boolean | undefined => {
    const parsed = read({ MOS: 4, TYPE: type });
    return parsed.ok ? parsed.value[0]?.isPart : undefined;
  };
  assert.deepEqual(['PERIODIC', 'HANGUP', 'FINAL', undefined].map(part), [true, false, false, false]);
});

test('of both sides of a call: a report each, with the Call-ID of its side', () => {
  const parsed = read({
    NAME: 'edge-7',
    INC_ID: 'in@1',
    OUT_ID: 'out@1',
    INC_MOS: 420,
    INC_RVAL: 9130,
    INC_RTP_PK: 4900,
    INC_RTP_PK_LOSS: 100,
    INC_RTP_AVG_JITTER: 8,
    CALLER_SRC_IP: '192.0.2.1',
    CALLER_SRC_PORT: 4000,
    OUT_MOS: 0,
    OUT_RTP_PK: 5000,
    OUT_RTP_PK_LOSS: 0,
  });
  assert.ok(parsed.ok);
  assert.deepEqual(
    parsed.value.map(({ callId, user, heard }) => [callId, user, heard]),
    [
      ['in@1', 'edge-7', { packets: 4900, lost: 100, jitterMs: 8, mosLq: 4.2, rLq: 91.3, lossPct: 2 }],
      ['out@1', 'edge-7', { packets: 5000, lost: 0, lossPct: 0 }],
    ],
  );
});

test('anything else is refused by a reason', () => {
  const reason = (value: unknown): string => {
    const parsed = read(value);
    return parsed.ok ? 'read' : parsed.reason;
  };
  for (const bad of ['', '{', '[]', 'null', '7', '"x"', `${'['.repeat(9_000)}${']'.repeat(7_000)}`])
    assert.equal(reason(bad), 'bad_json');
  assert.equal(reason({}), 'no_figures');
  assert.equal(reason({ MOS: 'NaN', TOTAL_PK: -1, JITTER: null, SRC_IP: {} }), 'no_figures');
  assert.equal(reason({ MOS: 4, note: 'x'.repeat(20_000) }), 'too_long');
});
