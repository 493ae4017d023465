/** What is said of a named trunk that refuses calls, is slow, sounds bad or does not register; and what others cannot make be said. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALL_CALLS } from '../../../../src/explore/question.ts';
import { metricsSnapshot } from '../../../../src/view/metrics/capture-families.ts';
import { openSession } from '../../../helpers/open-session.ts';
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
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const ACME = CARRIERS.acme;

/** As the capture shows it. */
const at = (sec: number): string => `${new Date(EPOCH_US / 1000 + sec * 1000).toISOString().slice(0, -1)}000Z`;

/** Calls to one carrier, a second apart, ended by these codes. */
function calls(proxied: Proxied, fromSec: number, codes: readonly number[], more: { ringMs?: number } = {}): void {
  for (const [i, code] of codes.entries()) {
    const tries = [{ carrier: 'acme', ringMs: more.ringMs ?? null, finalMs: (more.ringMs ?? 0) + 100, code }] as const;
    proxied.call({ atSec: fromSec + i, tries, talkSec: 0.2, challenged: false });
  }
}
const times = (n: number, code: number): number[] => new Array<number>(n).fill(code);

async function told(t: TestContext, proxied: Proxied, more: readonly string[] = []): Promise<string[]> {
  const lines: string[] = [];
  const path = join(temporaryFolder(t), 'case.pcap');
  writeFileSync(path, proxied.pcap());
  const session = openSession(['-I', path, ...OPTIONS, ...more], {}, { sayTrunk: (line) => lines.push(line) });
  t.after(() => session.close());
  await session.read([path], () => undefined);
  return lines;
}

test('a trunk that answers OPTIONS and refuses every call is refusing, and says why', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 30; n++) proxied.options(n * 10, ACME, n, 20);
  calls(proxied, 5, times(299, 503));
  const row = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.equal(row.state, 'refusing');
  assert.equal(row.since, at(5.102));
  assert.deepEqual(row.troubles, [
    { trouble: 'refusing', since: at(5.102), text: `refuses: NER 0 % of the last 20 calls, 503 by ${ACME}` },
  ]);
});

test('it is told once when it begins and once when it ends, with findings and metrics meanwhile', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  calls(proxied, 0, [...times(5, 200), ...times(40, 503), ...times(60, 200)]);
  assert.deepEqual(await told(t, proxied), [
    `trunk acme (out) refuses: NER 25 % of the last 20 calls, 503 by ${ACME}, since ${at(5.102)}`,
    'trunk acme (out) takes calls again: NER 65 % of the last 20 calls',
  ]);
  const refusing = new Proxied(EPOCH_US);
  calls(refusing, 0, times(40, 404));
  const path = join(temporaryFolder(t), 'refusing.pcap');
  writeFileSync(path, refusing.pcap());
  const session = openSession(['-I', path, ...OPTIONS]);
  t.after(() => session.close());
  await session.read([path], () => undefined);
  const found = await session.explorer.findings(ALL_CALLS);
  assert.deepEqual(found.trunks_down, []);
  assert.deepEqual(found.trunks_troubled, [
    {
      ...{ trunk: 'acme', direction: 'out', trouble: 'refusing', since: at(0.102) },
      text: `refuses: NER 0 % of the last 20 calls, 404 by ${ACME}`,
    },
  ]);
  const family = [...metricsSnapshot(session.figures).families].find(({ name }) => name === 'calltap_trunk_trouble');
  const on = family?.samples.filter(({ value }) => value === 1).map(({ labels }) => labels);
  assert.deepEqual(on, [['acme', 'out', 'refusing']]);
  assert.ok(family?.samples.some(({ labels }) => labels[0] === 'globex'));
});

test('who calls from an address without a name says nothing of a trunk, once our own side is named', async (t) => {
  const stranger = '198.51.100.66';
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 100; n++) {
    proxied.message(n, stranger, ACME, 'INVITE sip:2@acme SIP/2.0', `scan-${n}`, '1 INVITE');
    if (n < 50) proxied.message(n + 0.01, ACME, stranger, 'SIP/2.0 403 x', `scan-${n}`, '1 INVITE');
  }
  calls(proxied, 0.5, [200]);
  const answer = await trunksIn(t, proxied.pcap());
  const acme = rowOf(answer, 'acme', 'out');
  assert.equal(acme.figures.attempts, 101);
  assert.equal(acme.state, 'up');
  assert.deepEqual(acme.troubles, []);
  assert.ok(rowOf(answer, stranger, 'in').troubles.every(({ trouble }) => trouble === 'down'));
});

test('responses from another address, and with another CSeq, refuse no call', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  calls(proxied, 0, times(60, 200));
  for (let n = 1; n <= 60; n++) {
    proxied.message(n - 0.95, '198.51.100.66', PROXY, 'SIP/2.0 503 x', `call-${n}@x`, '1 INVITE');
    proxied.message(n - 0.94, ACME, PROXY, 'SIP/2.0 503 x', `call-${n}@x`, '7 INVITE');
  }
  const row = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.equal(row.state, 'up');
  assert.equal(row.figures.ner_pct, 100);
});

