/** A scan is a scan whatever its sender holds equal, varies or leaves out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ask } from '../../helpers/attack.ts';
import { REGISTRAR } from '../../helpers/attack.ts';
import { Stage } from './stage.ts';

const ATTACKER = '203.0.113.9';

/** Sixty requests for as many users, 20 ms apart; the alerts about them. */
function scan(shape: (n: number) => Partial<Ask>, rewrite?: (text: string, n: number) => string): Stage {
  const stage = new Stage();
  for (let n = 0; n < 60; n++) {
    const ask = { from: ATTACKER, user: String(3000 + n), status: 404, ...shape(n) };
    stage.ask(n / 50, ask, rewrite === undefined ? undefined : (text) => rewrite(text, n));
  }
  stage.watch.tick(10e6);
  return stage;
}

function isFound(stage: Stage): void {
  const [first] = stage.alerts;
  assert.equal(first?.source, ATTACKER);
  assert.ok((first?.atUs ?? Number.NaN) <= 5e6, `at ${first?.atUs}`);
}

/** What may be the same in every request of a scan. */
const SAME: Readonly<Record<string, Partial<Ask>>> = {
  'Call-ID and CSeq': { callId: 'one', cseq: 1 },
  'branch alone': { branch: 'one' },
  'Call-ID and branch': { callId: 'one', branch: 'one' },
  'From tag and Call-ID': { callId: 'one', fromTag: 'one' },
  'all but the user': { callId: 'one', branch: 'one', fromTag: 'one', fromUser: 'me' },
};

describe('what is held equal hides nothing', () => {
  for (const [name, same] of Object.entries(SAME)) {
    for (const method of ['REGISTER', 'INVITE', 'OPTIONS', 'SUBSCRIBE']) {
      it(`${name}: ${method}`, () => isFound(scan(() => ({ ...same, method }))));
    }
    it(`${name}: every user is challenged`, () => isFound(scan(() => ({ ...same, status: 401 }))));
    it(`${name}: nobody but others is answered`, () => {
      const stage = new Stage();
      for (let n = 0; n < 60; n++) {
        const { status: _, ...ask } = { from: ATTACKER, user: String(3000 + n), status: 404, ...same };
        stage.ask(n / 50, ask);
        stage.ask(n / 50 + 0.001, { from: '10.0.0.1', method: 'OPTIONS', user: 'alive', status: 200 });
      }
      stage.watch.tick(10e6);
      assert.deepEqual(stage.reported, [ATTACKER]);
    });
  }
  it('the called user, when the callers are tried out', () => {
    isFound(scan((n) => ({ method: 'INVITE', user: '100', fromUser: String(3000 + n), status: 403 })));
  });
  it('a display name or parameters that hold another address', () => {
    const fake = (text: string): string => text.replace('To: <', 'To: "sip:100@x" <');
    isFound(scan(() => ({}), fake));
    const long = `To: "${'x'.repeat(400)}" <`;
    isFound(
      scan(
        () => ({}),
        (text) => text.replace('To: <', long),
      ),
    );
    isFound(
      scan(
        () => ({ method: 'OPTIONS' }),
        (text) => text.replace('OPTIONS sip:', `OPTIONS sip:${'0'.repeat(300)}`),
      ),
    );
    isFound(
      scan(
        () => ({ method: 'OPTIONS' }),
        (text, n) => text.replace(/ sip:\d+@x/, ` sip:${3000 + n};x@x`),
      ),
    );
  });
});

describe('what is left out or added hides nothing', () => {
  const without = (name: string) => (text: string) => text.replace(new RegExp(`^${name}:.*\r\n`, 'm'), '');
  const rewrites: Readonly<Record<string, (text: string, n: number) => string>> = {
    'no Call-ID': without('Call-ID'),
    'an empty Call-ID': (text) => text.replace(/^Call-ID:.*$/m, 'Call-ID:'),
    'two Call-IDs': (text) => text.replace(/^Call-ID:/m, 'Call-ID: same\r\nCall-ID:'),
    'no CSeq': without('CSeq'),
    'another method in CSeq': (text) => text.replace(/^CSeq:.*$/m, 'CSeq: 1 FOO'),
    'no From tag': (text) => text.replace(/^(From:.*);tag=\w+/m, '$1'),
    'no From': without('From'),
    'no branch': (text) => text.replace(/;branch=\w+/, ''),
    'no Via': without('Via'),
  };
  for (const [name, rewrite] of Object.entries(rewrites)) {
    for (const method of ['REGISTER', 'INVITE'])
      it(`${name}: ${method}`, () => isFound(scan(() => ({ method }), rewrite)));
  }
  for (const method of ['REGISTER', 'INVITE', 'OPTIONS', 'INFO'])
    it(`a To tag: ${method}`, () => isFound(scan((n) => ({ method, toTag: `made-up-${n}`, status: 401 }))));
  it('a To tag and credentials', () => {
    isFound(scan((n) => ({ toTag: `t${n}`, credentials: `r${n}`, status: 401 })));
  });
  for (const method of ['NOTIFY', 'INFO', 'UPDATE', 'PRACK', 'BYE', 'REFER', 'PUBLISH', 'MESSAGE', 'CANCEL', 'FOOBAR'])
    it(`${method} to one user after the other`, () => {
      isFound(scan(() => ({ method, status: method === 'CANCEL' || method === 'BYE' ? 481 : 405 })));
    });
  it('a forged route: a second Via does not make a proxy of the sender', () => {
    isFound(
      scan(
        () => ({}),
        (text) => text.replace(/^From/m, 'Via: SIP/2.0/UDP 192.0.2.7;branch=z9hG4bKx\r\nFrom'),
      ),
    );
  });
});

