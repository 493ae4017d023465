/**
 * Phones, a trunk and attackers, each at an address of its own, for the test of the detection: real datagrams, real
 * digest authentication (RFC 7616 section 3.4). Run as a program: it prints a line of JSON when the evidence against an
 * attacker is complete, and `finished`.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export const PASSWORD = 'secret';
/** Phones have addresses from .101 on, attackers from .201 on, of the network of the lab. */
export const PHONES = Array.from({ length: 50 }, (_, n) => `10.90.0.${101 + n}`);
export const OFFICE = '10.90.0.190';
export const TRUNK = '10.90.0.191';
export const ATTACKERS = {
  scan: '10.90.0.201',
  disguised: '10.90.0.202',
  enumeration: '10.90.0.203',
  guessing: '10.90.0.204',
  flood: '10.90.0.205',
  slowA: '10.90.0.206',
  slowB: '10.90.0.207',
  prefixes: '10.90.0.208',
  six: 'fd90::201',
} as const;
export type Attack = keyof typeof ATTACKERS;

/** A busy registrar may take its time; nothing is sent again. */
const ANSWER_MS = 30_000;
/** So long an attacker stays to hear the answers. */
const STAY_MS = 3000;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const random = (): string => randomBytes(8).toString('hex');

type Ask = {
  readonly method: string;
  readonly user: string;
  readonly callId: string;
  readonly cseq: number;
  readonly agent?: string;
  readonly credentials?: string;
  readonly toTag?: boolean;
};

/** One address that talks to the registrar. */
class Peer {
  readonly #address: string;
  readonly #registrar: string;
  readonly #socket: Socket;
  readonly #waiting = new Map<string, (response: string) => void>();

  constructor(address: string, registrar: string) {
    this.#address = address;
    this.#registrar = registrar;
    this.#socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    this.#socket.on('message', (data) => {
      const text = data.toString('latin1');
      if (!/^SIP\/2\.0 [2-6]/.test(text)) return;
      this.#waiting.get(`${/^Call-ID: (.*)\r$/m.exec(text)?.[1]} ${/^CSeq: (.*)\r$/m.exec(text)?.[1]}`)?.(text);
    });
  }

  async open(): Promise<this> {
    this.#socket.bind(5060, this.#address);
    await once(this.#socket, 'listening');
    return this;
  }

  close(): void {
    this.#socket.close();
  }

  uri(ask: Ask): string {
    const host = this.#host(this.#registrar);
    return ask.method === 'REGISTER' ? `sip:${host}` : `sip:${ask.user}@${host}`;
  }

  #host(address: string): string {
    return address.includes(':') ? `[${address}]` : address;
  }

  send(ask: Ask): void {
    const own = this.#host(this.#address);
    const host = this.#host(this.#registrar);
    const lines = [
      `${ask.method} ${this.uri(ask)} SIP/2.0`,
      `Via: SIP/2.0/UDP ${own}:5060;branch=z9hG4bK${random()};rport`,
      'Max-Forwards: 70',
      `From: <sip:${ask.method === 'REGISTER' ? ask.user : 'caller'}@${host}>;tag=${md5(ask.callId).slice(0, 8)}`,
      `To: <sip:${ask.user}@${host}>${ask.toTag === true ? ';tag=there' : ''}`,
      `Call-ID: ${ask.callId}`,
      `CSeq: ${ask.cseq} ${ask.method}`,
      `Contact: <sip:${ask.user}@${own}:5060>`,
      `User-Agent: ${ask.agent ?? 'Phone 4.2'}`,
      ...(ask.method === 'REGISTER' ? ['Expires: 60'] : []),
      ...(ask.credentials === undefined ? [] : [`Authorization: ${ask.credentials}`]),
      'Content-Length: 0',
    ];
    this.#socket.send(`${lines.join('\r\n')}\r\n\r\n`, 5060, this.#registrar);
  }

  /** The final response; empty when none came. */
  async ask(ask: Ask): Promise<string> {
    const key = `${ask.callId} ${ask.cseq} ${ask.method}`;
    const answer = new Promise<string>((resolve) => this.#waiting.set(key, resolve));
    this.send(ask);
    const given = new AbortController();
    const late = sleep(ANSWER_MS, '', { signal: given.signal }).catch(() => '');
    const response = await Promise.race([answer, late]);
    given.abort();
    this.#waiting.delete(key);
    return response;
  }

  digest(ask: Ask, challenge: string, password: string): string {
    const nonce = /nonce="([^"]*)"/.exec(challenge)?.[1] ?? '';
    const realm = /realm="([^"]*)"/.exec(challenge)?.[1] ?? '';
    const uri = this.uri(ask);
    const response = md5(`${md5(`${ask.user}:${realm}:${password}`)}:${nonce}:${md5(`${ask.method}:${uri}`)}`);
    return `Digest username="${ask.user}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`;
  }

  /** As a phone does it: challenged, then with credentials. Whether it was let in. */
  async register(user: string, callId: string, cseq: number, password: string = PASSWORD): Promise<boolean> {
    const first: Ask = { method: 'REGISTER', user, callId, cseq };
    const challenge = await this.ask(first);
    if (!challenge.startsWith('SIP/2.0 401')) return false;
    const second = { ...first, cseq: cseq + 1, credentials: this.digest(first, challenge, password) };
    return (await this.ask(second)).startsWith('SIP/2.0 200');
  }
}

