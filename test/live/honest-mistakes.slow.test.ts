/**
 * People who get it wrong with real programs, at a real registrar: a softphone with a wrong password that somebody starts
 * again and again, tests with sipsak, SIPp that is wrong twice before it is right; beside them a trunk with 50 calls a
 * second, of which each fifth number is wrong. None of it is an attack.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/patience.ts';
import { PASSWORD } from './attack-peers.ts';
import { startRegistrar, Watch } from './attacked-registrar.ts';
import { baresipModules } from './baresip.ts';
import type { Running } from './lab.ts';
import { ADDRESS, Lab, missing } from './lab.ts';

/** Challenges with qop: the same wrong password is another response each time. */
const QOP = '10.90.0.200';
/** Softphones: each at its address, two of them at each registrar. */
const SOFTPHONES = [
  { from: '10.90.0.10', to: ADDRESS.a.v4 },
  { from: '10.90.0.11', to: ADDRESS.a.v4 },
  { from: '10.90.0.12', to: QOP },
  { from: '10.90.0.13', to: QOP },
];
const STARTS = 3;
const SIPP_USERS = 3;
/** Calls as long as the others try. */
const TRUNK = '10.90.0.14';
const CALLS_A_SECOND = 50;
const TALK_MS = 2000;
/** A loaded machine takes from it; it catches up. */
const LEAST_CALLS_A_SECOND = 40;
/** Until whatever would be reported is: a challenge that is not followed takes two seconds. */
const JUDGED_MS = 5000;

function startSoftphone(lab: Lab, { from, to }: (typeof SOFTPHONES)[number]): Running {
  const folder = lab.path(from);
  if (!existsSync(folder)) mkdirSync(folder);
  const config = [
    `sip_listen ${from}:5060`,
    'net_interface eth0',
    'audio_player aubridge,nowhere',
    'audio_source aubridge,nowhere',
    `module_path ${baresipModules()}`,
    'module g711.so',
    'module aubridge.so',
    'module_app account.so',
    'module_app menu.so',
  ];
  writeFileSync(`${folder}/config`, `${config.join('\n')}\n`);
  writeFileSync(`${folder}/accounts`, `<sip:2001@${to}>;auth_user=2001;auth_pass=wrong;regint=60\n`);
  writeFileSync(`${folder}/contacts`, '');
  return lab.start('b', 'baresip', ['-4', '-f', folder, '-v']);
}

const PASSWORDS = ['wrong-1', 'wrong-2', PASSWORD];

/** Registers: challenged, two wrong passwords, the right one. */
function sippScenario(): string {
  const register = (cseq: number): string => `<send><![CDATA[
REGISTER sip:[remote_ip] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
Max-Forwards: 70
From: <sip:[field0]@[remote_ip]>;tag=[call_number]
To: <sip:[field0]@[remote_ip]>
Call-ID: [call_id]
CSeq: ${cseq} REGISTER
Contact: <sip:[field0]@[local_ip]:[local_port]>
Expires: 60
${cseq === 1 ? '' : `[field${cseq - 1}]\n`}Content-Length: 0

]]></send>
`;
  const refused = '<recv response="401" auth="true"></recv>\n';
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="wrong twice">
${[1, 2, 3, 4].map(register).join(refused)}<recv response="200"></recv>
</scenario>
`;
}

/** A user in each line, and what he tries. */
function sippUsers(): string {
  const users = Array.from({ length: SIPP_USERS }, (_, n) => 2010 + n);
  const tries = (user: number): string[] =>
    PASSWORDS.map((password) => `[authentication username=${user} password=${password}]`);
  return `SEQUENTIAL\n${users.map((user) => `${[user, ...tries(user)].join(';')};\n`).join('')}`;
}

/** A call, or the refusal of a wrong number. */
function trunkScenario(): string {
  const from = 'From: <sip:+49301@[local_ip]>;tag=[call_number]';
  const common = (branch: string): string => `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${branch}
Max-Forwards: 70
${from}`;
  const request = (method: string, to: string, cseq: number, branch = '[branch]'): string => `<![CDATA[
${method} sip:[field0]@[remote_ip] SIP/2.0
${common(branch)}
${to}
Call-ID: [call_id]
CSeq: ${cseq} ${method}
Contact: <sip:+49301@[local_ip]:[local_port]>
User-Agent: Packet SBC 9.1
Content-Length: 0

]]>`;
  const known = 'To: <sip:[field0]@[remote_ip]>[peer_tag_param]';
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="trunk">
<send retrans="500">${request('INVITE', 'To: <sip:[field0]@[remote_ip]>', 1)}</send>
<recv response="404" optional="true" next="1"></recv>
<recv response="200"></recv>
<send>${request('ACK', known, 1)}</send>
<pause milliseconds="${TALK_MS}"/>
<send retrans="500">${request('BYE', known, 2)}</send>
<recv response="200" next="2"></recv>
<label id="1"/>
<send>${request('ACK', known, 1, '[branch-3]')}</send>
<label id="2"/>
</scenario>
`;
}

