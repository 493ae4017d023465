/** Floods: how often they are reported, and what they cannot make the detection forget. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Script } from '../../helpers/attack.ts';
import { carrier, Stage } from './stage.ts';

const ATTACKER = '203.0.113.9';

describe('the pace of reports', () => {
  it('is one line a second a source, whatever it does and however fast', () => {
    const stage = new Stage();
    for (let n = 0; n < 7000; n++) {
      const agent = 'friendly-scanner';
      stage.ask(n / 1400, {
        from: ATTACKER,
        method: 'REGISTER',
        user: `${n}`,
        agent,
        credentials: `r${n}`,
        status: 403,
        after: 0.0002,
      });
    }
    const times = stage.alerts.map((a) => a.atUs);
    assert.ok(times.length >= 5 && times.length <= 6, `${times.length} lines`);
    for (const [n, atUs] of times.slice(1).entries()) assert.ok(atUs - (times[n] ?? 0) >= 1e6, `${times.join(' ')}`);
    assert.deepEqual([...new Set(stage.alerts.map((a) => a.kind))].sort(), ['reg-flood', 'scanner']);
    assert.ok((stage.alerts.at(-1)?.evidence.count ?? 0) > 50);
  });
  it('asks for ten more offences, however long they take', () => {
    const stage = new Stage();
    const ask = { from: ATTACKER, method: 'OPTIONS', agent: 'friendly-scanner', status: 200 };
    for (let n = 0; n < 30; n++) stage.ask(n * 100, ask);
    assert.deepEqual(
      stage.alerts.map((a) => a.atUs / 1e8),
      [0, 10, 20],
    );
  });
});

describe('messages that are no proper SIP', () => {
  const unreadable = (stage: Stage, count: number, from = ATTACKER): void => {
    for (let n = 0; n < count; n++) stage.watch.onMalformed(carrier(10 + n / 300, from, '192.0.2.1'));
  };
  it('are a flood from fifty in ten seconds on', () => {
    const stage = new Stage();
    unreadable(stage, 49);
    assert.deepEqual(stage.reported, []);
    unreadable(stage, 2000);
    assert.deepEqual([...new Set(stage.alerts.map((a) => a.behaviour))], ['malformed-flood']);
    assert.ok(stage.alerts.length <= 8);
  });
  it('are that of a /64, and need four times as many from a customer', () => {
    const stage = new Stage();
    for (let n = 0; n < 60; n++) stage.watch.onMalformed(carrier(n / 20, `2001:db8::${n + 1}`, '2001:db8:2::2'));
    assert.equal(stage.alerts[0]?.net, '2001:db8::/64');
    const peer = new Stage();
    peer.register(0, '10.0.0.7', '2007');
    unreadable(peer, 199, '10.0.0.7');
    assert.deepEqual(peer.reported, []);
    unreadable(peer, 1, '10.0.0.7');
    assert.deepEqual(peer.reported, ['10.0.0.7']);
  });
  it('count when they can be read but for a mandatory header, and are refused', () => {
    const run = (status: number): string[] => {
      const stage = new Stage();
      for (let n = 0; n < 200; n++)
        stage.ask(n / 50, { from: ATTACKER, method: 'OPTIONS', user: '100', status }, (text) =>
          text.replace(/^Call-ID:/m, `Call-ID: again-${n}\r\nCall-ID:`),
        );
      return [...new Set(stage.alerts.map((a) => a.behaviour))];
    };
    assert.deepEqual(run(400), ['malformed-flood']);
    assert.deepEqual(run(200), []);
  });
  const junk = 'A'.repeat(8192);
  const line = (name: string, value: string) => (text: string) => text.replace(new RegExp(`^${name}:.*$`, 'm'), value);
  const body = (headers: string) => (text: string) => text.replace(/\r\n\r\n$/, `\r\n${headers}\r\n${junk}`);
  const broken: Record<string, (text: string) => string> = {
    'a line of 8 KB that is no header': line('Via', `$&\r\n${junk}`),
    'a Via without a value': line('Via', 'Via:'),
    'a Via that names no protocol': line('Via', `Via: ${junk}`),
    'a From without a URI': line('From', `From: ${junk}`),
    'a To without a URI': line('To', `To: ${junk}`),
    'a body without a type': body(`Content-Length: ${junk.length}\r\n`),
    'a body without a type and a length': body(''),
    'a body that is no session description': body('Content-Type: application/sdp\r\n'),
  };
  for (const [what, rewrite] of Object.entries(broken))
    it(`are those with ${what}`, () => {
      const run = (status?: number): string[] => {
        const stage = new Stage();
        for (let n = 0; n < 2000; n++)
          stage.ask(
            n / 333,
            { from: ATTACKER, method: 'OPTIONS', ...(status === undefined ? {} : { status }) },
            (text) => (text.startsWith('SIP/2.0') ? text : rewrite(text)),
          );
        stage.watch.tick(10e6);
        return [...new Set(stage.alerts.map((a) => a.behaviour))];
      };
      assert.deepEqual(run(400), ['malformed-flood']);
      assert.deepEqual(run(), ['malformed-flood']);
      assert.deepEqual(run(200), []);
    });
  it('are not those with a body of text, or with bytes behind it', () => {
    for (const rewrite of [
      body(`Content-Type: text/plain\r\n`),
      body('Content-Type: text/plain\r\nContent-Length: 0\r\n'),
    ]) {
      const stage = new Stage();
      for (let n = 0; n < 200; n++)
        stage.ask(n / 50, { from: ATTACKER, method: 'MESSAGE', status: 404 }, (text) =>
          text.startsWith('SIP/2.0') ? text : rewrite(text),
        );
      assert.deepEqual(stage.reported, []);
    }
  });
  it('are ACKs too, which nobody answers; but not those that name the INVITE in CSeq', () => {
    const run = (rewrite: (text: string) => string): string[] => {
      const stage = new Stage();
      for (let n = 0; n < 60; n++) stage.ask(n / 20, { from: ATTACKER, method: 'ACK' }, rewrite);
      return [...new Set(stage.alerts.map((a) => `${a.behaviour} ${a.method}`))];
    };
    assert.deepEqual(run(line('Call-ID', 'X: y')), ['malformed-flood ACK']);
    assert.deepEqual(run(line('CSeq', 'CSeq: 1 INVITE')), []);
    assert.deepEqual(
      run((text) => text),
      [],
    );
  });
});

describe('of many sources', () => {
  it('one does not take the table of open requests', () => {
    const stage = new Stage({ maxProbes: 800 });
    for (let n = 0; n < 5; n++) stage.ask(n / 10, { from: ATTACKER, user: `${n}`, status: 404, after: 1.5 });
    const script = new Script();
    for (let n = 0; n < 5; n++) script.ask(10 + n / 10, { from: '203.0.113.8', user: `${n}`, status: 404, after: 1.5 });
    for (let n = 0; n < 5000; n++) script.ask(10 + n / 2500, { from: '203.0.113.7', method: 'OPTIONS', user: '1' });
    script.play(stage);
    assert.ok(stage.reported.includes('203.0.113.8'), stage.reported.join(' '));
  });
});