/** Counts what honest peers were granted and refused: the test wants to know that both happened. */
const granted = { registrations: 0, wrongPasswords: 0, calls: 0, wrongNumbers: 0 };

async function phone(address: string, n: number, registrar: string): Promise<void> {
  const peer = await new Peer(address, registrar).open();
  const user = String(2000 + n);
  // Five who do not get their password right at once.
  for (let attempt = 0; n % 10 === 3 && attempt < 3; attempt++)
    if (!(await peer.register(user, `fumble-${n}`, 2 * attempt + 1, 'wrong'))) granted.wrongPasswords++;
  for (let round = 0; round < 6; round++) {
    await sleep(40 * n);
    if (await peer.register(user, `phone-${n}`, 2 * round + 1)) granted.registrations++;
    await peer.ask({ method: 'OPTIONS', user, callId: `alive-${n}-${round}`, cseq: 1 });
    await sleep(2000 - 40 * n);
  }
  peer.close();
}

/** Twelve phones behind one address that come back at the same moment, twice. */
async function office(registrar: string): Promise<void> {
  const peer = await new Peer(OFFICE, registrar).open();
  for (let round = 0; round < 2; round++) {
    const users = Array.from({ length: 12 }, (_, n) => String(2100 + n));
    const all = await Promise.all(users.map((user) => peer.register(user, `office-${user}`, 2 * round + 1)));
    granted.registrations += all.filter(Boolean).length;
    await sleep(4000);
  }
  peer.close();
}

/** Fifty calls a second for twelve seconds; each fifth number does not exist. */
const TRUNK_CALLS = 600;
const CALLS_A_SECOND = 50;

async function trunk(registrar: string): Promise<void> {
  const peer = await new Peer(TRUNK, registrar).open();
  const begun = performance.now();
  for (let n = 0; n < TRUNK_CALLS; n++) {
    const callId = `trunk-${n}`;
    const user = `+4930${100_000 + n}`;
    void peer.ask({ method: 'INVITE', user, callId, cseq: 1 }).then(async (response) => {
      peer.send({ method: 'ACK', user, callId, cseq: 1, toTag: true });
      if (!response.startsWith('SIP/2.0 200')) {
        granted.wrongNumbers++;
        return;
      }
      granted.calls++;
      await sleep(1000);
      await peer.ask({ method: 'BYE', user, callId, cseq: 2, toTag: true });
    });
    // Behind time it does not sleep: the rate stands.
    await sleep(Math.max(0, begun + ((n + 1) * 1000) / CALLS_A_SECOND - performance.now()));
  }
  await sleep(2000);
  peer.close();
}

