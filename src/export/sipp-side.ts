/**
 * One side of a call while its scenario is written: its steps, and which keyword of SIPp gives what the other side said.
 */
import type { Socket } from '../analysis/call-messages.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import { isChallenge } from '../protocols/sip/message.ts';
import type { HeaderLine, Replayed } from './sipp-message.ts';
import type { Edit } from './sipp-sdp.ts';

/** Bytes of a SIPp scenario: SIPp refuses a file of 64 KiB. @cap */
export const MAX_SIPP_BYTES = 65_535;

export type RecvStep = {
  readonly kind: 'recv';
  readonly message: Replayed;
  /** Number of the variable that keeps its top Via; 0 for none. */
  via: number;
  keepsPeerTag: boolean;
  /** Its Contact becomes the target of requests. */
  keepsTarget: boolean;
  keepsChallenge: boolean;
};
export type SendStep = { readonly kind: 'send'; readonly message: Replayed; readonly text: string };
export type Step = RecvStep | SendStep | { readonly kind: 'pause'; readonly ms: number };

/** More than the frame of a scenario with its notes takes, and than elements and comments of a step do. */
const FRAME_BYTES = 8_192;
const STEP_BYTES = 1_024;

/** A Contact whose URI SIPp takes out unchanged. */
const TARGET = /^<([^<>,"[\]\\\s]{1,500})>[^,]*$/;
/** A challenge whose parts fit the buffers of SIPp, in a form that it computes. */
const DIGEST = /^Digest (?=.{1,600}$)(?:[a-z]+=(?:"[^"\\,]{0,300}"|[\w.-]{1,60})(?:, ?|$))+$/i;
const OTHER_ALGORITHM = /algorithm(?!="?MD5"?(?:,|$))/i;

export class SippSide {
  readonly isCaller: boolean;
  readonly own: Socket;
  readonly other: Socket;
  readonly steps: Step[] = [];
  /** What the scenario takes at most. */
  #bytes = FRAME_BYTES;
  lastReceived: RecvStep | null = null;
  readonly #received = new Map<string, RecvStep>();
  /** Step of the first request of a transaction. */
  readonly #branches = new Map<string, number>();
  readonly #tags = new Map<string, string>();
  #peer: { readonly tag: string; readonly step: RecvStep } | null = null;
  #target: { readonly uri: string; readonly step: RecvStep } | null = null;
  #challenge: RecvStep | null = null;
  #vias = 0;

  constructor(isCaller: boolean, own: Socket, other: Socket) {
    this.isCaller = isCaller;
    this.own = own;
    this.other = other;
  }

  /** Whether SIPp reads the scenario with one more message of so many characters. */
  hasRoomFor(chars: number): boolean {
    return this.#bytes + STEP_BYTES + chars <= MAX_SIPP_BYTES;
  }

  send(message: Replayed, text: string): void {
    this.steps.push({ kind: 'send', message, text });
    this.#bytes += STEP_BYTES + text.length;
  }

  receive(message: Replayed): void {
    const step: RecvStep = {
      ...{ kind: 'recv', message, via: 0 },
      ...{ keepsPeerTag: false, keepsTarget: false, keepsChallenge: false },
    } as const;
    this.steps.push(step);
    this.#bytes += STEP_BYTES;
    this.lastReceived = step;
    if (message.isRequest) for (const key of requestKeys(message)) this.#received.set(key, step);
    else if (isChallenge(message.status)) this.#challenge = step;
    // SIPp keeps the tag of each response; of requests only what a scenario takes out, once.
    const tag = message.isRequest ? message.fromTag : message.toTag;
    if (tag !== '' && (this.isCaller ? !message.isRequest : this.#peer === null && message.isRequest))
      this.#peer = { tag, step };
    const contact = isTargetGiven(message) ? targetOf(message) : null;
    if (this.#target === null && contact !== null) this.#target = { uri: contact, step };
  }

  /** The request that this side has received and now answers. */
  requestOf(response: Replayed): RecvStep | null {
    const [exact, likely] = requestKeys(response);
    return this.#received.get(exact) ?? this.#received.get(likely) ?? null;
  }

  /** Whether it has received the INVITE that a request belongs to; one that belongs to none passes. */
  hasInviteFor({ method, scan }: Replayed): boolean {
    return !['ACK', 'CANCEL'].includes(method) || this.#received.has(`INVITE ${scan.cseq}`);
  }

  /** A request of the same transaction carries the same branch: ACK to a failure, CANCEL. */
  branch(request: Replayed): string {
    const here = this.steps.length;
    const first = this.#branches.get(request.transaction) ?? here;
    this.#branches.set(request.transaction, first);
    return first === here ? '[branch]' : `[branch-${here - first}]`;
  }

  /** Each tag that this side gave itself; forks have several. */
  ownTag(tag: string): string {
    const known = this.#tags.get(tag);
    if (known !== undefined) return known;
    const nth = this.#tags.size === 0 ? '' : `${this.#tags.size + 1}.`;
    const text = `;tag=[pid]${this.isCaller ? 'a' : 'b'}${nth}[call_number]`;
    this.#tags.set(tag, text);
    return text;
  }

  /** Null where SIPp has received none. */
  peerTag(tag: string): { readonly text: string; readonly isSame: boolean } | null {
    if (this.#peer === null) return null;
    const isSame = this.#peer.tag === tag;
    if (this.isCaller) return { text: '[peer_tag_param]', isSame };
    this.#peer.step.keepsPeerTag = true;
    return { text: '[$peer]', isSame };
  }

  /** Null where the URI is no Contact that SIPp keeps. */
  target(uri: string): string | null {
    if (this.#target?.uri !== uri) return null;
    this.#target.step.keepsTarget = true;
    return '[next_url]';
  }

  /** The top Via of a request that is not the last message received. */
  keptVia(step: RecvStep): string {
    if (step.via === 0) step.via = ++this.#vias;
    return `[$via${step.via}]`;
  }

  /** Null where SIPp cannot compute an answer to the last challenge, or writes it into another header. */
  authentication(header: number): string | null {
    const step = this.#challenge;
    if (step === null) return null;
    const { status, lines, text } = step.message;
    if (header !== (status === 401 ? HEADER.AUTHORIZATION : HEADER.PROXY_AUTHORIZATION)) return null;
    const id = status === 401 ? HEADER.WWW_AUTHENTICATE : HEADER.PROXY_AUTHENTICATE;
    const challenges = lines.filter((line) => [HEADER.WWW_AUTHENTICATE, HEADER.PROXY_AUTHENTICATE].includes(line.id));
    const [line] = challenges;
    if (line === undefined || challenges.length > 1 || line.id !== id) return null;
    const value = text.slice(line.valueStart, line.end);
    if (!DIGEST.test(value) || OTHER_ALGORITHM.test(value)) return null;
    if (!/[ ,]realm="[^"]/i.test(value) || !/[ ,]nonce="[^"]/i.test(value)) return null;
    step.keepsChallenge = true;
    return '[authentication]';
  }

  /** The addresses of both sockets as hosts of URIs within `start`..`end`. The callee's SIPp knows only its own. */
  addressEdits(text: string, start: number, end: number, isTarget: boolean): Edit[] {
    const own = hostEdits(text, start, end, this.own, this.other, 'local', isTarget);
    return this.isCaller ? [...own, ...hostEdits(text, start, end, this.other, this.own, 'remote', isTarget)] : own;
  }
}

/** The transaction, and what has to do where a server changed the top Via. */
function requestKeys(m: Replayed): readonly [string, string] {
  return [`${m.method} ${m.transaction}`, `${m.method} ${m.scan.cseq}`];
}

/** Where the target of a dialog comes from (RFC 3261 section 12.1): a request, or the 2xx to it. */
function isTargetGiven(m: Replayed): boolean {
  return ['INVITE', 'SUBSCRIBE', 'REFER'].includes(m.method) && (m.isRequest || (m.status >= 200 && m.status < 300));
}

/** Null where SIPp would take another one. */
function targetOf(m: Replayed): string | null {
  const contacts = m.lines.filter((line) => line.id === HEADER.CONTACT);
  const [contact] = contacts;
  if (contact === undefined || contacts.length > 1) return null;
  const value = (line: HeaderLine): string => m.text.slice(line.valueStart, line.end);
  // A first hop without `lr` would become the target itself.
  const isStrict = m.lines.some((line) => line.id === HEADER.RECORD_ROUTE && !value(line).includes(';lr'));
  return isStrict ? null : (TARGET.exec(value(contact))?.[1] ?? null);
}

function hostEdits(
  text: string,
  start: number,
  end: number,
  { host, port }: Socket,
  not: Socket,
  side: 'local' | 'remote',
  isTarget: boolean,
): Edit[] {
  const written = host.includes(':') ? `[${host}]` : host;
  const edits: Edit[] = [];
  for (let at = text.indexOf(written, start); at >= 0 && at < end; at = text.indexOf(written, at + 1)) {
    const after = at + written.length;
    if (after > end || !/[@:]/.test(text[at - 1] ?? '') || /[\w.-]/.test(text[after] ?? '')) continue;
    const named = /^:(\d{1,5})(?!\d)/.exec(text.slice(after, Math.min(end, after + 7)));
    if (host === not.host && Number(named?.[1] ?? 5060) !== port) continue;
    const keyword = named !== null || isTarget ? `[${side}_ip]:[${side}_port]` : `[${side}_ip]`;
    edits.push({ start: at, end: after + (named?.[0].length ?? 0), text: keyword });
  }
  return edits;
}
