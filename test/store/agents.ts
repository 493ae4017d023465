/** Agents that ship what they get by HEP, each a process of its own, and the calls that are sent to them. */
import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHep3, HEP_TYPE } from '../../src/actions/hep-out/hep-encode.ts';
import { start } from '../cli/run-program.ts';
import { until } from '../helpers/patience.ts';

const UDP = 17;
const ADDRESSES = Buffer.from([198, 51, 100, 7, 192, 0, 2, 1]);
const AGENT = { agentId: 7 };
/** Datagrams that are sent before others get a turn. */
const AT_ONCE = 48;

export class ShippingAgent {
  readonly host: string;
  readonly #child: ChildProcessWithoutNullStreams;
  #said = '';
  #hepPort = 0;
  #apiPort = 0;

  constructor(host: string, options: readonly string[]) {
    this.host = host;
    const listening = ['-E', '-L', '127.0.0.1:0', '--api', '127.0.0.1:0'];
    this.#child = start([...listening, '--ship-host', host, ...options]);
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString();
    });
  }

  async ready(): Promise<void> {
    await until(
      () => {
        this.#hepPort = Number(/hep listening on udp:\/\/127\.0\.0\.1:(\d+)/.exec(this.#said)?.[1] ?? 0);
        this.#apiPort = Number(/api listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(this.#said)?.[1] ?? 0);
        return this.#hepPort > 0 && this.#apiPort > 0 ? true : null;
      },
      () => `the agent is not ready: ${this.#said}`,
    );
  }

  get hepPort(): number {
    return this.#hepPort;
  }

  /** Counts of the metrics whose name and labels are exactly these; 0 where there is none. */
  async counts(): Promise<(series: string) => number> {
    const answer = await fetch(`http://127.0.0.1:${this.#apiPort}/metrics`);
    const lines = new Map<string, number>();
    for (const line of (await answer.text()).split('\n')) {
      const at = line.lastIndexOf(' ');
      if (!line.startsWith('#') && at > 0) lines.set(line.slice(0, at), Number(line.slice(at + 1)));
    }
    return (series) => [...lines].reduce((sum, [name, n]) => (name.startsWith(series) ? sum + n : sum), 0);
  }

  /** Resolves when all rows that were made are in the store or counted. */
  async settled(): Promise<void> {
    await until(
      async () => {
        const count = await this.counts();
        const rows = count('calltap_ship_made_total') + count('calltap_ship_total{event="found"}');
        const done = count('calltap_ship_stored_total') + count('calltap_ship_lost_total');
        return rows > 0 && rows === done ? true : null;
      },
      () => `${this.host} still has rows: ${this.#said}`,
    );
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

/** What a call sends: INVITE, 180, 200, ACK, BYE, 200; `talkMs` lie before the BYE. */
export class CallSender {
  readonly #socket: Socket = createSocket('udp4');
  readonly #clockMs: number;

  /** `clockMs`: how far the sender's clock is off. */
  constructor(clockMs = 0) {
    this.#clockMs = clockMs;
  }

  /** Sends whole calls one after another, `perSec` a second. */
  async send(port: number, callIds: readonly string[], perSec: number): Promise<void> {
    const begin = performance.now();
    for (const [i, callId] of callIds.entries()) {
      for (const [text, isAnswer] of messagesOf(callId)) this.#one(port, text, isAnswer);
      const dueMs = begin + ((i + 1) * 1_000) / perSec;
      if (i % AT_ONCE === 0 || dueMs > performance.now() + 20) await sleep(Math.max(0, dueMs - performance.now()));
    }
  }

  close(): void {
    this.#socket.close();
  }

  #one(port: number, text: string, isAnswer: boolean): void {
    const facts = {
      ipVersion: 4 as const,
      proto: UDP,
      addresses: ADDRESSES,
      srcOff: isAnswer ? 4 : 0,
      dstOff: isAnswer ? 0 : 4,
      srcPort: 5060,
      dstPort: 5060,
      tsUs: (Date.now() + this.#clockMs) * 1_000,
      protocolType: HEP_TYPE.SIP,
      vlan: 0,
      tos: 0,
      tcpFlags: 0,
    };
    const packet = encodeHep3(AGENT, facts, Buffer.from(text));
    this.#socket.send(packet ?? assert.fail('too long'), port, '127.0.0.1');
  }
}

function messagesOf(callId: string): (readonly [string, boolean])[] {
  const message = (start: string, cseq: string): string =>
    `${start}\r\nVia: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bK-${callId}-${cseq.replace(' ', '')}\r\n` +
    `From: <sip:+493012345@x>;tag=a\r\nTo: <sip:100@x>${cseq.includes('INVITE') && !start.startsWith('SIP') ? '' : ';tag=b'}\r\n` +
    `Call-ID: ${callId}\r\nCSeq: ${cseq}\r\nContent-Length: 0\r\n\r\n`;
  return [
    [message('INVITE sip:100@x SIP/2.0', '1 INVITE'), false],
    [message('SIP/2.0 180 Ringing', '1 INVITE'), true],
    [message('SIP/2.0 200 OK', '1 INVITE'), true],
    [message('ACK sip:100@x SIP/2.0', '1 ACK'), false],
    [message('BYE sip:100@x SIP/2.0', '2 BYE'), false],
    [message('SIP/2.0 200 OK', '2 BYE'), true],
  ];
}
