/** Which calls look like toll fraud, and which do not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scanSip } from '../../../src/protocols/sip/scanner/scan.ts';
import type { SecurityAlert } from '../../../src/security/alert.ts';
import type { FraudWatchOptions } from '../../../src/security/fraud-watch.ts';
import { FraudWatch, parseNight } from '../../../src/security/fraud-watch.ts';
import { Peers } from '../../helpers/attack.ts';
import { carrier } from './stage.ts';

class Exchange extends Peers {
  readonly alerts: SecurityAlert[] = [];
  readonly watch: FraudWatch;

  constructor(options: Partial<FraudWatchOptions> = {}) {
    super();
    this.watch = new FraudWatch({ onAlert: (alert) => this.alerts.push(alert), ...options });
  }

  send(sec: number, from: string, to: string, text: string): void {
    const buf = Buffer.from(text);
    this.watch.onMessage(buf, scanSip(buf, 0, buf.length), carrier(sec, from, to));
  }

  get behaviours(): string[] {
    return this.alerts.map((a) => a.behaviour);
  }
}

describe('toll fraud', () => {
  it('a spike against what the account did before', () => {
    const y = new Exchange();
    const invite = (sec: number, number: string, id: string): void =>
      y.send(
        sec,
        '10.0.0.5',
        '192.0.2.1',
        `INVITE sip:${number}@x SIP/2.0\r\nVia: SIP/2.0/UDP x;branch=z9hG4bK${id}\r\nFrom: <sip:2001@x>;tag=1\r\nTo: <sip:${number}@x>\r\nCall-ID: ${id}\r\nCSeq: 1 INVITE\r\n\r\n`,
      );
    for (let n = 0; n < 12; n++) invite(n * 300, `+4930${1000 + n * 13}`, `a${n}`);
    for (let n = 0; n < 60; n++) invite(3700 + n * 2, `+88${n * 7919}`, `b${n}`);
    assert.deepEqual(y.behaviours, ['volume-spike']);
    assert.equal(y.alerts[0]?.kind, 'fraud');
    assert.equal(y.alerts[0]?.evidence.targets[0], 'caller 2001');
  });
  it('numbers one after the other', () => {
    const x = new Exchange();
    const invite = (n: number, number: number): void =>
      x.send(
        n,
        '10.0.0.6',
        '192.0.2.1',
        `INVITE sip:00${number}@x SIP/2.0\r\nVia: SIP/2.0/UDP x;branch=z9hG4bK${n}\r\nFrom: <sip:2001@x>;tag=1\r\nTo: <sip:${number}@x>\r\nCall-ID: s${n}\r\nCSeq: 1 INVITE\r\n\r\n`,
      );
    for (let n = 0; n < 7; n++) invite(n, 88210000000 + n);
    assert.deepEqual(x.behaviours, []);
    invite(7, 88210000007);
    assert.deepEqual(x.behaviours, ['sequential-numbers']);
  });
  it('many short calls, unless the long ones outnumber them', () => {
    const call = (x: Exchange, sec: number, seconds: number): void => {
      const callId = x.ask(sec, { from: '10.0.0.7', method: 'INVITE', user: '4930555', status: 200 });
      x.ask(sec + seconds, {
        from: '10.0.0.7',
        method: 'BYE',
        user: '4930555',
        status: 200,
        callId,
        cseq: 2,
        toTag: 'b',
      });
    };
    const x = new Exchange();
    for (let n = 0; n < 12; n++) call(x, n * 20, 3);
    assert.deepEqual(x.behaviours, ['short-calls']);
    const y = new Exchange();
    for (let n = 0; n < 24; n++) call(y, n * 20, n % 2 === 0 ? 3 : 15);
    assert.deepEqual(y.behaviours, []);
  });
  it('calls to names cost nothing, however many and short they are', () => {
    const run = (user: string): string[] => {
      const x = new Exchange();
      for (let n = 0; n < 20; n++) {
        const callId = x.ask(n * 20, { from: '10.0.0.9', method: 'INVITE', user, status: 200 });
        x.ask(n * 20 + 2, { from: '10.0.0.9', method: 'BYE', user, status: 200, callId, cseq: 2, toTag: 'b' });
      }
      return x.behaviours;
    };
    for (const user of ['bob', 'service', 'ua2', '4930555x']) assert.deepEqual(run(user), [], user);
    for (const user of ['+49-30-555', '00.49.30(555)', '*21*4930555', '112']) {
      assert.deepEqual(run(user), ['short-calls'], user);
    }
  });
  it('calls abroad at night, only when a night is named', () => {
    const hour = new Date(1_000_000_000_000).getHours();
    const night = { from: hour, to: (hour + 2) % 24 };
    const run = (options: Partial<FraudWatchOptions>): string[] => {
      const x = new Exchange(options);
      for (let n = 0; n < 6; n++) {
        x.ask(1_000_000_000 + n * 60, { from: '10.0.0.8', method: 'INVITE', user: '+8821612345', status: 200 });
      }
      return x.behaviours;
    };
    assert.deepEqual(run({ night }), ['off-hours']);
    assert.deepEqual(run({}), []);
    assert.deepEqual(run({ night, isExempt: () => true }), []);
  });
  it('hours as they are written', () => {
    assert.deepEqual(parseNight('22-6'), { from: 22, to: 6 });
    for (const text of ['', '22', '24-6', '6-6', 'x-1', '1-2-3']) assert.equal(parseNight(text), null);
  });
  it('keeps its memory within the caps', () => {
    const x = new Exchange({ maxAccounts: 50, maxCalls: 60 });
    for (let n = 0; n < 500; n++) x.ask(n, { from: `10.1.${n >> 8}.${n & 255}`, method: 'INVITE', user: '1001' });
    assert.ok(x.watch.accounts <= 50 && x.watch.evicted > 400);
  });
});