describe('what one granted request buys', () => {
  it('a dialog carries requests to its own side, not to everybody', () => {
    const stage = new Stage();
    const callId = stage.ask(0, { from: ATTACKER, method: 'INVITE', user: 'echo', status: 200 });
    for (let n = 0; n < 200; n++) {
      const ask = { from: ATTACKER, callId, cseq: n + 2, toTag: 'b', status: 481 };
      stage.ask(1 + n / 50, { ...ask, method: 'INFO', user: String(3000 + n) });
    }
    assert.deepEqual(stage.reported, [ATTACKER]);
  });
  it('granted requests for one user do not outweigh refused ones for many', () => {
    const stage = new Stage();
    for (let n = 0; n < 300; n++) {
      stage.ask(n / 50, { from: ATTACKER, method: 'OPTIONS', user: 'ping', status: 200 });
      stage.ask(n / 50 + 0.005, { from: ATTACKER, user: '2001', credentials: true, status: n % 2 === 0 ? 200 : 999 });
      stage.ask(n / 50 + 0.01, { from: ATTACKER, user: String(3000 + n), status: 404 });
    }
    assert.deepEqual(stage.reported, [ATTACKER]);
  });
  it('a request that was sent to him does not make a proxy of an attacker', () => {
    const stage = new Stage();
    stage.ask(0, { from: REGISTRAR, to: ATTACKER, method: 'INVITE', user: '1', callId: 'his', cseq: 1, status: 200 });
    for (let n = 0; n < 100; n++) {
      const ask = { from: ATTACKER, method: 'INVITE', callId: 'his', cseq: 1, branch: `his${n}`, status: 404 };
      stage.ask(1 + n / 50, { ...ask, user: String(3000 + n) });
    }
    assert.deepEqual(stage.reported, [ATTACKER]);
  });
});

it('the same datagram again and again is a flood, a retransmission is not', () => {
  const stage = new Stage();
  const again = (count: number): void => {
    for (let n = 0; n < count; n++)
      stage.ask(1 + n / 200, { from: ATTACKER, callId: 'same', user: '100', status: 403 });
  };
  again(20);
  assert.equal(stage.alerts.length, 0);
  again(120);
  assert.equal(stage.alerts[0]?.behaviour, 'registration-flood');
});

it('one datagram sent to many hosts is a sweep', () => {
  const stage = new Stage();
  for (let n = 0; n < 30; n++) {
    const ask = { from: ATTACKER, to: `10.2.0.${n}`, method: 'OPTIONS', user: '100', callId: 'same', branch: 'same' };
    stage.ask(n / 10, { ...ask, ...(n % 3 === 0 ? { status: 404 } : {}) });
  }
  stage.watch.tick(60e6);
  assert.equal(stage.alerts[0]?.behaviour, 'host-sweep');
});

it('a name is judged by its text: a twin of its hash changes nothing', () => {
  const stage = new Stage();
  const twin = Buffer.from('friendly-scanner');
  for (const [at, bits] of [
    [3, 0x80],
    [7, 0x80],
    [6, 1],
  ] as const)
    twin[at] = (twin[at] ?? 0) ^ bits;
  stage.ask(0, { from: '203.0.113.8', method: 'OPTIONS', agent: twin.toString('latin1'), status: 200 });
  stage.ask(1, { from: ATTACKER, method: 'OPTIONS', agent: 'friendly-scanner', status: 200 });
  assert.deepEqual(stage.reported, [ATTACKER]);
});
