/** Calls that a proxy hands on to carriers, and what trunks are counted of a capture of them. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { AskTrunk, AskTrunks } from '../../src/contract/index.ts';
import { finish } from '../../src/core/turns.ts';
import { trunksSteps } from '../../src/view/ask-trunks.ts';
import { readCapture } from './read-capture.ts';
import { Recorder } from './recorder.ts';

export const EPOCH_US = 1_700_000_040 * 1e6;
export const CALLER = '198.51.100.1';
export const PROXY = '192.0.2.1';
export const CARRIERS = { acme: '203.0.113.1', globex: '203.0.113.65' } as const;
export type Carrier = keyof typeof CARRIERS;
export const OPTIONS = [
  '--trunks',
  ...['--trunk-local', PROXY],
  ...['--trunk', '203.0.113.0/28=acme', '--trunk', '203.0.113.64/28=globex'],
];

/** How one carrier answers one call: delays in milliseconds. */
export type Try = {
  readonly carrier: Carrier;
  readonly ringMs: number | null;
  readonly finalMs: number;
  readonly code: number;
};
export type Plan = {
  readonly atSec: number;
  readonly tries: readonly Try[];
  readonly talkSec: number;
  readonly challenged: boolean;
};

export class Proxied extends Recorder {
  #calls = 0;
  readonly #sent: { readonly sec: number; readonly play: () => void }[] = [];

  override send(sec: number, from: string, to: string, text: string): void {
    this.#sent.push({ sec, play: () => super.send(sec, from, to, text) });
  }

  /** All of it in order of time. */
  pcap(): Uint8Array {
    this.#sent.sort((a, b) => a.sec - b.sec);
    for (const { play } of this.#sent) play();
    return this.capture.pcap();
  }

  message(sec: number, from: string, to: string, start: string, callId: string, cseq: string, user = '2'): void {
    const branch = `z9hG4bK${callId}${cseq.replace(' ', '')}${from < to ? from : to}${from < to ? to : from}`;
    const tag = /^(?:SIP\/2\.0 [2-6]|BYE)/.test(start) ? ';tag=b' : '';
    const common = `Via: SIP/2.0/UDP x;branch=${branch}\r\nFrom: <sip:1@x>;tag=a\r\nTo: <sip:${user}@x>${tag}\r\n`;
    this.send(sec, from, to, `${start}\r\n${common}Call-ID: ${callId}\r\nCSeq: ${cseq}\r\n\r\n`);
  }

  /** Both hops of a call; a carrier that refuses is followed by the next one. */
  call({ atSec, tries, talkSec, challenged }: Plan): void {
    const callId = `call-${++this.#calls}@x`;
    const request = (sec: number, from: string, to: string, cseq: string): void =>
      this.message(sec, from, to, `${cseq.split(' ')[1]} sip:2@x SIP/2.0`, callId, cseq);
    const answer = (sec: number, from: string, to: string, code: number, cseq = '1 INVITE'): void =>
      this.message(sec, from, to, `SIP/2.0 ${code} x`, callId, cseq);
    let cseq = '1 INVITE';
    let sec = atSec;
    if (challenged) {
      request(sec, CALLER, PROXY, cseq);
      answer(sec + 0.001, PROXY, CALLER, 407);
      cseq = '2 INVITE';
      sec += 0.05;
    }
    request(sec, CALLER, PROXY, cseq);
    for (const [i, { carrier, ringMs, finalMs, code }] of tries.entries()) {
      const peer = CARRIERS[carrier];
      sec += 0.002;
      request(sec, PROXY, peer, cseq);
      if (ringMs !== null) {
        answer(sec + ringMs / 1000, peer, PROXY, 180, cseq);
        answer(sec + ringMs / 1000 + 0.001, PROXY, CALLER, 180, cseq);
      }
      sec += finalMs / 1000;
      answer(sec, peer, PROXY, code, cseq);
      if (code !== 200 && i < tries.length - 1) continue;
      answer(sec + 0.001, PROXY, CALLER, code, cseq);
      if (code !== 200) return;
      const bye = `${Number.parseInt(cseq, 10) + 1} BYE`;
      this.message(sec + talkSec, CALLER, PROXY, 'BYE sip:2@x SIP/2.0', callId, bye);
      this.message(sec + talkSec + 0.001, PROXY, peer, 'BYE sip:2@x SIP/2.0', callId, bye);
      answer(sec + talkSec + 0.01, peer, PROXY, 200, bye);
      answer(sec + talkSec + 0.011, PROXY, CALLER, 200, bye);
    }
  }

  options(sec: number, peer: string, n: number, answeredMs: number | null): void {
    this.message(sec, PROXY, peer, `OPTIONS sip:x SIP/2.0`, `ping-${peer}-${n}`, '1 OPTIONS');
    if (answeredMs !== null)
      this.message(sec + answeredMs / 1000, peer, PROXY, 'SIP/2.0 404 x', `ping-${peer}-${n}`, '1 OPTIONS');
  }
}

export async function trunksIn(t: TestContext, capture: Uint8Array, more: readonly string[] = []): Promise<AskTrunks> {
  const { session } = await readCapture(t, capture, [...OPTIONS, ...more]);
  return finish(trunksSteps(session.figures, {}));
}

export function rowOf({ trunks }: AskTrunks, trunk: string, direction: 'in' | 'out'): AskTrunk {
  const row = trunks.find((r) => r.trunk === trunk && r.direction === direction);
  assert.ok(row !== undefined, `no row of ${trunk} ${direction}`);
  return row;
}