function complete(attack: Attack): void {
  process.stdout.write(`${JSON.stringify({ attack, atMs: Date.now() })}\n`);
}

/** Sends `count` requests, one every `everyMs`; the evidence is complete with the request number `enough`. */
async function burst(
  attack: Attack,
  registrar: string,
  pace: { readonly count: number; readonly enough: number; readonly everyMs: number },
  request: (n: number) => Ask,
): Promise<void> {
  const peer = await new Peer(ATTACKERS[attack], registrar).open();
  for (let n = 1; n <= pace.count; n++) {
    peer.send(request(n));
    if (n === pace.enough) complete(attack);
    await sleep(pace.everyMs);
  }
  await sleep(STAY_MS);
  peer.close();
}

async function guess(registrar: string): Promise<void> {
  const peer = await new Peer(ATTACKERS.guessing, registrar).open();
  let ask: Ask = { method: 'REGISTER', user: '2001', callId: 'guess', cseq: 1 };
  for (let n = 1; n <= 24; n++) {
    const challenge = await peer.ask(ask);
    ask = { ...ask, cseq: n + 1, credentials: peer.digest(ask, challenge, `password${n}`) };
    // The first had no credentials; of the others the twentieth.
    if (n === 21) complete('guessing');
    await sleep(40);
  }
  peer.close();
}

/** Everybody honest: what they got when they are done. */
export async function honest(registrar: string): Promise<typeof granted> {
  const phones = PHONES.map((address, n) => phone(address, n, registrar));
  await Promise.all([office(registrar), trunk(registrar), ...phones]);
  return granted;
}

/** What `honest` is granted by a registrar that answers it. */
export const HONEST = { registrations: 50 * 6 + 24, wrongPasswords: 15, calls: 480, wrongNumbers: 120 } as const;

async function main(four: string, six: string): Promise<void> {
  const served = honest(four);
  const forged = 'Digest username="2002", realm="lab", nonce="00", uri="sip:x", response="00"';
  const walk = (name: string, n: number): Ask => {
    return { method: 'REGISTER', user: String(7000 + n), callId: `${name}-${n}`, cseq: 1 };
  };
  await sleep(1000);
  const attacks = [
    burst('scan', four, { count: 30, enough: 1, everyMs: 50 }, (n) => {
      return { method: 'OPTIONS', user: '100', callId: `scan-${n}`, cseq: 1, agent: 'friendly-scanner' };
    }),
    burst('disguised', four, { count: 15, enough: 5, everyMs: 50 }, (n) => {
      return {
        method: 'OPTIONS',
        user: String(100 + n),
        callId: `disguised-${n}`,
        cseq: 1,
        agent: 'Cisco-SIPGateway/IOS-12.x',
      };
    }),
    burst('enumeration', four, { count: 8, enough: 5, everyMs: 100 }, (n) => walk('walk', n)),
    guess(four),
    burst('flood', four, { count: 150, enough: 51, everyMs: 2 }, (n) => {
      return { method: 'REGISTER', user: '2002', callId: `flood-${n}`, cseq: 1, credentials: forged };
    }),
    burst('slowA', four, { count: 11, enough: 10, everyMs: 1300 }, (n) => walk('slow-a', n)),
    burst('slowB', four, { count: 11, enough: 10, everyMs: 1300 }, (n) => walk('slow-b', n + 20)),
    burst('prefixes', four, { count: 4, enough: 3, everyMs: 300 }, (n) => {
      const prefix = ['00', '011', '9011', '90011'][n - 1] ?? '';
      return { method: 'INVITE', user: `${prefix}44700900123`, callId: `prefix-${n}`, cseq: 1 };
    }),
    burst('six', six, { count: 8, enough: 5, everyMs: 100 }, (n) => walk('six', n)),
  ];
  await Promise.all(attacks);
  process.stdout.write(`${JSON.stringify(await served)}\nfinished\n`);
}

const [, , four, six] = process.argv;
if (import.meta.filename === process.argv[1] && four !== undefined && six !== undefined) await main(four, six);
