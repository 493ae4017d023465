/**
 * Names who sent or got a message, as a sentence says it: an end by its role, and what passes messages on by its address
 * alone.
 */
import * as METHOD from '../../core/methods.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import type { CallMessage } from '../call-messages.ts';
import type { SignalingCall } from './signaling-call.ts';

export class Parties {
  readonly #call: SignalingCall;
  #middle: ReadonlySet<string> | undefined;

  constructor(call: SignalingCall) {
    this.#call = call;
  }

  /** `the caller (192.0.2.10)`. */
  sender(m: CallMessage): string {
    return this.#name(m.src.host, this.#isOfOpener(m) === m.isRequest);
  }

  receiver(m: CallMessage): string {
    return this.#name(m.dst.host, this.#isOfOpener(m) !== m.isRequest);
  }

  /** It got a request and sent it on. */
  isMiddle(host: string): boolean {
    this.#middle ??= middleOf(this.#call.messages);
    return this.#middle.has(host);
  }

  /** Who ended the call by `bye`, which came from this side: what passes messages on did itself, where no BYE came to it. */
  ender(bye: CallMessage, side: string): string {
    const { host } = bye.src;
    const isPassedOn = this.#call.messages.some(
      (m) => m.isRequest && m.method === METHOD.BYE && m.dst.host === host && m.tsUs <= bye.tsUs,
    );
    return this.isMiddle(host) && !isPassedOn ? `the proxy or PBX ${host}, between the two,` : `the ${side} (${host})`;
  }

  #name(host: string, isOpener: boolean): string {
    if (this.isMiddle(host)) return `the proxy or PBX ${host}`;
    const [opener, other] = this.#call.d.methodId === METHOD.INVITE ? ['caller', 'callee'] : ['client', 'server'];
    return `the ${isOpener ? opener : other} (${host})`;
  }

  /** Of a request, that it comes from who opened the dialog; of a response, that it goes there. */
  #isOfOpener(m: CallMessage): boolean {
    const text = m.read();
    return text === null || isOfOpener(this.#call.d, text.bytes, text.scan);
  }
}

/** Hosts that sent a request of which they got one with the same number. */
function middleOf(messages: readonly CallMessage[]): Set<string> {
  const got = new Set<string>();
  const requests = messages.filter((m) => m.isRequest && m.src.host !== m.dst.host);
  for (const m of requests) got.add(`${m.method} ${m.cseq} ${m.dst.host}`);
  return new Set(requests.filter((m) => got.has(`${m.method} ${m.cseq} ${m.src.host}`)).map((m) => m.src.host));
}

/** Begins a sentence. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
