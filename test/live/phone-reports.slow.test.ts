/**
 * What real phones report of calls that calltap captures live: baresip in its BYE, behind a link that loses what went past the
 * capture, and Linphone in a PUBLISH after the call.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asJson, type Json } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { speak } from '../helpers/voice.ts';
import { startPhone } from './baresip.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';
import { Linphone } from './linphone.ts';

const SECONDS = 14;
const RATE = 8_000;
const RTP_PORT = 30_000;

/** Every tenth packet of RTP, not of RTCP, is dropped where the host takes it in: behind the capture. */
const LOSSY = `table inet lossy { chain taken { type filter hook input priority 0;
  udp dport ${RTP_PORT}-${RTP_PORT + 20} udp length > 150 numgen inc mod 10 == 0 counter drop; }; }`;

/** The report of this kind that the phone at this address made of the only call, once it is there: the other side may report too. */
async function reportOf(agent: Agent, kind: string, from: string): Promise<Json> {
  const read = (): Json | null => {
    const { calls = [] } = asJson(agent.get('/ask/calls?q=method:INVITE') ?? {});
    const [call] = calls as Json[];
    if (call === undefined) return null;
    const document = asJson(agent.get(`/ask/calls/${encodeURIComponent(String(call['call_id']))}`) ?? {});
    const reports = (document['phone_reports'] ?? []) as Json[];
    return reports.find((one) => one['kind'] === kind && one['from'] === from) ?? null;
  };
  return until(read, () => `no report of kind ${kind} from ${from}: ${agent.text('/ask/calls')}`);
}

test('baresip says in its BYE what it lost behind the capture', { skip: missing('baresip', 'nft') }, async (t) => {
  const lab = new Lab(t);
  lab.do('a', 'nft', ['-f', '-'], LOSSY);
  const agent = await Agent.start(lab, ['-d', 'eth0', '--ask'], /capturing on eth0/);
  const codec = { name: 'PCMU/8000/1', rate: RATE };
  const sound = speak({ pitch: 130 }, RATE, RATE * (SECONDS + 4));
  const both = { codec, sound, reports: true } as const;
  startPhone(lab, { ...both, host: 'b', user: 'bob', port: 5060, rtpPort: 20_000, seconds: SECONDS + 10 });
  await lab.listening('b', 5060);
  const dial = `sip:bob@${ADDRESS.b.v4}:5060`;
  startPhone(lab, { ...both, host: 'a', user: 'alice', port: 5060, rtpPort: RTP_PORT, seconds: SECONDS, dial });
  const report = await reportOf(agent, 'rtp_stat', ADDRESS.a.v4);
  assert.deepEqual([report['verified_by'], report['side']], ['address', 'caller']);
  const lossPct = Number(asJson(report['heard'])['loss_pct']);
  assert.ok(lossPct > 5 && lossPct < 15, `${lossPct}`);
  const [measured] = report['measured'] as Json[];
  assert.equal(measured?.['loss_pct'], 0);
  const { total } = asJson(agent.get('/ask/calls?q=finding:lost-after-tap') ?? {});
  assert.equal(total, 1);
});

test('Linphone publishes after the call, and the report comes to it', { skip: missing('linphonec') }, async (t) => {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, ['-d', 'eth0', '--ask'], /capturing on eth0/);
  await Linphone.start(lab, 'b', 'bob', true);
  await lab.listening('b', 5060);
  const alice = await Linphone.start(lab, 'a', 'alice', false);
  alice.say(`call sip:bob@${ADDRESS.b.v4}`);
  await until(
    () => {
      const { streams } = asJson(agent.get('/v1/streams') ?? {});
      const packets = ((streams ?? []) as Json[]).map((one) => Number(one['packets']));
      return packets.length >= 2 && packets.every((n) => n > 250) ? true : null;
    },
    () => `no media both ways: ${alice.running.output()}`,
  );
  alice.say('terminate');
  const report = await reportOf(agent, 'session', ADDRESS.a.v4);
  assert.deepEqual([report['verified_by'], report['side']], ['address', 'caller']);
  const mos = Number(asJson(report['heard'])['mos_lq']);
  assert.ok(mos >= 1 && mos <= 5, `${mos}`);
  const [measured] = report['measured'] as Json[];
  assert.match(String(measured?.['dst']), new RegExp(`^${ADDRESS.a.v4}:`));
});
