/**
 * A call with speech both ways, 50 packets a second, of which the caller's lacks what a test names; and the same capture as
 * if its interface had dropped packets meanwhile.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ALICE, BOB, basicCall, CALL_TIMES } from '../../fixtures/build/basic-call.ts';
import { callCase, talk } from '../../fixtures/build/case-kit.ts';
import type { Evidence } from '../../src/analysis/evidence.ts';
import { findingNames } from '../../src/analysis/finding-names.ts';
import type { StreamQuality } from '../../src/analysis/stream-quality.ts';
import { streamMos, streamQuality } from '../../src/analysis/stream-quality.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import type { DropSpan } from '../../src/store/media/drop-spans.ts';
import type { Stream } from '../../src/store/media/stream.ts';
import type { Capture, QualityContext } from '../../src/store/stores.ts';
import { dialogFacts } from './at-once.ts';
import { readCapture } from './read-capture.ts';

const SENT_MS = 20;
const FIRST_MS = CALL_TIMES.ack + 40;
const SSRC = 0x0d_0d_0d_0d;

/** Packets `from` up to, but without, `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** Seconds of speech, and what of it is missing. */
type Speech = { readonly sec: number; readonly lost: readonly number[] };

export class Heard {
  readonly e: Evidence;
  readonly d: Dialog;
  readonly stream: Stream;
  readonly #startUs: number;

  constructor(e: Evidence, startUs: number) {
    this.e = e;
    const [d] = e.stores.dialogs.oldestFirst();
    const stream = [...e.stores.streams.fromNewest()].find(({ ssrc }) => ssrc === SSRC);
    assert.ok(d !== undefined && stream !== undefined);
    this.d = d;
    this.stream = stream;
    this.#startUs = startUs;
  }

  /** A span from one packet to another. */
  drops(from: number, to: number, packets: number): DropSpan {
    return { fromUs: this.#at(from), toUs: this.#at(to), packets };
  }

  with(
    spans: readonly DropSpan[],
    change: Partial<QualityContext> = {},
    source = 0,
  ): { e: Evidence; q: StreamQuality } {
    const e = withDrops(this.e, spans, change, source);
    const q = streamQuality(this.stream, e.capture.quality);
    assert.ok(q !== null);
    // Who asks for the MOS alone gets the same.
    assert.equal(streamMos(this.stream, e.capture.quality), q.mos);
    return { e, q };
  }

  findings(e: Evidence): readonly string[] {
    return findingNames(dialogFacts(e, this.d));
  }

  #at(packet: number): number {
    return this.#startUs + packet * SENT_MS * 1000;
  }
}

export async function heard(t: TestContext, { sec, lost }: Speech, options: readonly string[] = []): Promise<Heard> {
  const count = (sec * 1000) / SENT_MS;
  const call = basicCall('dropped', { byeMs: FIRST_MS + sec * 1000 + 500 });
  const speech = talk(call, ALICE, BOB, { ssrc: SSRC, count, fromMs: FIRST_MS, impairment: { lost: new Set(lost) } });
  const back = talk(call, BOB, ALICE, { count, fromMs: FIRST_MS });
  const { bytes } = callCase('dropped', '', { calls: [call], media: [speech.datagrams, back.datagrams], dialogs: [] });
  const { session } = await readCapture(t, bytes, options);
  return new Heard(session.evidence, call.at(FIRST_MS));
}

/** `change` is what else a capture that still runs would say. */
export function withDrops(
  e: Evidence,
  spans: readonly DropSpan[],
  change: Partial<QualityContext> = {},
  source = 0,
): Evidence {
  const quality: QualityContext = {
    ...e.capture.quality,
    ...change,
    dropsOf: (asked) => (asked === source ? spans : []),
  };
  const capture = new Proxy(e.capture, {
    get: (target: Capture, key) => (key === 'quality' ? quality : Reflect.get(target, key, target)),
  });
  return { ...e, capture };
}
