/** An attack on a registrar, as SIP messages between peers in capture time: for the detection, and for whole captures. */

export const REGISTRAR = '192.0.2.1';

/** What a request is, and what it gets. */
export type Ask = {
  readonly from: string;
  readonly to?: string;
  readonly method?: string;
  readonly user?: string;
  readonly agent?: string;
  /** With credentials, and the response of the digest in them: another one is another guess. */
  readonly credentials?: boolean | string;
  readonly nonce?: string;
  /** Final status, or none when nobody answers. */
  readonly status?: number;
  readonly rings?: boolean;
  /** 100 comes first. */
  readonly trying?: boolean;
  readonly callId?: string;
  readonly cseq?: number;
  /** What the sender holds equal or varies; otherwise one of each call and CSeq. */
  readonly branch?: string;
  readonly fromTag?: string;
  readonly toTag?: string;
  readonly fromUser?: string;
  readonly headers?: string;
  /** Seconds until the answer. */
  readonly after?: number;
};

/** Peers that talk to each other; where their messages go is up to `send`. */
export abstract class Peers {
  #calls = 0;

  /** A message in a datagram of its own. */
  abstract send(sec: number, from: string, to: string, text: string): void;

  /** A request at `sec`, and its answers; `rewrite` changes what they have in common, as a server repeats it. */
  ask(sec: number, a: Ask, rewrite: (text: string) => string = (text) => text): string {
    const callId = a.callId ?? `call-${++this.#calls}`;
    const to = a.to ?? REGISTRAR;
    const method = a.method ?? 'REGISTER';
    const user = a.user ?? '100';
    const cseq = a.cseq ?? 1;
    const host = a.from.includes(':') ? `[${a.from}]` : a.from;
    const common =
      `Via: SIP/2.0/UDP ${host};branch=z9hG4bK${a.branch ?? `${callId}${cseq}`}\r\n` +
      `From: <sip:${a.fromUser ?? user}@x>;tag=${a.fromTag ?? 'a'}\r\nTo: <sip:${user}@x>`;
    const rest = `Call-ID: ${callId}\r\nCSeq: ${cseq} ${method}\r\n`;
    const toTag = a.toTag === undefined ? '' : `;tag=${a.toTag}`;
    const agent = a.agent === undefined ? '' : `User-Agent: ${a.agent}\r\n`;
    const response = a.credentials === true ? 'y' : a.credentials;
    const credentials =
      response === undefined || response === false
        ? ''
        : `Authorization: Digest username="${user}", realm="x", nonce="${a.nonce ?? 'n'}", uri="sip:x", response="${response}"\r\n`;
    const uri = method === 'REGISTER' ? 'sip:x' : `sip:${user}@x`;
    const send = (at: number, from: string, target: string, text: string): void =>
      this.send(at, from, target, rewrite(text));
    send(sec, a.from, to, `${method} ${uri} SIP/2.0\r\n${common}${toTag}\r\n${rest}${agent}${credentials}\r\n`);
    const answer = (at: number, status: number, extra = ''): void =>
      send(at, to, a.from, `SIP/2.0 ${status} x\r\n${common};tag=${a.toTag ?? 'b'}\r\n${rest}${extra}\r\n`);
    if (a.trying === true) answer(sec + 0.005, 100);
    if (a.rings === true) answer(sec + 0.01, 180);
    if (a.status !== undefined) answer(sec + (a.after ?? 0.02), a.status, a.headers);
    return callId;
  }

  /** A phone registers as phones do: challenged, then with credentials. */
  register(sec: number, from: string, user: string, headers?: string): void {
    const callId = this.ask(sec, { from, user, status: 401 });
    const more = headers === undefined ? {} : { headers };
    this.ask(sec + 0.05, { from, user, callId, cseq: 2, credentials: true, status: 200, ...more });
  }
}

/** Events of several peers, played in the order of their times. */
export class Script {
  readonly #events: { readonly sec: number; readonly play: (stage: Peers) => void }[] = [];

  at(sec: number, play: (stage: Peers) => void): void {
    this.#events.push({ sec, play });
  }
  ask(sec: number, ask: Ask): void {
    this.at(sec, (stage) => stage.ask(sec, ask));
  }
  play(stage: Peers): void {
    this.#events.sort((a, b) => a.sec - b.sec);
    for (const event of this.#events) event.play(stage);
  }
}

/** Fifty phones, and a trunk whose callers dial wrong now and then. */
export function legitimate(script: Script, seconds: number): void {
  for (let n = 0; n < 50; n++) {
    for (let t = n * 0.05; t < seconds; t += 60) {
      script.at(t, (stage) => stage.register(t, `10.0.0.${n + 1}`, `2${String(n).padStart(3, '0')}`));
    }
  }
  for (let n = 0; n < seconds * 5; n++) {
    const status = n % 5 === 0 ? 404 : n % 7 === 0 ? 486 : 200;
    script.ask(n / 5, {
      from: '198.51.100.7',
      method: 'INVITE',
      user: `+4930${100_000 + n * 37}`,
      status,
      rings: status === 200,
    });
  }
}

/** Slow scanners, each far below any rate. */
export const SLOW = Array.from({ length: 8 }, (_, n) => `203.0.113.${100 + n}`);
export const SIX = '2001:db8::bad';
/** Everybody who attacks in `attack`. */
export const ATTACKERS: readonly string[] = [
  '203.0.113.1',
  '203.0.113.2',
  '203.0.113.3',
  '203.0.113.4',
  ...SLOW,
  SIX,
].sort();

/** Ten minutes of attacks of every kind. */
export function attack(script: Script): void {
  // A scan as SIPVicious makes it, an enumeration, a guessing of one password, a flood, and a slow scan from many hosts.
  for (let n = 0; n < 40; n++) {
    script.ask(100 + n / 20, {
      from: '203.0.113.1',
      method: 'OPTIONS',
      user: '100',
      agent: 'friendly-scanner',
      status: 200,
    });
    script.ask(200 + n / 10, { from: '203.0.113.2', user: String(1000 + n), status: n % 3 === 0 ? 401 : 404 });
  }
  for (let n = 0; n < 60; n++) {
    const sec = 300 + n / 2;
    script.ask(sec, {
      from: '203.0.113.3',
      user: '2001',
      callId: 'guess',
      cseq: n + 1,
      credentials: n > 0 && `guess-${n}`,
      status: 401,
    });
  }
  for (let n = 0; n < 200; n++) {
    const callId = `flood-${n % 10}`;
    const cseq = Math.floor(n / 10) + 1;
    script.ask(400 + n / 100, { from: '203.0.113.4', user: '2002', callId, cseq, credentials: true, status: 403 });
  }
  for (const [k, from] of SLOW.entries()) {
    for (let n = 0; n < 14; n++) script.ask(20 + k * 3 + n * 40, { from, user: `${k}${7000 + n}`, status: 404 });
  }
  for (let n = 0; n < 30; n++)
    script.ask(500 + n / 10, { from: SIX, to: '2001:db8::1', method: 'INVITE', user: `9${n}`, status: 404 });
}
