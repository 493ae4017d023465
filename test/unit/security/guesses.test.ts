/** A list of passwords is found, and a phone with one wrong password is left alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REGISTRAR, Script } from '../../helpers/attack.ts';
import { Stage } from './stage.ts';

const ATTACKER = '203.0.113.3';

type Guess = { readonly nonce: (n: number) => string; readonly everySec: number; readonly count?: number };

/** As svcrack does it: one user, Call-ID and CSeq, a new branch, From tag and password each time. */
function crack({ nonce, everySec, count = 303 }: Guess): Stage {
  const stage = new Stage();
  for (let n = 0; n < count; n++) {
    const varied = { branch: `b${n}`, fromTag: `t${n}`, nonce: nonce(n), credentials: `r${n}` };
    stage.ask(n * everySec, { from: ATTACKER, user: '2001', callId: 'one', cseq: 2, status: 401, ...varied });
  }
  stage.watch.tick((count * everySec + 10) * 1e6);
  return stage;
}

describe('guessing', () => {
  for (const [name, nonce] of [
    ['one nonce', () => 'same'],
    ['a nonce a second', (n: number) => String(Math.floor(n / 50))],
    ['a new nonce each time', (n: number) => `n${n}`],
  ] as const) {
    it(`303 passwords for one user, ${name}: reported within 5 s, again and again`, () => {
      const { alerts } = crack({ nonce, everySec: 0.02 });
      const guesses = alerts.filter((a) => a.behaviour === 'password-guessing');
      assert.ok((guesses[0]?.atUs ?? Number.NaN) <= 5e6, `${alerts.map((a) => a.behaviour)}`);
      assert.ok(guesses.length >= 2, `${alerts.map((a) => a.behaviour)}`);
    });
  }
  it('all of it within a second: what has to wait is said when the second is over, with the count', () => {
    const { alerts } = crack({ nonce: () => 'same', everySec: 0.003 });
    assert.equal(alerts.length, 2);
    assert.ok((alerts[1]?.atUs ?? 0) - (alerts[0]?.atUs ?? 0) >= 1e6);
    assert.ok((alerts[1]?.evidence.count ?? 0) > 250, `${alerts[1]?.evidence.count}`);
  });
  it('one password a second, as long as the server keeps its nonce', () => {
    const { alerts } = crack({ nonce: (n) => String(Math.floor(n / 30)), everySec: 1, count: 120 });
    assert.equal(alerts[0]?.behaviour, 'password-guessing');
  });
  it('one password for many users', () => {
    const stage = new Stage();
    for (let n = 0; n < 60; n++)
      stage.ask(n, { from: ATTACKER, user: '9', fromUser: '9', credentials: 'x', nonce: `${n}`, status: 401 }, (text) =>
        text.replace('username="9"', `username="${3000 + n}"`),
      );
    assert.equal(stage.reported[0], ATTACKER);
  });
  it('behind a constant header of credentials', () => {
    const stage = new Stage();
    const fixed = 'Authorization: Digest username="2001", realm="x", nonce="n", uri="sip:x", response="fixed"\r\n';
    for (let n = 0; n < 60; n++)
      stage.ask(n / 20, { from: ATTACKER, user: '2001', credentials: `r${n}`, status: 403 }, (text) =>
        text.replace('Authorization:', `${fixed}Authorization:`),
      );
    assert.equal(stage.alerts[0]?.behaviour, 'password-guessing');
  });
});

describe('one wrong password', () => {
  /** One attempt: challenged, then the same credentials so many times at once. */
  const attempt = (
    script: Script,
    sec: number,
    from: string,
    user: string,
    more: Partial<{ many: boolean }> = {},
  ): void => {
    const callId = `${user}-${sec}`;
    script.ask(sec, { from, user, callId, cseq: 1, status: 401 });
    for (let n = 0; n < 15; n++) {
      const nonce = more.many === true ? `${sec}-${n}` : String(sec);
      const credentials = `wrong-${nonce}`;
      script.ask(sec + 0.01 + n / 2000, {
        from,
        user,
        callId,
        cseq: n + 2,
        credentials,
        nonce,
        status: 401,
        after: 0.0004,
      });
    }
  };
  const quiet = (script: Script): void => {
    const stage = Stage.of(script);
    stage.watch.tick(4000e6);
    assert.equal(stage.alerts.length, 0, stage.alerts[0]?.behaviour);
  };

  it('as baresip sends it: fifteen times within 7 ms, once a minute for an hour', () => {
    const script = new Script();
    for (let minute = 0; minute < 60; minute++) attempt(script, minute * 60, '10.0.0.9', '2001');
    quiet(script);
  });
  it('the same, to a server that makes a nonce for each answer, tried again sooner and sooner', () => {
    const script = new Script();
    for (const sec of [0, 15, 45, 100, 200, 400, 800]) attempt(script, sec, '10.0.0.9', '2001', { many: true });
    for (let minute = 20; minute < 60; minute++) attempt(script, minute * 60, '10.0.0.9', '2001', { many: true });
    quiet(script);
  });
  it('two such phones behind one address', () => {
    const script = new Script();
    for (let minute = 0; minute < 60; minute++)
      for (const user of ['2001', '2002']) attempt(script, minute * 60, '10.0.0.9', user);
    quiet(script);
  });
  it('a phone that tries every four seconds', () => {
    const script = new Script();
    for (let n = 0; n < 900; n++) {
      const ask = { from: '10.0.0.9', user: '2001', callId: `c${n}` };
      script.ask(n * 4, { ...ask, cseq: 1, status: 401 });
      script.ask(n * 4 + 0.1, { ...ask, cseq: 2, credentials: `r${n}`, nonce: `n${n}`, status: 403 });
    }
    quiet(script);
  });
  it('wrong twice, then right', () => {
    const script = new Script();
    for (let n = 0; n < 40; n++) {
      const ask = { from: '10.0.0.9', user: '2001', callId: `c${n}` };
      for (let k = 0; k < 2; k++) {
        script.ask(n * 5 + k, { ...ask, cseq: 2 * k + 1, status: 401 });
        script.ask(n * 5 + k + 0.1, { ...ask, cseq: 2 * k + 2, credentials: `w${k}`, nonce: `n${n}${k}`, status: 401 });
      }
      script.ask(n * 5 + 2, { ...ask, to: REGISTRAR, cseq: 6, credentials: 'right', nonce: `n${n}`, status: 200 });
    }
    quiet(script);
  });
});