function startTrunk(lab: Lab): Running {
  writeFileSync(lab.path('trunk.xml'), trunkScenario());
  const numbers = Array.from({ length: 1000 }, (_, n) => `+4930${100_000 + n};\n`);
  writeFileSync(lab.path('numbers.csv'), `SEQUENTIAL\n${numbers.join('')}`);
  const call = ['-sf', lab.path('trunk.xml'), '-inf', lab.path('numbers.csv'), '-i', TRUNK, '-p', '5060'];
  const often = ['-r', String(CALLS_A_SECOND), '-l', '10000', '-nostdin', '-timeout', '200'];
  return lab.start('b', 'sipp', [...call, ...often, `${ADDRESS.a.v4}:5060`]);
}

test('wrong passwords, tests and a busy trunk of honest programs are no attack', {
  skip: missing('kamailio', 'baresip', 'sipsak', 'sipp'),
  timeout: 240_000,
}, async (t) => {
  const lab = new Lab(t);
  const addresses = [TRUNK, ...SOFTPHONES.map(({ from }) => from)].map((from) => `addr add ${from}/24 dev eth0`);
  lab.do('b', 'ip', ['-batch', '-'], `${addresses.join('\n')}\n`);
  await startRegistrar(lab, [QOP]);
  const watch = await Watch.start(lab);
  const trunk = startTrunk(lab);
  const softphones = Promise.all(
    SOFTPHONES.map(async (phone) => {
      for (let n = 0; n < STARTS; n++) {
        const running = startSoftphone(lab, phone);
        await until(
          () => /reg: .*401 Unauthorized/.test(running.output()),
          () => `it is not refused: ${running.output()}`,
        );
        await lab.stop(running, 'SIGINT');
        await sleep(1000);
      }
    }),
  );
  // As people ask whether a server lives, whether somebody is there, and whether a password is right.
  const sipsak = (...args: readonly string[]): Promise<number | null> =>
    lab.start('b', 'sipsak', ['-H', ADDRESS.b.v4, ...args]).ended;
  for (let n = 0; n < 3; n++) {
    assert.equal(await sipsak('-s', `sip:2001@${ADDRESS.a.v4}`), 0);
    assert.notEqual(await sipsak('-s', `sip:9999@${ADDRESS.a.v4}`), 0);
    assert.notEqual(await sipsak('-U', '-a', 'wrong', '-s', `sip:2001@${ADDRESS.a.v4}`), 0);
  }
  writeFileSync(lab.path('wrong.xml'), sippScenario());
  writeFileSync(lab.path('users.csv'), sippUsers());
  const call = ['-sf', lab.path('wrong.xml'), '-inf', lab.path('users.csv'), '-i', ADDRESS.b.v4, '-p', '5066'];
  const often = ['-m', String(SIPP_USERS), '-r', '1', '-nostdin', '-timeout', '60', '-timeout_error'];
  const sipp = lab.start('b', 'sipp', [...call, ...often, `${ADDRESS.a.v4}:5060`]);
  assert.equal(await sipp.ended, 0, sipp.output());
  await softphones;
  // It ends the calls that it has begun; its exit code says whether one failed.
  trunk.child.kill('SIGUSR1');
  assert.equal(await trunk.ended, 0, trunk.output().slice(-4000));
  await sleep(JUDGED_MS);
  assert.equal(await lab.stop(watch.agent.running), 0);
  assert.deepEqual(watch.reports, []);
  assert.doesNotMatch(watch.agent.running.output(), /alert: /);
  // They did meet the registrar: each start asks once without a password and then with it, again and again.
  const sent = watch.sent();
  for (const { from } of SOFTPHONES) assert.ok((sent.get(from)?.length ?? 0) > 5 * STARTS, from);
  const packets = sent.get(TRUNK) ?? [];
  // The last ones hang up when no more begin.
  const seconds = ((packets.at(-1) ?? 0) - (packets[0] ?? 0) - TALK_MS) / 1000;
  // Four calls of five are INVITE, ACK and BYE, the fifth INVITE and ACK.
  const calls = packets.length / ((4 * 3 + 2) / 5);
  t.diagnostic(`the trunk: ${calls.toFixed(0)} calls in ${seconds.toFixed(1)} s`);
  assert.ok(calls > LEAST_CALLS_A_SECOND * seconds, `${calls} calls in ${seconds} s`);
});
