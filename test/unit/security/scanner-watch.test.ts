/** Who is reported as a scanner, when, with which evidence, and above all who is not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ATTACKERS, attack, legitimate, REGISTRAR, Script, SIX, SLOW } from '../../helpers/attack.ts';
import { Stage } from './stage.ts';

describe('among fifty phones and a busy trunk', () => {
  const script = new Script();
  legitimate(script, 700);
  attack(script);
  const stage = Stage.of(script);

  it('reports every attacker and nobody else', () => {
    assert.deepEqual(stage.reported, ATTACKERS);
  });

  it('reports the fast ones within 5 s of capture time', () => {
    for (const [source, begin] of [
      ['203.0.113.1', 100],
      ['203.0.113.2', 200],
      ['203.0.113.4', 400],
      [SIX, 500],
    ] as const) {
      const first = stage.alerts.find((a) => a.source === source);
      assert.ok(first !== undefined && first.atUs / 1e6 - begin <= 5, `${source} at ${first?.atUs}`);
    }
  });

  it('names the behaviour and gives evidence', () => {
    const of = (source: string): Set<string> =>
      new Set(stage.alerts.filter((a) => a.source === source).map((a) => a.behaviour));
    assert.ok(of('203.0.113.1').has('known-tool'));
    assert.ok(of('203.0.113.2').has('enumeration'));
    assert.ok(of('203.0.113.3').has('password-guessing'));
    assert.ok(of('203.0.113.4').has('registration-flood'));
    assert.ok(of(SLOW[0] ?? '').has('slow-enumeration'));
    const flood = stage.alerts.find((a) => a.kind === 'reg-flood');
    assert.equal(flood?.method, 'REGISTER');
    assert.ok((flood?.evidence.count ?? 0) > 50);
    assert.deepEqual([...(flood?.evidence.methods.keys() ?? [])], ['REGISTER']);
    assert.equal(flood?.evidence.codes.get(403), flood?.evidence.count);
    assert.deepEqual(flood?.evidence.targets, ['2002']);
  });

  it('says so again while it goes on, but not for every packet', () => {
    const times = stage.alerts.filter((a) => a.source === '203.0.113.4' && a.kind === 'reg-flood').map((a) => a.atUs);
    assert.ok(times.length >= 2 && times.length < 40, `${times.length} alerts`);
  });
});

describe('who is not an attacker', () => {
  const quiet = (name: string, fill: (script: Script) => void): void => {
    it(name, () => {
      const script = new Script();
      fill(script);
      assert.deepEqual(Stage.of(script).alerts, []);
    });
  };

  quiet('an office of 200 phones behind one address after a power cut', (script) => {
    for (let n = 0; n < 200; n++) script.at(10 + n / 50, (s) => s.register(10 + n / 50, '203.0.113.9', `3${n}`));
  });
  quiet('phones whose nonce has grown old', (script) => {
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 50; n++) {
        const sec = round * 30 + n / 100;
        const callId = `old-${n}`;
        const ask = { from: '203.0.113.9', user: `3${n}`, callId, credentials: true };
        const headers = 'WWW-Authenticate: Digest nonce="n", stale=true\r\n';
        script.ask(sec, { ...ask, cseq: 2 * round + 1, status: 401, headers });
        script.ask(sec + 0.1, { ...ask, cseq: 2 * round + 2, status: 200 });
      }
    }
  });
  quiet('one phone with a wrong password', (script) => {
    for (let n = 0; n < 60; n++) {
      const callId = `wrong-${n}`;
      script.ask(n * 20, { from: '10.0.0.9', callId, cseq: 1, status: 401 });
      script.ask(n * 20 + 0.1, { from: '10.0.0.9', callId, cseq: 2, credentials: true, status: 403 });
    }
  });
  quiet('a capture that holds one direction only', (script) => {
    for (let n = 0; n < 300; n++) script.ask(n / 10, { from: '198.51.100.7', method: 'INVITE', user: `49${n}` });
  });
  quiet('a server that answers with busy, and calls that ring and are declined', (script) => {
    for (let n = 0; n < 100; n++) {
      script.ask(n / 10, {
        from: '198.51.100.7',
        method: 'INVITE',
        user: `49${n}`,
        rings: true,
        status: 403,
        after: 1.5,
      });
      script.ask(n / 10 + 0.05, { from: '198.51.100.8', method: 'INVITE', user: `48${n}`, status: 486 });
    }
  });
  quiet('legitimate tools by their name alone', (script) => {
    for (const [n, agent] of ['sipsak 0.9.8', 'baresip v1.0.0', 'FPBX-16.0', 'PJSUA v2.12', 'Ozeki'].entries()) {
      script.ask(n, { from: `10.1.0.${n + 1}`, method: 'OPTIONS', agent, status: 200 });
    }
  });
  quiet('a request that is sent again and again because nobody answers', (script) => {
    const again = (sec: number): void =>
      script.ask(sec, { from: '10.0.0.9', method: 'INVITE', user: '1', callId: 'same', cseq: 1 });
    for (const sec of [0, 0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5, 31.5]) again(sec);
  });
});

describe('what else tells an attacker', () => {
  it('the same number behind one prefix after another', () => {
    const stage = new Stage();
    for (const [n, prefix] of ['', '9', '900', '0011', '+'].entries()) {
      stage.ask(n, { from: '203.0.113.6', method: 'INVITE', user: `${prefix}972595123456`, status: 404 });
    }
    assert.deepEqual(stage.alerts.map((a) => a.behaviour).slice(0, 1), ['prefix-probing']);
  });
  it('SQL or shell text in the user part', () => {
    const stage = new Stage();
    stage.ask(0, { from: '203.0.113.6', method: 'INVITE', user: '100%27%20or%201=1--', status: 404 });
    assert.deepEqual(
      stage.alerts.map((a) => a.behaviour),
      ['injection'],
    );
  });
  it('a sweep over hosts that answer nobody', () => {
    const stage = new Stage();
    for (let n = 0; n < 30; n++) stage.ask(n / 10, { from: '203.0.113.6', to: `10.2.0.${n}`, method: 'OPTIONS' });
    stage.watch.finish();
    stage.watch.tick(60e6);
    assert.ok(stage.alerts.some((a) => a.behaviour === 'host-sweep'));
  });
  it("the operator's own list of names, and SIPVicious in From", () => {
    const stage = new Stage({ isUnwantedName: (name) => name.startsWith('Evil') });
    stage.ask(0, { from: '203.0.113.6', method: 'OPTIONS', agent: 'EvilPhone/1', status: 200 });
    assert.equal(stage.alerts[0]?.userAgent, 'EvilPhone/1');
    const via = 'Via: SIP/2.0/UDP 1.1.1.1;branch=z9hG4bK-1\r\n';
    const head = `OPTIONS sip:100@x SIP/2.0\r\n${via}From: "sipvicious"<sip:100@1.1.1.1>;tag=1\r\nTo: <sip:100@x>\r\n`;
    stage.send(1, '203.0.113.7', REGISTRAR, `${head}Call-ID: sv\r\nCSeq: 1 OPTIONS\r\n\r\n`);
    assert.equal(stage.alerts[1]?.behaviour, 'known-tool');
  });
  it('the sender of a scan, not the proxy that passes it on', () => {
    const stage = new Stage();
    for (let n = 0; n < 60; n++) {
      const ask = { method: 'INVITE', user: `77${n}`, callId: `p-${n}` };
      stage.ask(n / 20, { ...ask, from: '203.0.113.5', status: 404, after: 0.03 });
      stage.ask(n / 20 + 0.01, { ...ask, from: REGISTRAR, to: '10.9.9.9', status: 404 });
    }
    stage.watch.finish();
    assert.deepEqual(stage.reported, ['203.0.113.5']);
  });
  it('nobody who was declared a peer', () => {
    const stage = new Stage({ isExempt: (address) => address === '203.0.113.5' });
    for (let n = 0; n < 60; n++) stage.ask(n / 20, { from: '203.0.113.5', user: `77${n}`, status: 404 });
    assert.deepEqual(stage.alerts, []);
  });
  it('an answer that nobody asked for makes no peer of its sender', () => {
    const stage = new Stage();
    const forged = (status: number): string =>
      `SIP/2.0 ${status} OK\r\nVia: SIP/2.0/UDP x;branch=z9hG4bK1\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>;tag=2\r\nCall-ID: f\r\nCSeq: 1 INVITE\r\n\r\n`;
    for (let n = 0; n < 20; n++) stage.send(n / 100, '203.0.113.8', `10.3.0.${n}`, forged(200));
    for (let n = 0; n < 12; n++) stage.ask(1 + n / 10, { from: '203.0.113.8', user: `5${n}`, status: 404 });
    assert.deepEqual(stage.reported, ['203.0.113.8']);
  });
  it('a source that held a call needs four times the evidence', () => {
    const stage = new Stage();
    stage.ask(0, { from: '198.51.100.9', method: 'INVITE', status: 200 });
    for (let n = 0; n < 18; n++) stage.ask(1 + n / 10, { from: '198.51.100.9', user: `5${n}`, status: 404 });
    assert.deepEqual(stage.alerts, []);
    for (let n = 18; n < 45; n++) stage.ask(1 + n / 10, { from: '198.51.100.9', user: `5${n}`, status: 404 });
    assert.deepEqual(stage.reported, ['198.51.100.9']);
  });
});

it('keeps its memory within the caps whoever sends', () => {
  const stage = new Stage({ maxSources: 100, maxProbes: 200 });
  for (let n = 0; n < 5_000; n++) {
    stage.ask(n / 1000, { from: `10.${n >> 12}.${(n >> 6) & 63}.${n & 63}`, user: `u${n}` });
  }
  assert.ok(stage.watch.sources <= 101);
  assert.ok(stage.watch.evicted > 4_000);
});
