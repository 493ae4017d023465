/** What a pair of scenarios does not replay as it was captured, in sentences that hold no captured text. */
import { counted } from '../core/counted.ts';
import type { SippRefusal } from './sipp-message.ts';

const LEFT_OUT: Readonly<Record<SippRefusal | 'unasked' | 'full', string>> = {
  gone: 'evicted meanwhile',
  unreadable: 'no SIP message that can be read',
  method: 'SIPp takes no method of such a form or length',
  status: 'SIPp takes no status code outside 100 to 699',
  start_line: 'SIPp takes no start line of such a form',
  headers: 'a header that SIPp needs is missing or has no usable value',
  too_long: 'longer than the buffers of SIPp',
  unasked: 'a response without its request, or an ACK or CANCEL without its INVITE',
  full: 'SIPp reads no scenario of 64 KiB or more; the scenario ends before',
};

const CHANGED = {
  cut: 'cut by the capture, replayed as far as kept',
  nul: 'NUL in a header, which SIPp cannot send: U+2400 stands for it',
  line_ends: 'a line of the headers ended without CR: SIPp needs CR LF',
  names: 'a header that SIPp reads was written with blanks or in another case: it has its usual form',
  cseq_word: 'the word CSeq before the header CSeq misleads SIPp: C?eq stands for it',
  length: 'Content-Length was not the length of the body: SIPp counts',
  credentials: 'credentials are replaced; [authentication] takes its own from the options -au and -ap of SIPp',
  keys: 'keys and passwords are replaced by [removed]',
  forks: 'the tag of another fork: SIPp knows the one it received last',
  candidates: 'ICE candidates name the captured addresses',
} as const;

export type SippChange = keyof typeof CHANGED;
type LeftOut = keyof typeof LEFT_OUT;

/** Messages that one note names; it counts them all. */
const NAMED = 8;

export class SippNotes {
  readonly #leftOut = new Map<LeftOut, number[]>();
  readonly #changed = new Map<SippChange, number[]>();
  readonly #general: string[] = [];

  leaveOut(why: LeftOut, index: number): void {
    add(this.#leftOut, why, index);
  }

  change(what: SippChange, index: number): void {
    add(this.#changed, what, index);
  }

  say(sentence: string): void {
    this.#general.push(sentence);
  }

  changesOf(index: number): string[] {
    return [...this.#changed].filter(([, list]) => list.at(-1) === index).map(([what]) => CHANGED[what]);
  }

  lines(): string[] {
    return [
      ...this.#general,
      ...[...this.#leftOut].map(([why, list]) => `${named(list)} left out: ${LEFT_OUT[why]}.`),
      ...[...this.#changed].map(([what, list]) => `${named(list)}: ${CHANGED[what]}.`),
    ];
  }
}

function add<K>(map: Map<K, number[]>, key: K, index: number): void {
  const list = map.get(key) ?? [];
  if (list.at(-1) !== index) list.push(index);
  map.set(key, list);
}

function named(list: readonly number[]): string {
  const more = list.length > NAMED ? ' and more' : '';
  return `${counted(list.length, 'message')} (${list.slice(0, NAMED).join(', ')}${more})`;
}
