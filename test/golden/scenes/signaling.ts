/** Plays the messages of a call: an end writes its own, a proxy passes on what reached it, or answers itself. */
import { callIdOf, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { CHALLENGE, credentials } from '../../../fixtures/build/calls-setup.ts';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import { type Body, type Hop, type SipMessage, type SipRequest, SipScript } from '../../../fixtures/build/sip-call.ts';
import { relay, relayBack } from '../../../fixtures/build/sip-relay.ts';
import { description } from './description.ts';
import type { Cut } from './fragmented.ts';
import type { Seen } from './refusal.ts';
import { playerOf, socketOf } from './stage.ts';
import type { Call, Line } from './table.ts';

type Header = readonly [string, string];
/** A message of the table; `r` of a request. */
type Sent = { readonly line: Line; readonly m: SipMessage; readonly r: SipRequest | null; isAnswered: boolean };

export const isMessage = ({ what }: Line): boolean => /^([A-Z]+|\d{3})$/.test(what);

export function playSignaling(call: Call): Seen[] {
  const play = new Play(call);
  for (const line of call.lines) if (isMessage(line)) play.message(line);
  return play.script.messages.map((m, i) => ({
    ...m,
    isRefused: play.refused.has(i),
    cut: play.cut.get(i) ?? null,
  }));
}

class Play {
  readonly script: SipScript;
  /** By number of the message. */
  readonly refused = new Set<number>();
  readonly cut = new Map<number, Cut>();
  readonly #call: Call;
  readonly #sent: Sent[] = [];
  /** What each party said last, and how often it said something new. */
  readonly #said = new Map<string, { readonly words: string; readonly version: number }>();

  constructor(call: Call) {
    this.#call = call;
    const parties = { caller: playerOf(call.from), callee: playerOf(call.to) };
    this.script = new SipScript({ callId: callIdOf(call.name), startUs: EPOCH_US, ...parties });
  }

  message(line: Line): void {
    const { from, to, what, words } = line;
    if (words.has('refused')) this.refused.add(this.script.messages.length);
    for (const cut of ['lone', 'parts'] as const) if (words.has(cut)) this.cut.set(this.script.messages.length, cut);
    if (words.has('again')) {
      const before = this.#last((s) => s.line.from === from && s.line.to === to && s.line.what === what);
      if (before === undefined) throw new Error(`nothing to repeat: ${line.text}`);
      this.script.repeat(before.m, line.fromMs);
      return;
    }
    const isRequest = !/^\d/.test(what);
    const m = isRequest ? this.#request(line) : this.#response(line);
    this.#sent.push({ line, m, r: isRequest ? (m as SipRequest) : null, isAnswered: what === 'ACK' });
  }

  #last(is: (s: Sent) => boolean): Sent | undefined {
    return this.#sent.findLast(is);
  }

  /** The INVITE that the sender of an ACK or CANCEL means, on its hop where it was sent there. */
  #invite({ from, to }: Line): SipRequest {
    const own = (s: Sent): boolean => s.line.what === 'INVITE' && s.line.from === from;
    const found = this.#last((s) => own(s) && s.line.to === to) ?? this.#last(own);
    if (found === undefined || found.r === null) throw new Error(`${from} sent no INVITE`);
    return found.r;
  }

  #request(line: Line): SipRequest {
    const { from, to, what, words, fromMs } = line;
    const hop: Hop = { src: playerOf(from).sip, dst: playerOf(to).sip };
    const options = { hop, headers: this.#headers(line), ...this.#body(line) };
    const uri = words.get('uri');
    const hops = words.get('hops');
    const toUri = {
      ...(uri === undefined ? {} : { uri }),
      ...(hops === undefined ? {} : { hops: Number(hops) }),
      ...(words.has('leg') ? { leg: words.get('leg') as string } : {}),
      ...contactIn(words),
    };
    if (what === 'CANCEL') return this.script.cancel(this.#invite(line), fromMs, options);
    if (what === 'ACK') {
      const final = this.#last(
        ({ line: l, m }) => l.from === to && l.to === from && m.status >= 200 && m.method === 'INVITE',
      );
      const status = final?.m.status ?? 200;
      const [tag, cseq] = [words.get('tag'), words.get('cseq')];
      const over = { ...(tag === undefined ? {} : { tag }), ...(cseq === undefined ? {} : { cseq: Number(cseq) }) };
      if (!playerOf(from).isProxy || status >= 300)
        return this.script.ack(this.#invite(line), status, fromMs, { ...options, ...over });
    }
    if (playerOf(from).isProxy) {
      const got = this.#last((s) => s.line.to === from && s.line.what === what)?.r ?? null;
      if (got !== null) return relay(this.script, got, fromMs, hop, { ...options, ...toUri });
    }
    const by = from === this.#call.from ? 'caller' : 'callee';
    const early = what === 'PRACK' || what === 'UPDATE';
    return this.script.request(what, fromMs, { ...options, by, early, ...toUri });
  }

  #response(line: Line): SipMessage {
    const { from, to, what, words, fromMs } = line;
    const status = Number(what);
    const asked = this.#last(
      (s) =>
        s.line.from === to &&
        s.line.to === from &&
        !s.isAnswered &&
        s.r !== null &&
        (words.get('for') ?? s.line.what) === s.line.what,
    );
    if (asked === undefined || asked.r === null) throw new Error(`${to} asked nothing: ${line.text}`);
    const { r } = asked;
    if (status >= 200) asked.isAnswered = true;
    const { body } = this.#body(line);
    if (playerOf(from).isProxy) {
      const got = this.#last(
        (s) => s.line.to === from && s.line.what === what && s.m.method === r.method && s.line.from !== to,
      );
      const hop: Hop = { src: playerOf(from).sip, dst: playerOf(to).sip };
      if (got !== undefined) return relayBack(this.script, got.m, fromMs, hop, body);
    }
    const isParty = from === this.#call.to || from === this.#call.from;
    const tag = words.get('tag') ?? (isParty ? undefined : `tag-of-${from}`);
    return this.script.respond(r, status, fromMs, {
      headers: this.#headers(line),
      ...(body === undefined ? {} : { body }),
      ...contactIn(words),
      ...(words.has('stray') ? { stray: playerOf(words.get('stray') ?? '').sip } : {}),
      ...(tag === undefined ? {} : { tag }),
      ...(isParty ? {} : { as: playerOf(from) }),
    });
  }

  /** A party that says the same again keeps the version of its session (RFC 3264 section 8). */
  #body({ from, words }: Line): { body?: Body } {
    const frag = words.get('frag');
    if (frag !== undefined) return { body: { type: 'message/sipfrag', text: `SIP/2.0 ${frag} OK\r\n` } };
    const reported = words.get('vq');
    if (reported !== undefined) return { body: vqReport(callIdOf(reported), socketOf(words.get('at') ?? from), words) };
    if (words.has('dtmf')) return { body: { type: 'application/dtmf-relay', text: 'Signal=5\r\nDuration=160\r\n' } };
    const at = words.get('sdp');
    if (at === undefined) return {};
    const media = socketOf(at === 'sdp' ? from : at);
    const session = words.get('origin') ?? `${this.#call.name}/${from}`;
    const said = [...words]
      .filter(([key]) => !['100rel', 'rseq', 'credentials', 'refused', 'lone', 'parts'].includes(key))
      .join(' ');
    const before = this.#said.get(session) ?? { words: said, version: 1 };
    const version = before.words === said ? before.version : before.version + 1;
    this.#said.set(session, { words: said, version });
    return { body: sdpBody(description(media, session, version, words)) };
  }

  #headers({ from, what, words, headers }: Line): Header[] {
    const all: Header[] = [...headers];
    const add = (word: string, name: string, value: string): void => {
      if (words.has(word)) all.push([name, value]);
    };
    const user = playerOf(from).user;
    const isProxied =
      what === '407' || this.#last((s) => s.line.to === from && /^40[17]$/.test(s.line.what))?.line.what === '407';
    add('challenge', isProxied ? 'Proxy-Authenticate' : 'WWW-Authenticate', CHALLENGE);
    add('stale', isProxied ? 'Proxy-Authenticate' : 'WWW-Authenticate', `${CHALLENGE}, stale=true`);
    add('credentials', isProxied ? 'Proxy-Authorization' : 'Authorization', credentials(user, 'sip:example.com'));
    add('100rel', 'Require', '100rel');
    if (!/^[A-Z]/.test(what)) add('100rel', 'RSeq', words.get('rseq') ?? '1');
    if (what === 'PRACK') all.push(['RAck', `${words.get('rack') ?? 1} 1 INVITE`]);
    add('frag', 'Event', 'refer');
    add(
      'frag',
      'Subscription-State',
      words.get('frag') === '100' ? 'active;expires=60' : 'terminated;reason=noresource',
    );
    const target = words.get('refer');
    if (target !== undefined)
      all.push(['Refer-To', `<sip:${playerOf(target[0] ?? '').user}@example.com${target.slice(1)}>`]);
    return all;
  }
}

/** `vq=NAME` is a report of RFC 6035 on the call NAME: `NLR=12` what is heard, `remote-NLR=12` what the other side hears. */
function vqReport(callId: string, { address, port }: { address: string; port: number }, words: Line['words']): Body {
  const figures = (prefix: string): string =>
    ['NLR', 'JDR', 'IAJ', 'MOSLQ']
      .flatMap((name) => words.get(prefix + name)?.replace(/^/, `${name}=`) ?? [])
      .join(' ');
  const lines = [
    words.has('interval') ? 'VQIntervalReport' : 'VQSessionReport: CallTerm',
    `CallID: ${callId}`,
    `LocalAddr: IP=${address} PORT=${port} SSRC=0x0`,
    'LocalMetrics:',
    `PacketLoss: ${figures('')}`,
    'RemoteMetrics:',
    `PacketLoss: ${figures('remote-')}`,
  ];
  return { type: 'application/vq-rtcpxr', text: lines.map((line) => `${line}\r\n`).join('') };
}

/** Who writes it says that it is to be found elsewhere. */
function contactIn(words: Line['words']): { readonly contact?: string } {
  const contact = words.get('contact');
  return contact === undefined ? {} : { contact };
}