test('a demand for credentials is no refusal, but credentials that are refused are one', async (t) => {
  const asked = (isAgain: boolean): Proxied => {
    const proxied = new Proxied(EPOCH_US);
    for (let n = 0; n < 40; n++) {
      for (const cseq of isAgain ? [1, 2] : [1]) {
        const [sec, callId] = [n + cseq / 10, `auth-${n}`];
        proxied.message(sec, PROXY, ACME, 'INVITE sip:2@x SIP/2.0', callId, `${cseq} INVITE`);
        // A response may come twice.
        for (const later of [0.01, 0.02])
          proxied.message(sec + later, ACME, PROXY, 'SIP/2.0 407 x', callId, `${cseq} INVITE`);
      }
    }
    return proxied;
  };
  assert.equal(rowOf(await trunksIn(t, asked(false).pcap()), 'acme', 'out').state, 'up');
  const refused = rowOf(await trunksIn(t, asked(true).pcap()), 'acme', 'out');
  assert.equal(refused.troubles[0]?.text, `refuses: NER 0 % of the last 20 calls, 407 by ${ACME}`);
});

test('redirected calls say nothing', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  calls(proxied, 0, times(60, 302));
  assert.equal(rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out').state, 'up');
});

test('a trunk that answers OPTIONS, but no INVITE, is refusing; down says more', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 10; n++) {
    proxied.options(n * 10, ACME, n, 20);
    proxied.message(n * 10 + 5, PROXY, ACME, 'INVITE sip:2@x SIP/2.0', `dead-${n}`, '1 INVITE');
  }
  proxied.options(100, ACME, 10, 20);
  const { state, troubles } = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.equal(state, 'refusing');
  assert.deepEqual(
    troubles.map(({ text }) => text),
    ['answers OPTIONS, but none of the last 10 INVITEs'],
  );
  for (let n = 11; n < 15; n++) proxied.options(n * 10, ACME, n, null);
  const down = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.deepEqual([down.state, down.troubles.map(({ trouble }) => trouble)], ['down', ['down']]);
});

test('callers who wait too long are a trouble, until they do not', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  calls(proxied, 0, times(30, 486), { ringMs: 12_000 });
  calls(proxied, 60, times(101, 486), { ringMs: 500 });
  const ofDelay = async (more: readonly string[] = []): Promise<string[]> =>
    (await told(t, proxied, more)).filter((line) => /slow|fast/.test(line));
  assert.deepEqual(await ofDelay(), [
    `trunk acme (out) is slow: PDD p95 12.0 s of the last 20 calls, since ${at(0.102 + 12)}`,
    'trunk acme (out) is fast again: PDD p95 0.5 s of the last 100 calls',
  ]);
  assert.deepEqual(await ofDelay(['--trunk-pdd', 'off']), []);
  assert.deepEqual(await ofDelay(['--trunk-pdd', '15..10']), []);
});

test('registrations that fail for a minute are a trouble, until one with another Call-ID succeeds', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  const register = (sec: number, callId: string, code: number): void => {
    proxied.message(sec, PROXY, ACME, 'REGISTER sip:x SIP/2.0', callId, '1 REGISTER', 'trunk-user');
    proxied.message(sec + 0.1, ACME, PROXY, `SIP/2.0 ${code} x`, callId, '1 REGISTER', 'trunk-user');
  };
  register(0, 'reg-0', 403);
  register(30, 'reg-1', 403);
  register(90, 'reg-2', 403);
  proxied.options(95, ACME, 0, 20);
  register(120, 'reg-3', 200);
  proxied.options(300, ACME, 1, 20);
  assert.deepEqual(await told(t, proxied), [
    `trunk acme (out) does not register: 1 of 1 registrations fail, since ${at(0.1)}`,
    'trunk acme (out) registers again: 0 of 1 registrations fail',
  ]);
});

test('named trunks are listed before anything comes or goes, once, and a trunk that only calls has no other row', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  proxied.message(0, ACME, PROXY, 'INVITE sip:2@x SIP/2.0', 'called', '1 INVITE');
  const { trunks } = await trunksIn(t, proxied.pcap());
  assert.deepEqual(
    trunks.map(({ trunk, direction, state, first_seen }) => [trunk, direction, state, first_seen !== undefined]),
    [
      ['acme', 'in', 'unknown', true],
      ['globex', 'out', 'unknown', false],
    ],
  );
});

test('a trunk that nobody asks any more stays down, and says so', async (t) => {
  const proxied = new Proxied(EPOCH_US);
  for (let n = 0; n < 5; n++) proxied.options(n * 10, ACME, n, n === 0 ? 20 : null);
  proxied.message(7_200, CALLER, PROXY, 'INVITE sip:2@x SIP/2.0', 'later', '1 INVITE');
  const { state, since, troubles } = rowOf(await trunksIn(t, proxied.pcap()), 'acme', 'out');
  assert.deepEqual([state, since], ['down', at(10)]);
  assert.equal(troubles[0]?.text, 'is down, no longer asked: it answered nothing');
  assert.deepEqual(await told(t, proxied), [`trunk acme (out) is down: it answers nothing since ${at(10)}`]);
});
