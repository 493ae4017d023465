/** Who proved to be a customer is not reported on a name, nor below four times the evidence. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Ask, REGISTRAR } from '../../helpers/attack.ts';
import { Stage } from './stage.ts';

const PHONE = '10.0.0.7';

/** A stage on which the phone has registered. */
function registered(from = PHONE): Stage {
  const stage = new Stage();
  const to = from.includes(':') ? '2001:db8:2::2' : REGISTRAR;
  stage.ask(0, { from, to, user: '2007', credentials: 'right', status: 200 });
  return stage;
}

function send(stage: Stage, count: number, shape: (n: number) => Partial<Ask>, begin = 10): string[] {
  for (let n = 0; n < count; n++) stage.ask(begin + n / 20, { from: PHONE, status: 404, ...shape(n) });
  stage.watch.tick((begin + 60) * 1e6);
  return stage.reported;
}

const TOOL = { method: 'OPTIONS', agent: 'friendly-scanner' } as const;
const INJECTED = { method: 'INVITE', user: "1'%20or%201=1--" } as const;

describe('under the address of a registered phone', () => {
  for (const [name, ask] of Object.entries({ 'a scanner’s name': TOOL, 'an injection': INJECTED })) {
    it(`${name}: granted or refused, a few say nothing`, () => {
      assert.deepEqual(
        send(registered(), 200, () => ({ ...ask, status: 200 })),
        [],
      );
      assert.deepEqual(
        send(registered(), 2, () => ask),
        [],
      );
      assert.deepEqual(
        send(registered(), 19, () => ask),
        [],
      );
      assert.deepEqual(
        send(registered(), 21, () => ask),
        [PHONE],
      );
    });
    it(`${name}: at once from a stranger`, () =>
      assert.deepEqual(
        send(new Stage(), 1, () => ask),
        [PHONE],
      ));
  }
  it('a walk over users, a burst of guesses and a flood need four times as much', () => {
    const walk = (n: number): Partial<Ask> => ({ user: String(3000 + n) });
    assert.deepEqual(send(registered(), 19, walk), []);
    assert.deepEqual(send(registered(), 20, walk), [PHONE]);
    const guess = (n: number): Partial<Ask> => ({ user: '2001', credentials: `r${n}` });
    assert.deepEqual(send(registered(), 36, guess), []);
    assert.deepEqual(send(registered(), 60, guess), [PHONE]);
    const flood = (n: number): Partial<Ask> => ({ user: '2001', callId: `f${n}`, credentials: true });
    const at = (n: number): number => 10 + n / 400;
    for (const [count, expected] of [
      [203, []],
      [240, [PHONE]],
    ] as const) {
      const stage = registered();
      for (let n = 0; n < count; n++) stage.ask(at(n), { from: PHONE, status: 403, after: 0.001, ...flood(n) });
      assert.deepEqual(stage.reported, expected);
    }
  });
  it('more than half must be refused', () => {
    const stage = registered();
    for (let n = 0; n < 200; n++) {
      stage.ask(10 + n / 20, { from: PHONE, method: 'INVITE', user: String(4000 + n), status: n % 5 < 2 ? 404 : 200 });
    }
    assert.deepEqual(stage.reported, []);
  });
});

it('a phone in a /64 protects the /64 by the same factor', () => {
  const stage = registered('2001:db8:5::7');
  for (let n = 0; n < 19; n++)
    stage.ask(10 + n / 20, { from: `2001:db8:5::${n + 10}`, to: '2001:db8:2::2', user: `3${n}`, status: 404 });
  assert.deepEqual(stage.reported, []);
  for (let n = 19; n < 40; n++)
    stage.ask(10 + n / 20, { from: `2001:db8:5::${n + 10}`, to: '2001:db8:2::2', user: `3${n}`, status: 404 });
  assert.equal(stage.alerts[0]?.net, '2001:db8:5::/64');
});

it('answers that nobody asked for, and those of another host, establish nobody', () => {
  const stage = new Stage();
  const forged =
    'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP x;branch=z9hG4bKreal1\r\nFrom: <sip:a@x>;tag=a\r\nTo: <sip:a@x>;tag=b\r\n' +
    'Call-ID: real\r\nCSeq: 1 REGISTER\r\n\r\n';
  stage.ask(0, { from: PHONE, callId: 'real', branch: 'real1' });
  stage.send(0.1, '10.66.0.1', PHONE, forged);
  stage.send(
    0.2,
    '192.0.2.1',
    PHONE,
    forged.replace('REGISTER', 'OPTIONS').replace('real1', 'other').replace(': real', ': other'),
  );
  stage.ask(1, { from: PHONE, ...TOOL, status: 200 });
  assert.deepEqual(stage.reported, [PHONE]);
});
