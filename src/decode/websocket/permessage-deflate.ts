/**
 * WebSocket permessage-deflate for one direction (RFC 7692): what was negotiated, and inflation within a budget.
 */
import { INFLATE_FORM, Inflation } from '../../sources/inflate.ts';
import type { DecodeCounters } from '../counters.ts';
import { INFLATED_MESSAGE_BYTES, InflateBudget, InflateShare } from '../inflate-budget.ts';
import { DeflateWindow, DeflateWindows } from './deflate-windows.ts';

/**
 * Bytes of what was inflated and later WebSocket messages may refer to: 32 KiB a direction at most, and this over all
 * connections that were captured, and once more over all that probes read.
 *
 * @cap memory 32 MiB, ws_contexts_evicted: what compressed WebSocket messages refer to
 */
export const INFLATE_WINDOW_BYTES = 32 * 1024 * 1024;

export type DeflateParameters = {
  /** Each message of the direction stands alone; without it the last 32 KiB of output are the dictionary. */
  readonly clientNoContextTakeover: boolean;
  readonly serverNoContextTakeover: boolean;
};

/** Bytes that the shortest start line (`A a SIP/2.0`, CRLF) takes when nothing stands before it: a literal has 8 bits. */
const SHORTEST_START_LINE = 13;

/** Parameters of the first permessage-deflate in a response's Sec-WebSocket-Extensions, or null. */
export function deflateParameters(extensions: string): DeflateParameters | null {
  for (const extension of extensions.split(',')) {
    const [name = '', ...parameters] = extension.split(';').map((part) => part.trim().toLowerCase());
    if (name !== 'permessage-deflate') continue;
    // Window bits need no attention: a 32 KiB window reads whatever a smaller one wrote.
    return {
      clientNoContextTakeover: parameters.includes('client_no_context_takeover'),
      serverNoContextTakeover: parameters.includes('server_no_context_takeover'),
    };
  }
  return null;
}

/** What all directions share: the budget of their work, the memory of their windows, and room for one message. */
export class SharedInflation {
  readonly counters: DecodeCounters;
  readonly budget = new InflateBudget();
  readonly windows: DeflateWindows;
  readonly inflation = new Inflation(INFLATED_MESSAGE_BYTES);

  constructor(counters: DecodeCounters, windowBytes: number = INFLATE_WINDOW_BYTES) {
    this.counters = counters;
    this.windows = new DeflateWindows(counters, windowBytes);
  }
}

/** What became of a message: `read` and `empty` are no failures. */
export type Inflated = 'read' | 'empty' | 'context_lost' | 'corrupt' | 'too_long' | 'over_budget';

/** Inflates the messages of one direction, in order. */
export class MessageInflater {
  readonly #keepsContext: boolean;
  readonly #shared: SharedInflation;
  readonly #share = new InflateShare();
  readonly #window = new DeflateWindow();

  constructor(keepsContext: boolean, shared: SharedInflation) {
    this.#keepsContext = keepsContext;
    this.#shared = shared;
  }

  /** A message was not seen, or its window given up: with a shared context nothing can be read from then on. */
  get isLost(): boolean {
    return this.#window.isLost;
  }

  /** Reads [start, end) of `b`, captured at `tsUs`. What is `read` stands in `inflation` until the next message is. */
  inflate(b: Uint8Array, start: number, end: number, tsUs: number): Inflated {
    if (this.isLost) return 'context_lost';
    // An empty message (RFC 7692 section 7.2.3.6), and what is too short for one: nothing comes out for later messages.
    if (end - start === 0 || (end - start === 1 && b[start] === 0)) return 'empty';
    if (!this.#keepsContext && end - start < SHORTEST_START_LINE) return 'empty';
    const { counters, budget, windows, inflation } = this.#shared;
    const room = budget.room(this.#share, tsUs);
    if (room <= 0) return this.#fail('over_budget');
    const most = Math.min(room, inflation.output.length);
    const window = this.#window;
    const failure = inflation.run(INFLATE_FORM.MESSAGE, b, start, end, most, window.bytes, window.length);
    budget.charge(this.#share, inflation.bytes);
    counters.wsInflations++;
    counters.wsInflatedBytes += inflation.bytes;
    if (failure !== null) return this.#fail(failure === 'too_long' && most === room ? 'over_budget' : failure);
    if (this.#keepsContext) windows.append(window, inflation.output, inflation.bytes);
    return 'read';
  }

  /** The direction carries SIP: it keeps its window longer than those that do not. */
  carriesSip(): void {
    if (!this.#window.carriesSip) this.#shared.windows.carriesSip(this.#window);
  }

  /** A message was not seen: with a shared context nothing after it can be read. */
  messageLost(): void {
    if (this.#keepsContext) this.close();
  }

  close(): void {
    this.#shared.windows.drop(this.#window);
  }

  #fail(reason: Inflated): Inflated {
    this.messageLost();
    return reason;
  }
}
