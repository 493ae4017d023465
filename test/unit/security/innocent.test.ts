/** Honest traffic that looks like an attack to a rule that is too simple: no line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REGISTRAR, Script } from '../../helpers/attack.ts';
import { Stage } from './stage.ts';

const OFFICE = '203.0.113.60';
const TRUNK = '198.51.100.7';

function quiet(name: string, fill: (script: Script) => void): void {
  it(name, () => {
    const script = new Script();
    fill(script);
    const stage = Stage.of(script);
    stage.watch.tick(1e12);
    assert.equal(stage.alerts.length, 0, `${stage.alerts[0]?.source} ${stage.alerts[0]?.behaviour}`);
  });
}

describe('phones', () => {
  for (const [name, gap] of [
    ['within a second', 1 / 60],
    ['one after the other', 1],
  ] as const)
    quiet(`an office of 60 restarts ${name}: challenged, let in, and refused a subscription each`, (script) => {
      for (let n = 0; n < 60; n++) {
        const sec = 10 + n * gap;
        script.at(sec, (s) => s.register(sec, OFFICE, `3${n}`));
        for (const k of [1, 2])
          script.ask(sec + 0.2 + k / 10, {
            from: OFFICE,
            method: 'SUBSCRIBE',
            user: `3${n}`,
            callId: `s${n}-${k}`,
            status: 489,
          });
      }
    });
  quiet('keep-alives that are refused for ever', (script) => {
    for (let n = 0; n < 2000; n++)
      for (const [k, status] of [404, 405, 486, 481].entries())
        script.ask(n * 2, { from: `10.0.1.${k + 1}`, method: 'OPTIONS', user: 'ping', callId: `k${n}-${k}`, status });
  });
  quiet('roaming: one account from a new address every minute, each time challenged', (script) => {
    for (let n = 0; n < 60; n++) script.at(n * 60, (s) => s.register(n * 60, `10.8.${n}.7`, '2001'));
  });
  quiet('privacy addresses of one network, each with a phone of its own', (script) => {
    for (let n = 0; n < 60; n++) {
      const from = `2001:db8:7::${(n + 0x100).toString(16)}`;
      const ask = { from, to: '2001:db8:2::2', user: `4${n}`, callId: `p${n}` };
      script.ask(n / 10, { ...ask, cseq: 1, status: 401 });
      script.ask(n / 10 + 0.05, { ...ask, cseq: 2, credentials: `r${n}`, status: 200 });
    }
  });
  quiet('dialogs: key presses, session timers and presence that are refused', (script) => {
    for (let n = 0; n < 50; n++) {
      const call = { from: '10.0.0.5', method: 'INVITE', user: `${2000 + n}`, callId: `d${n}` };
      script.ask(n, { ...call, cseq: 1, status: 200 });
      for (let k = 0; k < 20; k++)
        script.ask(n + 0.2 + k / 40, {
          ...call,
          method: 'INFO',
          cseq: 2 + k,
          toTag: 'b',
          status: k % 2 === 0 ? 405 : 481,
        });
      script.ask(n + 0.9, { ...call, method: 'BYE', cseq: 50, toTag: 'b', status: 481 });
    }
  });
});

describe('a trunk with 50 calls a second', () => {
  const calls = (script: Script, seconds: number, more: (n: number) => object): void => {
    for (let n = 0; n < seconds * 50; n++) {
      const status = n % 5 === 0 ? 404 : n % 7 === 0 ? 486 : 200;
      script.ask(n / 50, { from: TRUNK, method: 'INVITE', user: `+4930${100_000 + n * 37}`, status, ...more(n) });
    }
  };
  quiet('of which a fifth are wrong numbers', (script) => calls(script, 60, () => ({ rings: true })));
  quiet('that are answered after seconds of 100 Trying', (script) =>
    calls(script, 60, () => ({ trying: true, after: 6 })),
  );
  quiet('to one number, beside wrong ones', (script) =>
    calls(script, 60, (n) => (n % 10 === 0 ? { status: 404 } : { status: 200, user: '+4930555' })),
  );
  quiet('whose server goes down for half a minute', (script) => {
    calls(script, 20, () => ({}));
    for (let n = 0; n < 1500; n++) script.ask(20 + n / 50, { from: TRUNK, method: 'INVITE', user: `+49${n}` });
    script.at(60, (s) => s.register(60, '10.0.0.1', '2001'));
  });
  quiet('that hang up after the server forgot the calls', (script) => {
    calls(script, 10, (n) => ({ callId: `t${n}`, status: 200 }));
    for (let n = 0; n < 500; n++) {
      const bye = { from: TRUNK, method: 'BYE', user: `+4930${100_000 + n * 37}`, callId: `t${n}`, cseq: 2 };
      script.ask(30 + n / 100, { ...bye, toTag: 'b', status: 481 });
    }
  });
});

describe('what passes on', () => {
  /** A request over a proxy: each hop with a branch of its own. */
  const relayed = (script: Script, sec: number, n: number, status: number, hops: readonly string[]): void => {
    for (let hop = 0; hop + 1 < hops.length; hop++) {
      const ask = {
        method: 'INVITE',
        user: `77${n}`,
        callId: `same`,
        cseq: 1,
        branch: `h${hop}-${n}`,
        fromTag: 'same',
      };
      script.ask(sec + hop / 500, {
        ...ask,
        from: hops[hop] ?? '',
        to: hops[hop + 1] ?? '',
        status,
        after: 0.05 - hop / 100,
      });
    }
  };
  it('the scanner is reported, the proxies behind it are not', () => {
    const script = new Script();
    for (let n = 0; n < 100; n++) relayed(script, n / 20, n, 404, ['203.0.113.5', REGISTRAR, '10.9.9.8', '10.9.9.9']);
    assert.deepEqual(Stage.of(script).reported, ['203.0.113.5']);
  });
  quiet('calls to several phones at once, of which most refuse', (script) => {
    for (let n = 0; n < 100; n++) {
      const ask = { method: 'INVITE', callId: `f${n}`, cseq: 1, fromTag: 'x' };
      script.ask(n, { ...ask, from: '10.0.0.5', user: '600', status: 200, after: 0.4 });
      for (let k = 0; k < 8; k++) {
        const user = `60${k}`;
        script.ask(n + 0.01 + k / 1000, {
          ...ask,
          branch: `f${n}-${k}`,
          from: REGISTRAR,
          to: `10.0.2.${k}`,
          user,
          status: 404,
        });
      }
    }
  });
});
