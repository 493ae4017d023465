/** Honest peers as SIP messages in capture time, each with the shape that real ones were recorded with. */
import { createHash } from 'node:crypto';
import type { Script } from './attack.ts';
import { REGISTRAR } from './attack.ts';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

type Exchange = {
  readonly from: string;
  readonly to?: string;
  readonly method: string;
  readonly user: string;
  readonly callId: string;
  readonly cseq: number;
  readonly headers?: readonly string[];
  readonly toTag?: boolean;
  readonly status: number;
  readonly answer?: readonly string[];
  readonly afterSec?: number;
};

let serial = 0;

/** A request and its final answer, a branch and a From tag of its own. */
function exchange(script: Script, sec: number, e: Exchange): void {
  const to = e.to ?? REGISTRAR;
  const uri = e.method === 'REGISTER' ? `sip:${to}` : `sip:${e.user}@${to}`;
  const common = [
    `Via: SIP/2.0/UDP ${e.from}:5060;branch=z9hG4bK${++serial}`,
    `From: <sip:${e.user}@${to}>;tag=${md5(e.callId).slice(0, 8)}`,
  ];
  const target = `To: <sip:${e.user}@${to}>`;
  const rest = [`Call-ID: ${e.callId}`, `CSeq: ${e.cseq} ${e.method}`];
  const request = [`${e.method} ${uri} SIP/2.0`, ...common, `${target}${e.toTag === true ? ';tag=b' : ''}`, ...rest];
  const answer = [`SIP/2.0 ${e.status} x`, ...common, `${target};tag=b`, ...rest, ...(e.answer ?? [])];
  const end = 'Content-Length: 0\r\n\r\n';
  const text = [...request, `Contact: <sip:${e.user}@${e.from}>`, 'User-Agent: Phone 4.2', ...(e.headers ?? []), end];
  script.at(sec, (stage) => stage.send(sec, e.from, to, text.join('\r\n')));
  const answered = sec + (e.afterSec ?? 0.0002);
  script.at(answered, (stage) => stage.send(answered, to, e.from, [...answer, end].join('\r\n')));
  if (e.method !== 'INVITE') return;
  const ack = [`ACK ${uri} SIP/2.0`, ...common, `${target};tag=b`, `Call-ID: ${e.callId}`, `CSeq: ${e.cseq} ACK`, end];
  script.at(answered + 0.001, (stage) => stage.send(answered + 0.001, e.from, to, ack.join('\r\n')));
}

const challenge = (nonce: string, qop: boolean): string =>
  `WWW-Authenticate: Digest realm="lab", nonce="${nonce}"${qop ? ', qop="auth"' : ''}`;

function credentials(user: string, nonce: string, response: string, qop = ''): string {
  return `Authorization: Digest username="${user}", realm="lab", nonce="${nonce}", uri="sip:x", response="${response}"${qop}`;
}

/**
 * baresip 1.0 with a wrong password: each minute it asks once without credentials, and then 15 times with them within
 * milliseconds. With qop the client's nonce differs, so the same password is another response each time.
 */
export function wrongPassword(
  script: Script,
  seconds: number,
  who: { from: string; user: string; qop: boolean },
): void {
  const callId = `baresip-${who.user}`;
  let cseq = 6358;
  for (let sec = 1; sec < seconds; sec += 59.3) {
    const nonce = md5(`${who.user} ${sec}`);
    const refused = { ...who, method: 'REGISTER', callId, status: 401, answer: [challenge(nonce, who.qop)] };
    exchange(script, sec, { ...refused, cseq: cseq++ });
    for (let n = 1; n <= 15; n++) {
      const response = md5(who.qop ? `${nonce} ${n}` : nonce);
      const more = who.qop ? `, cnonce="${md5(response)}", qop=auth, nc=00000001` : '';
      const headers = [credentials(who.user, nonce, response, more)];
      exchange(script, sec + n * 0.0004, { ...refused, cseq: cseq++, headers });
    }
  }
}

/** Challenged, then let in. */
function register(script: Script, sec: number, from: string, user: string, cseq: number, stale = ''): void {
  const nonce = md5(`${user} ${sec}`);
  const common = { from, user, method: 'REGISTER', callId: `phone-${user}` };
  const first = stale === '' ? [] : [credentials(user, stale, md5(stale))];
  const isStale = stale === '' ? '' : ', stale=true';
  const answer = [`${challenge(nonce, false)}${isStale}`];
  exchange(script, sec, { ...common, cseq, status: 401, headers: first, answer });
  const headers = [credentials(user, nonce, md5(nonce))];
  const granted = [`Contact: <sip:${user}@${from}>;expires=300`];
  exchange(script, sec + 0.05, { ...common, cseq: cseq + 1, status: 200, headers, answer: granted });
}

/** Sixty phones behind one address that all come back at the same moment; a third asks for events nobody has. */
export function officeRestarts(script: Script, at: readonly number[]): void {
  const from = '198.51.100.20';
  for (const [round, sec] of at.entries()) {
    for (let n = 0; n < 60; n++) {
      const user = String(2100 + n);
      const begin = sec + n * 0.02;
      register(script, begin, from, user, 10 * round + 1);
      if (n % 3 > 0) continue;
      const event = { from, user, method: 'SUBSCRIBE', callId: `events-${user}-${round}`, cseq: 1 };
      exchange(script, begin + 0.2, { ...event, status: 489, headers: ['Event: message-summary'] });
    }
  }
}

/** Ten phones that change their address every few minutes and go on with credentials that are stale by then. */
export function roaming(script: Script, seconds: number): void {
  for (let n = 0; n < 10; n++) {
    const user = String(2200 + n);
    let stale = '';
    for (let sec = 5 + n, k = 0; sec < seconds; sec += 240, k++) {
      register(script, sec, `198.51.100.${30 + ((n + k * 7) % 60)}`, user, 2 * k + 1, stale);
      stale = md5(`${user} ${sec}`);
    }
  }
}

/** Fifty phones and the registrar ask each other whether they live; a phone that was switched off answers nothing. */
export function keepAlives(script: Script, seconds: number): void {
  for (let n = 0; n < 50; n++) {
    const phone = `198.51.100.${100 + n}`;
    const user = String(2300 + n);
    register(script, n * 0.1, phone, user, 1);
    for (let sec = 10 + n * 0.3; sec < seconds; sec += 60) {
      const alive = { method: 'OPTIONS', user, cseq: 1, status: 200 };
      exchange(script, sec, { ...alive, from: phone, callId: `alive-${user}-${sec}` });
      exchange(script, sec + 1, { ...alive, from: REGISTRAR, to: phone, callId: `asked-${user}-${sec}` });
      script.at(sec + 2, (stage) => stage.send(sec + 2, phone, REGISTRAR, '\r\n\r\n'));
    }
  }
}

/** Fifty calls a second of a trunk: wrong numbers, busy ones, and a server that is overloaded now and then. */
export function busyTrunk(script: Script, from: number, seconds: number): void {
  for (let n = 0; n < seconds * 50; n++) {
    const sec = from + n / 50;
    const status = n % 5 === 0 ? 404 : n % 7 === 0 ? 486 : n % 31 === 0 ? 503 : 200;
    const call = { from: '198.51.100.7', user: `+4930${100_000 + n * 37}`, callId: `trunk-${n}` };
    exchange(script, sec, { ...call, method: 'INVITE', cseq: 1, status, afterSec: 0.3 });
    if (status === 200) exchange(script, sec + 3, { ...call, method: 'BYE', cseq: 2, toTag: true, status: 200 });
  }
}
