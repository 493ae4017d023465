/**
 * The language of the scenes: a line a message, or a line a run of media packets, each with its seconds.
 *
 *     0      A>B  INVITE sdp
 *     2.18   B>A  200 sdp recvonly
 *     2.3-30 A>B  rtp pcma
 *     5      P>C  CANCEL  | Reason: SIP;cause=200
 *
 * `refused` behind a line has an ICMP error as answer, `contact=192.0.2.1:5060` names another address than the sender's, `hops=69` is
 * Max-Forwards, `leg=2` another attempt of a proxy over the same hop, `parts` sends a message in fragments of IP, and `lone` loses all
 * but the first. Besides: `call NAME A>B` begins another call, `tap 5-20` cuts the capture, `copies 3 0.004` repeats each packet so
 * much later, `clock 10 +3600` is a step of the capturing clock, and `only B` captures what B sends, and no more. With `tcp A>B`
 * messages between the two run over TCP, and `5 B>A fin` or `5 B>A rst` ends the connection.
 */

export type Line = {
  readonly text: string;
  readonly fromMs: number;
  /** Where media ends; the same for a message. */
  readonly toMs: number;
  readonly from: string;
  readonly to: string;
  readonly what: string;
  /** What stands behind: `sendonly` has itself as value, `at=M` has M. */
  readonly words: ReadonlyMap<string, string>;
  readonly headers: readonly (readonly [string, string])[];
};

export type Call = {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly lines: readonly Line[];
};

export type Tap = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly copies: number;
  readonly apartMs: number;
  /** Who sends what is captured; null: everybody. */
  readonly only: string | null;
  /** Who speak TCP with each other. */
  readonly tcp: readonly (readonly string[])[];
  /** From this time on the capturing clock is ahead by so much. */
  readonly steps: readonly { readonly atMs: number; readonly byMs: number }[];
};

export type Table = { readonly calls: readonly Call[]; readonly tap: Tap };

const MS = 1000;

export function readTable(name: string, table: string): Table {
  const calls: { name: string; from: string; to: string; lines: Line[] }[] = [];
  let tap: Tap = {
    fromMs: Number.NEGATIVE_INFINITY,
    toMs: Number.POSITIVE_INFINITY,
    copies: 1,
    apartMs: 0,
    only: null,
    tcp: [],
    steps: [],
  };
  for (const raw of table.split('\n')) {
    const text = raw.trim();
    const [first = '', second = '', third = ''] = text.split(/\s+/);
    if (text === '' || text.startsWith('#')) continue;
    if (first === 'call') {
      const [from = '', to = ''] = third.split('>');
      calls.push({ name: second, from, to, lines: [] });
    } else if (first === 'tap') {
      const [fromMs, toMs] = span(second, text);
      tap = { ...tap, fromMs, toMs };
    } else if (first === 'copies') tap = { ...tap, copies: Number(second), apartMs: Number(third) * MS };
    else if (first === 'only') tap = { ...tap, only: second };
    else if (first === 'tcp') tap = { ...tap, tcp: [...tap.tcp, second.split('>')] };
    else if (first === 'clock')
      tap = { ...tap, steps: [...tap.steps, { atMs: Number(second) * MS, byMs: Number(third) * MS }] };
    else {
      const next = line(text);
      // The call of the scene's own name runs where its first message does; who calls by the proxy P means Bob.
      if (calls.length === 0) calls.push({ name, from: next.from, to: next.to === 'P' ? 'B' : next.to, lines: [] });
      calls.at(-1)?.lines.push(next);
    }
  }
  return { calls, tap };
}

function span(word: string, text: string): readonly [number, number] {
  const [from = '', to = from] = word.split('-');
  const ms = [from, to].map((seconds) => Number(seconds) * MS) as [number, number];
  if (ms.some(Number.isNaN)) throw new Error(`no time: ${text}`);
  return ms;
}

function line(text: string): Line {
  const [body = '', ...more] = text.split(' | ');
  const [when = '', who = '', what = '', ...words] = body.trim().split(/\s+/);
  const [fromMs, toMs] = span(when, text);
  const [from, to] = who.split('>');
  if (from === undefined || to === undefined || what === '') throw new Error(`not a line of a scene: ${text}`);
  const named = words.map((word): [string, string] => {
    const [key = '', ...value] = word.split('=');
    return [key, value.length === 0 ? key : value.join('=')];
  });
  const headers = more.map((header): [string, string] => {
    const [name = '', ...value] = header.split(': ');
    return [name.trim(), value.join(': ').trim()];
  });
  return { text, fromMs, toMs, from, to, what, words: new Map(named), headers };
}
