/** Calls that a proxy hands on to carriers, counted against a reckoning of the plan by which the capture was made. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { messagesOf } from '../../../../src/analysis/call-messages.ts';
import { streamQuality } from '../../../../src/analysis/stream-quality.ts';
import { endpointKeyText } from '../../../../src/core/ip.ts';
import { packageRoot } from '../../../../src/core/package.ts';
import { finish } from '../../../../src/core/turns.ts';
import { ALL_CALLS } from '../../../../src/explore/question.ts';
import { parseFilter } from '../../../../src/query/parse.ts';
import { trunksSteps } from '../../../../src/view/ask-trunks.ts';
import { openSession } from '../../../helpers/open-session.ts';
import type { Carrier, Plan, Try } from '../../../helpers/proxied-calls.ts';
import {
  CALLER,
  CARRIERS,
  EPOCH_US,
  OPTIONS,
  PROXY,
  Proxied,
  rowOf,
  trunksIn,
} from '../../../helpers/proxied-calls.ts';
import { readCapture, readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';

/** Small, and the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function plans(count: number, seed: number): Plan[] {
  const next = random(seed);
  const codes = [200, 200, 200, 200, 486, 480, 503, 404, 487, 302];
  const tryOf = (carrier: Carrier): Try => ({
    carrier,
    ringMs: next() < 0.7 ? Math.ceil(next() * 4_000) : null,
    finalMs: 5_000 + Math.ceil(next() * 5_000),
    code: codes[Math.floor(next() * codes.length)] ?? 200,
  });
  return Array.from({ length: count }, (_, i) => {
    const first = tryOf(next() < 0.6 ? 'acme' : 'globex');
    const second = first.carrier === 'acme' ? tryOf('globex') : tryOf('acme');
    const tries = first.code === 503 ? [first, second] : [first];
    return { atSec: i * 3, tries, talkSec: 1 + Math.floor(next() * 200), challenged: next() < 0.3 };
  });
}

for (const seed of [1, 2, 3])
  test(`figures of each carrier are those of the plan (${seed})`, async (t) => {
    const calls = plans(400, seed);
    const proxied = new Proxied(EPOCH_US);
    for (const call of calls) proxied.call(call);
    const answer = await trunksIn(t, proxied.pcap());
    for (const carrier of ['acme', 'globex'] as const) {
      const tries = calls.flatMap((call) =>
        call.tries.filter((one) => one.carrier === carrier).map((one) => ({ ...one, ...call })),
      );
      const answered = tries.filter(({ code }) => code === 200);
      const { figures, ...row } = rowOf(answer, carrier, 'out');
      const count = (is: (code: number) => boolean): number => tries.filter(({ code }) => is(code)).length;
      assert.ok(tries.length > 100);
      assert.equal(figures.attempts, tries.length);
      assert.equal(figures.answered, answered.length);
      assert.equal(figures.without_final, 0);
      assert.deepEqual(
        figures.codes,
        [...new Set(tries.map(({ code }) => code))]
          .sort((a, b) => a - b)
          .map((code) => ({ code, calls: count((c) => c === code) })),
      );
      const near = (actual: number | undefined, expected: number, part: number): void =>
        assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= expected * part, `${actual} is not ${expected}`);
      near(figures.asr_pct, (100 * answered.length) / tries.length, 0.001);
      near(figures.ner_pct, (100 * count((c) => [200, 480, 486, 487].includes(c))) / tries.length, 0.001);
      near(figures.ser_pct, (100 * answered.length) / count((c) => c !== 302), 0.001);
      near(figures.seer_pct, (100 * count((c) => [200, 480, 486].includes(c))) / count((c) => c !== 302), 0.001);
      near(figures.acd_sec, answered.reduce((sum, { talkSec }) => sum + talkSec, 0) / answered.length, 0.001);
      const delays = tries.map(({ ringMs, finalMs }) => ringMs ?? finalMs).sort((a, b) => a - b);
      assert.equal(figures.pdd_ms?.count, delays.length);
      near(figures.pdd_ms?.mean, delays.reduce((a, b) => a + b, 0) / delays.length, 0.001);
      for (const [name, q] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const)
        near(figures.pdd_ms?.[name], delays[Math.ceil(q * delays.length) - 1] ?? 0, 0.011);
      assert.equal(row.talking, 0);
      assert.equal(row.state, 'up');
    }
    const caller = rowOf(answer, CALLER, 'in').figures;
    assert.equal(caller.attempts, calls.length);
    const last = calls.map(({ tries }) => tries.at(-1)?.code);
    assert.equal(caller.answered, last.filter((code) => code === 200).length);
    assert.deepEqual(answer.trunks.map(({ trunk, direction }) => `${trunk} ${direction}`).sort(), [
      '198.51.100.1 in',
      'acme out',
      'globex out',
    ]);
  });

test('dialogs that are evicted change no figure', async (t) => {
  const calls = plans(300, 7);
  const proxied = new Proxied(EPOCH_US);
  for (const call of calls) proxied.call(call);
  const capture = proxied.pcap();
  const [whole, few] = await Promise.all([trunksIn(t, capture), trunksIn(t, capture, ['--max-dialogs', '100'])]);
  for (const carrier of ['acme', 'globex'] as const) {
    const [a, b] = [rowOf(whole, carrier, 'out').figures, rowOf(few, carrier, 'out').figures];
    assert.equal(b.attempts, a.attempts);
    assert.deepEqual(b.codes, a.codes);
    assert.deepEqual(b.pdd_ms, a.pdd_ms);
  }
});

test('OPTIONS say that a carrier is down, since when, and that it is back', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 12; n++) {
    proxied.options(n * 10, CARRIERS.acme, n, n < 3 ? 40 : null);
    proxied.options(n * 10 + 1, CARRIERS.globex, n, n < 2 || n > 6 ? 20 : null);
  }
  const answer = await trunksIn(t, proxied.pcap());
  const acme = rowOf(answer, 'acme', 'out');
  assert.equal(acme.state, 'down');
  assert.equal(acme.since, new Date(EPOCH_US / 1000 + 30_000).toISOString().replace('.000Z', '.000000Z'));
  assert.equal(acme.figures.options_asked, 12);
  assert.equal(acme.figures.options_answered, 3);
  assert.equal(acme.figures.options_round_trip_ms, 40);
  const globex = rowOf(answer, 'globex', 'out');
  assert.equal(globex.state, 'up');
  assert.equal(globex.outages, 1);
  assert.ok(globex.last_outage?.from.includes(':14:21'), globex.last_outage?.from);
  // The row that is down comes first.
  assert.equal(answer.trunks[0]?.trunk, 'acme');
});

test('each change of a named trunk is told once: also one that is over before time is looked at', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 20; n++) {
    // An answer, three that are missing, an answer, and so on; globex never answers.
    proxied.options(n * 10, CARRIERS.acme, n, n % 4 === 0 ? 40 : null);
    proxied.options(n * 10 + 1, CARRIERS.globex, n, null);
    proxied.options(n * 10 + 2, '203.0.113.200', n, n === 0 ? 20 : null);
  }
  const told: string[] = [];
  const path = join(temporaryFolder(t), 'case.pcap');
  writeFileSync(path, proxied.pcap());
  const session = openSession(['-I', path, ...OPTIONS], {}, { sayTrunk: (line) => told.push(line) });
  t.after(() => session.close());
  await session.read([path], () => undefined);
  const expected = [
    // The third without an answer gets two seconds, and the next message shows it.
    'trunk globex (out) is down: it answers nothing since 2023-11-14T22:14:01.000000Z',
    ...[0, 1, 2, 3].flatMap((n) => {
      const sinceMs = EPOCH_US / 1000 + (n * 40 + 10) * 1000;
      const since = new Date(sinceMs).toISOString().replace('.000Z', '.000000Z');
      return [`trunk acme (out) is down: it answers nothing since ${since}`, ...['trunk acme (out) is up again']];
    }),
    // The last one is found when the file ends.
    'trunk acme (out) is down: it answers nothing since 2023-11-14T22:16:50.000000Z',
  ];
  assert.deepEqual(told.toSorted(), expected.toSorted());
  assert.deepEqual(
    told.filter((line) => line.includes('acme')),
    expected.slice(1),
  );
  const down = (await session.explorer.findings(ALL_CALLS))?.trunks_down;
  assert.deepEqual(
    down?.map(({ trunk, direction }) => [trunk, direction]),
    [
      ['acme', 'out'],
      ['globex', 'out'],
    ],
  );
});

test('a filter finds the calls of a trunk by its name or address, and of one that a domain taught', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (const [i, code] of [200, 503, 503].entries()) {
    const first: Try = { carrier: 'acme', ringMs: 100, finalMs: 200, code };
    const second: Try = { carrier: 'globex', ringMs: 100, finalMs: 200, code: 200 };
    proxied.call({ atSec: i * 20, tries: code === 200 ? [first] : [first, second], talkSec: 1, challenged: false });
  }
  proxied.message(100, PROXY, '203.0.113.200', 'INVITE sip:2@voip.example.com SIP/2.0', 'by-domain', '1 INVITE');
  const { session } = await readCapture(t, proxied.pcap(), [...OPTIONS, '--trunk', 'example.com=initech']);
  const found = async (text: string): Promise<string[]> => {
    const parsed = parseFilter(text, { isUtc: true });
    assert.ok(parsed.ok, text);
    const page = await session.explorer.page({ ...ALL_CALLS, filter: parsed.filter }, 10, '');
    return (page?.calls ?? []).map(({ call_id: id }) => id).sort();
  };
  const [first, second, third] = ['call-1@x', 'call-2@x', 'call-3@x'];
  assert.deepEqual(await found('trunk:acme'), [first, second, third]);
  assert.deepEqual(await found('trunk:globex'), [second, third]);
  assert.deepEqual(await found(`trunk:${CALLER} -trunk:globex`), [first]);
  assert.deepEqual(await found('trunk:initech'), ['by-domain']);
  // Our own side is no trunk, and a trunk with a name is not called by its address.
  assert.deepEqual(await found(`trunk:${PROXY},203.0.113.1`), []);
});

test('OPTIONS that come again after their answer are no new ones, and 100 is no answer yet', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  proxied.options(0, CARRIERS.acme, 0, 40);
  proxied.options(0.5, CARRIERS.acme, 0, null);
  proxied.options(10, CARRIERS.acme, 1, 60);
  proxied.message(10.001, CARRIERS.acme, PROXY, 'SIP/2.0 100 x', `ping-${CARRIERS.acme}-1`, '1 OPTIONS');
  const { figures } = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.deepEqual([figures.options_asked, figures.options_answered, figures.options_round_trip_ms], [2, 2, 50]);
});

test('ten INVITEs without any answer say so where there are no OPTIONS; retransmissions are counted', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 10; n++)
    for (const again of [0, 0.5, 1.5])
      proxied.message(n * 4 + again, PROXY, CARRIERS.acme, 'INVITE sip:2@x SIP/2.0', `dead-${n}`, '1 INVITE');
  proxied.options(60, CARRIERS.globex, 0, 20);
  const acme = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.equal(acme.state, 'down');
  assert.equal(acme.figures.attempts, 10);
  assert.equal(acme.figures.without_final, 10);
  assert.equal(acme.figures.asr_pct, 0);
  assert.equal(acme.figures.retransmissions, 20);
});

test('each message that comes again counts on its own hop, also a BYE and an ACK', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  const tries = [{ carrier: 'acme', ringMs: 100, finalMs: 200, code: 200 }] as const;
  proxied.call({ atSec: 0, tries, talkSec: 3, challenged: false });
  const again = (sec: number, from: string, to: string, method: string, cseq: string): void =>
    proxied.message(sec, from, to, `${method} sip:2@x SIP/2.0`, 'call-1@x', `${cseq} ${method}`);
  // Between hosts of our own side it is on no trunk.
  again(0.0005, CALLER, PROXY, 'INVITE', '1');
  for (const sec of [1, 1.5]) again(sec, PROXY, CARRIERS.acme, 'ACK', '1');
  for (const sec of [3.5, 4.5]) again(sec, PROXY, CARRIERS.acme, 'BYE', '2');
  const { figures } = rowOf(await trunksIn(t, proxied.pcap(), ['--trunk-local', CALLER]), 'acme', 'out');
  assert.equal(figures.retransmissions, 3);
});

test('the mean of delays is that of the delays, not of whole milliseconds', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 3; n++) {
    const tries = [{ carrier: 'acme', ringMs: 20.4, finalMs: 200, code: 200 }] as const;
    proxied.call({ atSec: n, tries, talkSec: 3, challenged: false });
  }
  const { figures } = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.equal(figures.pdd_ms?.mean, 20.4);
});

test('registrations hold, fail and go', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  const register = (sec: number, n: number, code: number): void => {
    const [callId, cseq, user] = [`reg-${n}`, `${sec + 1} REGISTER`, `user-${n}`];
    proxied.message(sec, PROXY, CARRIERS.acme, 'REGISTER sip:x SIP/2.0', callId, cseq, user);
    proxied.message(sec + 0.1, CARRIERS.acme, PROXY, `SIP/2.0 ${code} x`, callId, cseq, user);
  };
  for (let n = 0; n < 5; n++) register(n, n, 200);
  register(10, 4, 403);
  register(11, 5, 503);
  const acme = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.equal(acme.registered, 4);
  assert.equal(acme.registrations_failing, 2);
  assert.equal(acme.figures.registrations_failed, 2);
});

test('10,000 addresses that scan leave a named trunk exact, and the rows bounded', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 10_000; n++) {
    const from = `10.${n >> 14}.${(n >> 7) & 127}.${n & 127}`;
    proxied.message(n / 100, from, PROXY, 'INVITE sip:2@acme SIP/2.0', `scan-${n}`, '1 INVITE');
    proxied.message(n / 100 + 0.001, PROXY, from, 'SIP/2.0 403 x', `scan-${n}`, '1 INVITE');
    if (n % 100 === 0)
      proxied.call({
        atSec: n / 100 + 0.0005,
        tries: [{ carrier: 'acme', ringMs: 100, finalMs: 200, code: 200 }],
        talkSec: 1,
        challenged: false,
      });
  }
  const answer = await trunksIn(t, proxied.pcap());
  assert.ok(answer.trunks.length <= 1_000);
  const { figures } = rowOf(answer, 'acme', 'out');
  assert.equal(figures.attempts, 100);
  assert.equal(figures.answered, 100);
  const strangers = answer.trunks.filter(({ trunk }) => trunk === 'other' || trunk.startsWith('10.'));
  assert.equal(
    strangers.reduce((sum, row) => sum + row.figures.attempts, 0),
    10_000,
  );
});

for (const [trunk, net] of [
  ['acme', '198.51.100.'],
  ['globex', '203.0.113.'],
] as const)
  test(`calls of ${trunk} sounded as their own documents say`, async (t) => {
    const { session } = await readCaptureFile(t, join(packageRoot(), 'fixtures/demo/demo.pcap'), [
      '--trunks',
      ...['--trunk-local', '192.0.2.0/24', '--trunk', `${net}0/24=${trunk}`],
    ]);
    const { evidence, dialogs } = session;
    const worst: number[] = [];
    let [lost, due] = [0, 0];
    for (const d of dialogs.oldestFirst()) {
      const [first] = messagesOf(d, evidence.stores.log);
      if (d.methodText !== 'INVITE' || d.finalCode !== 200 || first?.src.host.startsWith(net) !== true) continue;
      const heard = evidence.stores.streams.ownedBy(d).flatMap((s) => {
        const quality = streamQuality(s, evidence.capture.quality);
        const isTrunks = [s.srcKey, s.dstKey].some((key) => endpointKeyText(key).startsWith(net));
        return quality !== null && isTrunks ? [quality] : [];
      });
      const scored = heard.flatMap(({ mos }) => mos ?? []);
      if (scored.length > 0) worst.push(Math.min(...scored));
      for (const { snapshot } of heard) [lost, due] = [lost + snapshot.lost, due + snapshot.expected];
    }
    assert.ok(worst.length >= 3 && due > 1_000);
    const { figures } = rowOf(finish(trunksSteps(session.figures, {})), trunk, 'in');
    assert.equal(figures.mos?.count, worst.length);
    const mean = worst.reduce((a, b) => a + b, 0) / worst.length;
    assert.ok(Math.abs((figures.mos?.mean ?? 0) - mean) <= mean * 0.001, `${figures.mos?.mean} is not ${mean}`);
    const pct = (100 * lost) / due;
    assert.ok(Math.abs((figures.loss_pct ?? 0) - pct) <= 0.006, `${figures.loss_pct} is not ${pct}`);
  });
