/** Small captures of SIP, and the metrics that come of them: what a scrape would show. */
import type { TestContext } from 'node:test';
import type { BucketSnapshot } from '../../src/core/counters.ts';
import { metricsSnapshot } from '../../src/view/metrics/capture-families.ts';
import { readCapture } from './read-capture.ts';
import { Recorder } from './recorder.ts';

export const NUMBERS_EPOCH_US = 1_700_000_040 * 1e6;
export const US = '192.0.2.1';
export const ACME = '203.0.113.1';
export const GLOBEX = '203.0.113.65';
export const PHONE = '198.51.100.7';
export const NAMED = [
  ...['--trunk-local', US],
  ...['--trunk', '203.0.113.0/28=acme', '--trunk', '203.0.113.64/28=globex'],
];

type More = {
  readonly user?: string;
  readonly from?: string;
  readonly fromTag?: string;
  readonly headers?: string;
  readonly tag?: string;
};

/** Messages at seconds after the beginning. */
export class Talk extends Recorder {
  #n = 0;

  constructor() {
    super(NUMBERS_EPOCH_US);
  }

  say(sec: number, from: string, to: string, start: string, callId: string, cseq: string, more: More = {}): this {
    const { user = '2', from: caller = '1', fromTag = 'a', headers = '', tag } = more;
    const isResponse = start.startsWith('SIP/2.0');
    const ends = isResponse ? [to, from] : [from, to];
    const toTag = tag ?? (/^(?:SIP\/2\.0 [2-6]|BYE)/.test(start) ? ';tag=b' : '');
    const lines = [
      start,
      `Via: SIP/2.0/UDP x;branch=z9hG4bK${callId}${cseq.replace(' ', '')}${ends.join('')}`,
      `From: <sip:${caller}@x>;tag=${fromTag}`,
      `To: <sip:${user}@x>${toTag}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq}`,
    ];
    this.send(sec, from, to, `${lines.join('\r\n')}\r\n${headers}\r\n`);
    return this;
  }

  /** An INVITE and what is answered, each so many seconds after it; then a BYE. */
  call(
    sec: number,
    responses: readonly (readonly [afterSec: number, code: number])[],
    more: More & { readonly to?: string; readonly byeSec?: number; readonly byeCode?: number | null } = {},
  ): this {
    const { to = ACME, byeSec, byeCode = 200, ...rest } = more;
    const callId = `call${++this.#n}`;
    const { user = '2' } = rest;
    this.say(sec, US, to, `INVITE sip:${user}@x SIP/2.0`, callId, '1 INVITE', rest);
    for (const [after, code] of responses)
      this.say(sec + after, to, US, `SIP/2.0 ${code} x`, callId, '1 INVITE', { ...rest, headers: '' });
    if (byeSec === undefined) return this;
    this.say(sec + byeSec, US, to, `BYE sip:${user}@x SIP/2.0`, callId, '2 BYE', rest);
    if (byeCode !== null) this.say(sec + byeSec + 0.02, to, US, `SIP/2.0 ${byeCode} x`, callId, '2 BYE', rest);
    return this;
  }

  /** Something that makes capture time go on, and counts nowhere. */
  until(sec: number): this {
    return this.say(sec, US, ACME, 'INFO sip:x SIP/2.0', 'time', '1 INFO');
  }
}

/** What a scrape shows, by family and labels. */
export class Numbers {
  readonly #values = new Map<string, number | BucketSnapshot>();

  constructor(figures: Parameters<typeof metricsSnapshot>[0]) {
    for (const { name, samples } of metricsSnapshot(figures).families)
      for (const { labels, value } of samples) this.#values.set([name, ...labels].join(' '), value);
  }

  /** 0 where there is no such sample. */
  of(name: string, ...labels: readonly string[]): number {
    const value = this.#values.get([name, ...labels].join(' ')) ?? 0;
    return typeof value === 'number' ? value : value.count;
  }

  /** What is not 0 of a family, by its labels. */
  all(name: string): Record<string, number> {
    const found = [...this.#values].filter(([key, value]) => key.startsWith(`${name} `) && value !== 0);
    return Object.fromEntries(
      found.map(([key, value]) => [key.slice(name.length + 1), typeof value === 'number' ? value : value.count]),
    );
  }

  /** The counts of each bucket, and the sum. */
  buckets(name: string, label: string): readonly number[] | null {
    const value = this.#values.get(`${name} ${label}`);
    return value === undefined || typeof value === 'number' ? null : value.counts;
  }

  sum(name: string, label: string): number {
    const value = this.#values.get(`${name} ${label}`);
    return value === undefined || typeof value === 'number' ? Number.NaN : value.sum;
  }

  get size(): number {
    return this.#values.size;
  }
}

export async function numbersOf(
  t: TestContext,
  talk: Talk,
  options: readonly string[] = NAMED,
  families = 'all',
): Promise<Numbers> {
  const served = ['--metrics', '127.0.0.1:0', '--metrics-families', families];
  const { session } = await readCapture(t, talk.capture.pcap(), [...served, ...options]);
  return new Numbers(session.figures);
}
