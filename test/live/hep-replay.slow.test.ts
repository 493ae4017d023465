/**
 * Captures of 2004 and 2009 that agents replay by HEP beside live traffic: each keeps its own time, and nothing is judged
 * by another. And RTCP as heplify writes it.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALICE, BOB, basicCall, callIdOf } from '../../fixtures/build/basic-call.ts';
import { hep3 } from '../../fixtures/build/hep.ts';
import { type SipMessage, SipScript } from '../../fixtures/build/sip-call.ts';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';

const SEC = 1_000_000;
const HEP_PORT = 9060;
const RELAY = join(import.meta.dirname, 'hep-relay.js');

type Replay = { readonly year: number; readonly agentId: number; readonly address: string };
const REPLAYS: readonly Replay[] = [
  { year: 2004, agentId: 2001, address: '127.0.0.1:9100' },
  { year: 2004, agentId: 2001, address: '127.0.0.2:9100' },
  { year: 2009, agentId: 2002, address: '127.0.0.1:9101' },
];

function registration(name: string, startUs: number): SipScript {
  const call = new SipScript({ callId: callIdOf(name), startUs, caller: ALICE, callee: BOB });
  const headers = [
    ['Expires', '600'],
    ['Contact', '<sip:alice@192.0.2.10>'],
  ] as const;
  call.respond(call.request('REGISTER', 0, { headers }), 200, 30, { headers });
  return call;
}

/** A phone that registers, a call that nobody answers, one that goes on, one that ends: by name, as each should stand. */
function captured(r: Replay): { name: string; state: string; startUs: number; messages: readonly SipMessage[] }[] {
  const startUs = Date.UTC(r.year, 2, 1) * 1000;
  const name = (what: string): string => `${what} ${r.year} ${r.address}`;
  const calls = ['ringing', 'talking', 'over'].map((what, i) =>
    basicCall(name(what), { startUs: startUs + (i + 1) * SEC }),
  );
  const kept = [3, 5, 7];
  const states = ['Ringing', 'InCall', 'Completed'];
  return [
    { name: name('phone'), state: 'Registered', startUs, messages: registration(name('phone'), startUs).messages },
    ...calls.map((call, i) => ({
      name: name(['ringing', 'talking', 'over'][i] ?? ''),
      state: states[i] ?? '',
      startUs: startUs + (i + 1) * SEC,
      messages: call.messages.slice(0, kept[i]),
    })),
  ];
}

function hepLine(m: Pick<SipMessage, 'src' | 'dst' | 'tsUs' | 'bytes'>, r: Replay, more = {}): string {
  const packet = hep3({ ...m, payload: m.bytes }, { captureId: r.agentId, ...more });
  return `${r.address} 127.0.0.1:${HEP_PORT} ${Buffer.from(packet).toString('hex')}`;
}

/** Reports as agents written in Go send them: without blocks, and with a loss of -6 read as 24 bits without sign. */
const REPORT = {
  sender_information: {
    ntp_timestamp_sec: 3_854_879_289,
    ntp_timestamp_usec: 1,
    rtp_timestamp: 1,
    packets: 500,
    octets: 1,
  },
  ssrc: 77,
  type: 200,
  report_count: 0,
  report_blocks: null,
  sdes_ssrc: 0,
};
const BLOCK = {
  source_ssrc: 77,
  fraction_lost: 0,
  packets_lost: 16_777_210,
  highest_seq_no: 393,
  ia_jitter: 15,
  lsr: 0,
  dlsr: 0,
};

test('what agents replay keeps its own time beside live traffic', { skip: missing() }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const args = ['-d', 'eth0', '-L', `127.0.0.1:${HEP_PORT}`, '-E', '--hep-allow', '127.0.0.0/8'];
  const agent = await Agent.start(lab, args, /capturing on eth0/);
  const send = (host: 'a' | 'b', lines: readonly string[]): string =>
    lab.do(host, process.execPath, [RELAY, 'send'], `${lines.join('\n')}\n`);

  // A phone that registers on the wire.
  const live = registration('live', Date.now() * 1000);
  const hex = (i: number): string => Buffer.from(live.messages[i]?.bytes ?? []).toString('hex');
  send('b', [`${ADDRESS.b.v4}:5060 ${ADDRESS.a.v4}:5060 ${hex(0)}`]);
  send('a', [`${ADDRESS.a.v4}:5060 ${ADDRESS.b.v4}:5060 ${hex(1)}`]);

  // All replays at once, as fast as they go; and an agent whose time is ours.
  const all = REPLAYS.flatMap((r) =>
    captured(r).flatMap(({ messages }, k) => messages.map((m, i) => ({ m, r, at: 10 * k + i }))),
  );
  all.sort((x, y) => x.at - y.at);
  const now: Replay = { year: 0, agentId: 3, address: '127.0.0.1:9103' };
  const talk = basicCall('now', { startUs: Date.now() * 1000 - 5 * SEC });
  const json = (document: object, isFromBob = false): string => {
    const ends = [ALICE, BOB].map(({ rtp }) => ({ ...rtp, port: rtp.port + 1 }));
    const [src = ends[0], dst = ends[0]] = isFromBob ? ends.reverse() : ends;
    assert.ok(src !== undefined && dst !== undefined);
    const bytes = Buffer.from(JSON.stringify(document));
    return hepLine({ src, dst, tsUs: talk.at(4000), bytes }, now, { protocolType: 5, correlationId: talk.callId });
  };
  send('a', [
    ...all.map(({ m, r }) => hepLine(m, r)),
    ...talk.messages.slice(0, 5).map((m) => hepLine(m, now)),
    json(REPORT),
    json({ ssrc: 78, type: 201, report_count: 1, report_blocks: [BLOCK] }, true),
  ]);

  await until(
    () => agent.text('/metrics').includes(`calltap_hep_total{event="read"} ${all.length + 7}`) || null,
    () => agent.text('/metrics'),
  );
  const listed = asJson(agent.get('/v1/dialogs?limit=100'))['dialogs'];
  const rows = new Map((Array.isArray(listed) ? listed.map(asJson) : []).map((row) => [row['call_id'], row]));
  for (const r of REPLAYS)
    for (const { name, state, startUs } of captured(r)) {
      const row = rows.get(callIdOf(name));
      assert.deepEqual([row?.['state'], Date.parse(String(row?.['created_at']))], [state, startUs / 1000], name);
      if (state !== 'Ringing') continue;
      const d = await agent.dialogWhen(callIdOf(name), () => true);
      assert.equal(d['signaling_diagnosis'], undefined, name);
      assert.deepEqual(asJson(d['diagnosis'] ?? { hints: [] })['hints'], [], name);
    }
  assert.equal(rows.get(callIdOf('live'))?.['state'], 'Registered');
  const d = await agent.dialogWhen(callIdOf('now'), () => true);
  assert.deepEqual(asJson(d['diagnosis'])['hints'], [
    'RTCP says that 192.0.2.10:20001 sent 500 RTP packets and that the receiver lost none of them; this capture saw none of them.',
  ]);
  const { losses } = asJson(agent.get('/v1/stats'));
  assert.equal(asJson(losses)['hep_rtcp_bad_json'], 0);
  assert.ok(agent.text('/metrics').includes(`calltap_hep_total{event="other_time"} ${all.length}`));
  assert.equal(await lab.stop(agent.running), 0);
});
