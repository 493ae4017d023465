/** Attempts by their definitions, scene by scene: what each comes to, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACME, GLOBEX, NAMED, numbersOf, PHONE, Talk, US } from '../../../helpers/numbers.ts';

const OUTCOMES = 'calltap_trunk_outcomes_total';
const REGISTRATIONS = 'calltap_trunk_registrations_total';

test('each final response settles an attempt as its outcome, once', async (t) => {
  const talk = new Talk();
  const codes = [200, 480, 486, 600, 603, 487, 302, 408, 500, 503, 504, 404, 403];
  for (const [i, code] of codes.entries())
    talk.call(i, [
      [0.1, 100],
      [0.5, code],
      [1, code],
    ]);
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all(OUTCOMES), {
    'acme out answered': 1,
    'acme out declined': 4,
    'acme out abandoned': 1,
    'acme out redirected': 1,
    'acme out ineffective': 4,
    'acme out failed': 2,
  });
  assert.equal(n.of('calltap_trunk_attempts_total', 'acme', 'out'), codes.length);
  assert.equal(n.of('calltap_final_responses_total', 'out', '503'), 1);
  assert.equal(n.of('calltap_retransmissions_total', 'INVITE'), codes.length);
  assert.equal(n.of('calltap_responses_total', 'INVITE', '486'), 1);
});

test('the rounds of credentials are one attempt, and a challenge that nobody answers settles after 32 s', async (t) => {
  const talk = new Talk();
  const round = (sec: number, id: string, cseq: number, code: number): Talk =>
    talk
      .say(sec, US, ACME, 'INVITE sip:2@x SIP/2.0', id, `${cseq} INVITE`)
      .say(sec + 0.1, ACME, US, `SIP/2.0 ${code} x`, id, `${cseq} INVITE`);
  round(0, 'one', 1, 407);
  round(1, 'one', 2, 401);
  round(2, 'one', 3, 200);
  round(0, 'left', 1, 407);
  round(40, 'late', 1, 407);
  talk.until(45);
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all(OUTCOMES), { 'acme out answered': 1, 'acme out challenged': 1 });
  assert.equal(n.of('calltap_final_responses_total', 'out', '407'), 1);
  assert.deepEqual(n.buckets('calltap_srd_seconds', 'acme'), [1, 0, 0, 0, 0, 0, 0], 'of the round that was answered');
  assert.equal(n.of('calltap_first_response_seconds', 'acme'), 3, 'one an attempt');
});

test('an INVITE without any answer is unanswered after 32 s, however often it is sent', async (t) => {
  const talk = new Talk();
  for (const sec of [0, 0.5, 1.5, 3.5]) talk.say(sec, US, ACME, 'INVITE sip:2@x SIP/2.0', 'none', '1 INVITE');
  talk.say(10, US, ACME, 'INVITE sip:2@x SIP/2.0', 'pending', '1 INVITE');
  talk
    .say(0, US, ACME, 'INVITE sip:2@x SIP/2.0', 'rings', '1 INVITE')
    .say(1, ACME, US, 'SIP/2.0 180 x', 'rings', '1 INVITE');
  talk.until(33);
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all(OUTCOMES), { 'acme out unanswered': 1 });
  assert.deepEqual(n.all('calltap_final_responses_total'), {});
});

test('what comes after 32 s changes nothing', async (t) => {
  const talk = new Talk();
  talk
    .say(0, US, ACME, 'INVITE sip:2@x SIP/2.0', 'late', '1 INVITE')
    .say(40, ACME, US, 'SIP/2.0 200 x', 'late', '1 INVITE')
    .say(50, US, ACME, 'BYE sip:2@x SIP/2.0', 'late', '2 BYE')
    .say(51, ACME, US, 'SIP/2.0 200 x', 'late', '2 BYE');
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all(OUTCOMES), { 'acme out unanswered': 1 });
});

test('a fork is an attempt of its own on each hop, and a CANCEL ends one as abandoned', async (t) => {
  const talk = new Talk();
  for (const to of [ACME, GLOBEX]) talk.say(0, US, to, 'INVITE sip:2@x SIP/2.0', 'fork', '1 INVITE');
  talk.say(1, ACME, US, 'SIP/2.0 180 x', 'fork', '1 INVITE').say(1.1, GLOBEX, US, 'SIP/2.0 183 x', 'fork', '1 INVITE');
  talk.say(2, GLOBEX, US, 'SIP/2.0 200 x', 'fork', '1 INVITE');
  talk.say(2.1, US, ACME, 'CANCEL sip:2@x SIP/2.0', 'fork', '1 CANCEL');
  talk.say(2.2, ACME, US, 'SIP/2.0 200 x', 'fork', '1 CANCEL').say(2.3, ACME, US, 'SIP/2.0 487 x', 'fork', '1 INVITE');
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all(OUTCOMES), { 'acme out abandoned': 1, 'globex out answered': 1 });
  assert.deepEqual(n.buckets('calltap_ring_seconds', 'globex'), [1, 0, 0, 0, 0, 0, 0]);
  assert.equal(n.of('calltap_ring_seconds', 'acme'), 0);
});

test('delays fall into their buckets, bounds included', async (t) => {
  const talk = new Talk();
  talk.call(
    0,
    [
      [0.05, 100],
      [0.5, 183],
      [1, 180],
      [4, 200],
    ],
    { byeSec: 9 },
  );
  talk.call(20, [[0.5, 503]]);
  talk.call(
    30,
    [
      [0.2, 100],
      [3, 200],
    ],
    { byeSec: 3 + 61, byeCode: 481 },
  );
  talk.call(40, [
    [1, 199],
    [2, 486],
  ]);
  const n = await numbersOf(t, talk);
  const of = (name: string) => n.buckets(`calltap_${name}_seconds`, 'acme');
  assert.deepEqual(of('first_response'), [0, 1, 0, 2, 1, 0, 0]);
  assert.deepEqual(
    of('srd'),
    [1, 1, 0, 1, 0, 0, 0],
    'at the first 101 to 199, also of a call that failed later, or at the 2xx',
  );
  assert.deepEqual(of('srd_failed'), [1, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(of('pdd'), [1, 0, 0, 0, 0, 0, 0], '183 is an 18x');
  assert.deepEqual(of('ring'), [0, 0, 1, 0, 0, 0, 0]);
  assert.deepEqual(of('sdt'), [1, 0, 0, 1, 0, 0, 0]);
  assert.deepEqual(of('sdd'), [1, 0, 0, 0, 0, 0, 0]);
  assert.ok(Math.abs(n.sum('calltap_sdd_seconds', 'acme') - 0.02) < 1e-6);
});

test('a BYE completes a call, fails, or is left without an answer', async (t) => {
  const talk = new Talk();
  const bye = (sec: number, byeCode: number | null) => talk.call(sec, [[1, 200]], { byeSec: 4, byeCode });
  bye(0, 200);
  bye(1, 481);
  bye(2, null);
  bye(200, null);
  talk.until(210);
  const n = await numbersOf(t, talk);
  assert.equal(n.of('calltap_trunk_completed_total', 'acme', 'out'), 1);
  assert.equal(n.of('calltap_trunk_byes_failed_total', 'acme', 'out'), 2, 'the last one may be answered yet');
  assert.deepEqual(n.all('calltap_trunk_short_calls_total'), { 'acme out 5': 4, 'acme out 20': 4, 'acme out 60': 4 });
});

test('a BYE with credentials, one that comes again, and one from each side', async (t) => {
  const talk = new Talk();
  talk.call(0, [[1, 200]]);
  const bye = (sec: number, cseq: string, from = US, to = ACME) =>
    talk.say(sec, from, to, 'BYE sip:2@x SIP/2.0', 'call1', cseq);
  const answer = (sec: number, code: number, cseq: string, from = ACME, to = US) =>
    talk.say(sec, from, to, `SIP/2.0 ${code} x`, 'call1', cseq);
  bye(5, '2 BYE');
  bye(5.5, '2 BYE');
  bye(5.6, '7 BYE', ACME, US);
  answer(5.7, 481, '7 BYE', US, ACME);
  answer(6, 407, '2 BYE');
  bye(6.1, '3 BYE');
  answer(6.2, 200, '3 BYE');
  answer(6.3, 200, '3 BYE');
  const n = await numbersOf(t, talk);
  assert.equal(n.of('calltap_trunk_completed_total', 'acme', 'out'), 1);
  assert.equal(n.of('calltap_trunk_byes_failed_total', 'acme', 'out'), 0);
  assert.deepEqual(n.buckets('calltap_sdd_seconds', 'acme'), [0, 1, 0, 0, 0, 0, 0]);
  assert.equal(n.of('calltap_sdt_seconds', 'acme'), 1);
});

test('registrations: rounds, refusals, removal, and no answer', async (t) => {
  const talk = new Talk();
  const register = (sec: number, id: string, cseq: number, code: number | null, expires = 3600) => {
    const headers = `Contact: <sip:1@${PHONE}>\r\nExpires: ${expires}\r\n`;
    talk.say(sec, US, ACME, 'REGISTER sip:x SIP/2.0', id, `${cseq} REGISTER`, { headers });
    if (code !== null) talk.say(sec + 0.08, ACME, US, `SIP/2.0 ${code} x`, id, `${cseq} REGISTER`, { headers });
  };
  register(0, 'a', 1, 401);
  register(1, 'a', 2, 200);
  register(2, 'a', 3, 200);
  register(3, 'a', 4, 200, 0);
  register(4, 'brief', 1, 423);
  register(5, 'brief', 2, 200);
  register(6, 'wrong', 1, 401);
  register(7, 'wrong', 2, 403);
  register(8, 'left', 1, 401);
  register(9, 'none', 1, null);
  talk.until(60);
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all(REGISTRATIONS), {
    'acme out registered': 3,
    'acme out unregistered': 1,
    'acme out challenged': 1,
    'acme out failed': 2,
    'acme out unanswered': 1,
  });
  assert.equal(n.of('calltap_registration_results_total', 'registered'), 3);
  assert.deepEqual(n.buckets('calltap_registration_delay_seconds', 'acme'), [0, 4, 0, 0, 0, 0, 0]);
});

test('OPTIONS: the round trip of those that are answered', async (t) => {
  const talk = new Talk();
  for (const [i, ms] of [4, 30, 3_000, null].entries()) {
    talk.say(i * 10, US, ACME, 'OPTIONS sip:x SIP/2.0', `ping${i}`, '1 OPTIONS');
    if (ms !== null) talk.say(i * 10 + ms / 1000, ACME, US, 'SIP/2.0 404 x', `ping${i}`, '1 OPTIONS');
  }
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.buckets('calltap_options_seconds', 'acme'), [1, 0, 1, 0, 0, 0, 1]);
  assert.equal(n.of('calltap_trunk_options_total', 'acme', 'out'), 4);
});

test('without names all is other: both directions, and a histogram has a call once', async (t) => {
  const talk = new Talk();
  talk.call(
    0,
    [
      [0.3, 180],
      [2, 200],
    ],
    { byeSec: 5 },
  );
  const n = await numbersOf(t, talk, []);
  assert.deepEqual(n.all(OUTCOMES), { 'other in answered': 1, 'other out answered': 1 });
  assert.equal(n.of('calltap_pdd_seconds', 'other'), 1);
  assert.equal(n.of('calltap_country_attempts_total', 'unknown'), 1);
});

test('our own side alone is not counted, and IPv6 is as IPv4', async (t) => {
  const talk = new Talk();
  talk.say(0, US, US, 'INVITE sip:2@x SIP/2.0', 'own', '1 INVITE').say(1, US, US, 'SIP/2.0 486 x', 'own', '1 INVITE');
  talk.say(0, '2001:db8::9', '2001:db8::1', 'INVITE sip:2@x SIP/2.0', 'six', '1 INVITE');
  talk.say(1, '2001:db8::1', '2001:db8::9', 'SIP/2.0 486 x', 'six', '1 INVITE');
  const n = await numbersOf(t, talk, [...NAMED, '--trunk-local', '2001:db8::1', '--trunk', '2001:db8::9=six']);
  assert.deepEqual(n.all(OUTCOMES), { 'six in declined': 1 });
});

test('who tries again within a minute repeats an attempt, in another dialog on the same trunk', async (t) => {
  const talk = new Talk();
  talk.call(0, [[1, 486]], { user: '33' });
  talk.call(30, [[1, 200]], { user: '33' });
  talk.call(40, [[1, 486]], { user: '33' });
  talk.call(102, [[1, 486]], { user: '33' });
  talk.call(110, [[1, 200]], { user: '44' });
  talk.call(115, [[1, 200]], { user: '33', to: GLOBEX });
  const n = await numbersOf(t, talk);
  assert.deepEqual(n.all('calltap_trunk_repeated_attempts_total'), { 'acme out': 2 });
});

test('a limit, and how much of it is used', async (t) => {
  const talk = new Talk();
  talk.call(0, [[1, 200]]);
  talk.call(1, [[1, 200]]);
  talk.call(2, [[1, 200]], { byeSec: 3 });
  const n = await numbersOf(t, talk, [...NAMED, '--trunk-limit', 'acme=8']);
  assert.deepEqual(n.all('calltap_trunk_call_limit'), { acme: 8 });
  assert.equal(n.of('calltap_trunk_utilisation_ratio', 'acme'), 0.25);
});

test('phones by class, of the request or of who answers', async (t) => {
  const talk = new Talk();
  const agent = (text: string) => ({ headers: `User-Agent: ${text}\r\n` });
  talk.call(0, [[1, 486]], agent('Yealink SIP-T46S 66.84'));
  talk.call(1, [[1, 200]], agent('snomD385/10.1'));
  talk.call(2, [[1, 200]], agent('something'));
  talk.say(3, US, ACME, 'INVITE sip:2@x SIP/2.0', 'callee', '1 INVITE');
  talk.say(4, ACME, US, 'SIP/2.0 200 x', 'callee', '1 INVITE', { headers: 'Server: snom720\r\n' });
  const n = await numbersOf(t, talk, [
    ...NAMED,
    '--device-class',
    'yealink=(?i)^yealink',
    '--device-class',
    'snom=^snom',
  ]);
  assert.deepEqual(n.all('calltap_device_attempts_total'), {
    'yealink declined': 1,
    'snom answered': 2,
    'other answered': 1,
  });
});

test('countries of called numbers, and how long these talk', async (t) => {
  const talk = new Talk();
  const users = [
    '+4930123456',
    '004930123456',
    '030123456',
    '+14165551234',
    '+12125551234',
    '+77012345678',
    '17',
    '+999123456789',
  ];
  for (const [i, user] of users.entries()) talk.call(i * 20, [[1, 200]], { user, byeSec: 11 });
  talk.call(300, [[1, 486]], { user: '+33 1 23 45 67 89'.replaceAll(' ', '-') });
  const n = await numbersOf(t, talk, [...NAMED, '--country-code', '49']);
  assert.deepEqual(n.all('calltap_country_attempts_total'), { DE: 3, CA: 1, US: 1, KZ: 1, FR: 1, unknown: 2 });
  assert.deepEqual(n.all('calltap_country_answered_total'), { DE: 3, CA: 1, US: 1, KZ: 1, unknown: 2 });
  assert.equal(n.of('calltap_country_talk_seconds_total', 'DE'), 30);
  const none = await numbersOf(t, talk, NAMED);
  assert.equal(none.of('calltap_country_attempts_total', 'DE'), 2);
});

test('a group that is not chosen is not there', async (t) => {
  const talk = new Talk();
  talk.call(0, [[1, 200]], { byeSec: 5 });
  const n = await numbersOf(t, talk, NAMED, 'default');
  assert.equal(n.of('calltap_trunk_attempts_total', 'acme', 'out'), 1);
  for (const name of [OUTCOMES, REGISTRATIONS, 'calltap_responses_total', 'calltap_country_attempts_total'])
    assert.deepEqual(n.all(name), {});
});
