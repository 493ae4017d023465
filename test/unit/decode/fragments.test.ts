/** IP fragments in any order make their datagram; overlaps, caps and timeouts are counted. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeCounters } from '../../../src/decode/counters.ts';
import { FRAGMENT_LIMITS, type FragmentLimits } from '../../../src/decode/decode-limits.ts';
import {
  type FragmentDrop,
  type FragmentInput,
  FragmentReassembler,
  type FragmentResult,
  type LoneFragment,
} from '../../../src/decode/fragments.ts';
import { emptyPacket } from '../../../src/sources/packet.ts';

const datagram = Uint8Array.from({ length: 3_001 }, (_, i) => (i * 7 + (i >> 8)) & 255);

type Spec = {
  readonly from: number;
  readonly to: number;
  readonly more?: boolean;
  readonly data?: Uint8Array;
  readonly id?: number;
  readonly version?: number;
  readonly tsUs?: number;
  readonly frame?: number;
  readonly wireLength?: number;
  readonly proto?: number;
};

function fragment(s: Spec): FragmentInput {
  // A Buffer, as a slab is.
  const data = Buffer.from((s.data ?? datagram).subarray(s.from, s.to));
  const addresses = new Uint8Array(32);
  addresses.set([192, 0, 2, 1], 0);
  addresses.set([192, 0, 2, 2], 16);
  return {
    packet: {
      ...emptyPacket(addresses),
      ipVersion: s.version ?? 4,
      tsUs: s.tsUs ?? 1_000,
      frame: s.frame ?? 0,
    },
    id: s.id ?? 77,
    proto: s.proto ?? 17,
    offset: s.from,
    more: s.more ?? s.to < datagram.length,
    bytes: data,
    start: 0,
    end: data.length,
    wireLength: s.wireLength ?? data.length,
  };
}

function feed(specs: readonly Spec[], limits: Partial<FragmentLimits> = {}) {
  const counters = new DecodeCounters();
  const r = new FragmentReassembler(counters, { ...FRAGMENT_LIMITS, ...limits });
  const results: FragmentResult[] = specs.map((s) => {
    const f = fragment(s);
    const result = r.add(f);
    // The slab is written anew: what was kept of it must have been copied.
    f.bytes.fill(0x55);
    return result;
  });
  return { counters, r, results, last: results.at(-1) };
}

const A: Spec = { from: 0, to: 1_480, frame: 5, tsUs: 100 };
const B: Spec = { from: 1_480, to: 2_960, frame: 6, tsUs: 200 };
const C: Spec = { from: 2_960, to: 3_001, frame: 7, tsUs: 300 };

const dropped = (reason: FragmentDrop): FragmentResult => ({ kind: 'dropped', reason });

for (const version of [4, 6]) {
  describe(`IPv${version} fragments`, () => {
    const v = (s: Spec): Spec => ({ ...s, version });

    for (const [name, order] of [
      ['in order', [A, B, C]],
      ['reversed', [C, B, A]],
      ['mixed', [B, C, A]],
    ] as const) {
      it(name, () => {
        const { last, r, counters } = feed(order.map(v));
        assert.equal(last?.kind, 'complete');
        if (last?.kind !== 'complete') return;
        assert.deepEqual(last.payload, datagram);
        assert.deepEqual([last.begin.frame, last.begin.tsUs, last.proto], [5, 100, 17]);
        assert.deepEqual([r.datagrams, r.bufferedBytes, counters.fragmentsReassembled], [0, 0, 1]);
      });
    }

    it('duplicates, before and after completion, change nothing', () => {
      const { results, counters, r } = feed([A, A, B, B, C, C, A].map(v));
      assert.deepEqual(
        results.map((x) => x.kind),
        ['pending', 'dropped', 'pending', 'dropped', 'complete', 'dropped', 'dropped'],
      );
      assert.equal(counters.fragmentsDuplicate, 4);
      r.expire(99_000_000);
      assert.equal(counters.fragmentTimeouts, 0);
    });

    it('an identification used again at once is another datagram when its bytes are', () => {
      const other = datagram.map((b) => b ^ 0x55);
      const again = [A, B, C].map((s) => v({ ...s, data: other, tsUs: 400 }));
      for (const order of [again, again.toReversed()]) {
        const { last, counters } = feed([...[A, B, C, A].map(v), ...order]);
        assert.deepEqual(last?.kind === 'complete' ? last.payload : last, other);
        assert.deepEqual([counters.fragmentsReassembled, counters.fragmentsDuplicate], [2, 1]);
      }
    });

    it('an identification used again later is another datagram', () => {
      const later = [A, B, C].map((s) => v({ ...s, tsUs: 3_000_000 }));
      assert.equal(feed([...[A, B, C].map(v), ...later]).counters.fragmentsReassembled, 2);
    });

    it('a timeout of 30 s of capture time from the first fragment', () => {
      const { r, counters } = feed([v(A)]);
      assert.equal(r.expire(30_000_100), 0);
      assert.equal(r.expire(30_000_101), 1);
      assert.deepEqual([counters.fragmentTimeouts, counters.reassemblyTimeouts, r.bufferedBytes], [1, 1, 0]);
      assert.equal(counters.fragmentBytesIgnored, 1_480);
    });

    it('refuses what cannot be', () => {
      assert.deepEqual(feed([v({ from: 0, to: 9, more: true })]).last, dropped('unaligned'));
      assert.deepEqual(feed([v({ from: 8, to: 8 })]).last, dropped('empty'));
      assert.deepEqual(feed([v({ ...A, wireLength: 1_500 })]).last, dropped('snapped'));
      const far = { ...fragment(v(C)), offset: 65_528 };
      assert.deepEqual(new FragmentReassembler(new DecodeCounters()).add(far), dropped('too_long'));
      assert.deepEqual(feed([v(B), v({ from: 8, to: 16, more: false })]).last, dropped('conflicting_end'));
      assert.deepEqual(feed([v({ from: 8, to: 16, more: false }), v(B)]).last, dropped('conflicting_end'));
    });

    it('does not mix senders, identifications or versions', () => {
      const { r } = feed([v(A), v({ ...A, id: 78 }), { ...A, version: version === 4 ? 6 : 4 }]);
      assert.equal(r.datagrams, 3);
    });

    it('a datagram of one fragment is complete at once', () => {
      const { last } = feed([v({ from: 0, to: 100, more: false })]);
      assert.equal(last?.kind === 'complete' && last.payload.length, 100);
    });
  });
}

describe('overlapping fragments', () => {
  const evil = datagram.map((c) => c ^ 0xff);

  it('IPv4 keeps the bytes that came first', () => {
    const { last, counters } = feed([A, { from: 1_400, to: 2_960, data: evil }, C]);
    assert.equal(last?.kind, 'complete');
    if (last?.kind !== 'complete') return;
    assert.deepEqual(last.payload.subarray(0, 1_480), datagram.subarray(0, 1_480));
    assert.deepEqual(last.payload.subarray(1_480, 2_960), evil.subarray(1_480, 2_960));
    assert.equal(counters.fragmentsOverlapping, 1);
    assert.equal(counters.fragmentBytesIgnored, 80);
  });

  it('IPv4 fills on both sides of what came first', () => {
    const { last } = feed(
      [{ ...B, data: evil }, { from: 0, to: 3_001 - 1, more: true }, C].map((s, i) =>
        i === 1 ? { ...s, to: 3_000 } : s,
      ),
    );
    assert.equal(last?.kind, 'complete');
    if (last?.kind === 'complete') assert.deepEqual(last.payload.subarray(1_480, 2_960), evil.subarray(1_480, 2_960));
  });

  it('IPv6 discards the datagram and what still comes of it', () => {
    const { results, counters, r } = feed([A, { from: 1_400, to: 2_960 }, B, C].map((s) => ({ ...s, version: 6 })));
    assert.deepEqual(results.slice(1), [dropped('overlap'), dropped('discarded'), dropped('discarded')]);
    assert.deepEqual([counters.fragmentDatagramsDiscarded, r.bufferedBytes], [1, 0]);
    r.expire(99_000_000);
    assert.equal(counters.fragmentTimeouts, 0);
  });
});

describe('caps', () => {
  it('evicts the oldest datagram beyond 1,024', () => {
    const { r, counters } = feed(Array.from({ length: 1_030 }, (_, id) => ({ ...A, id })));
    assert.deepEqual([r.datagrams, counters.fragmentsEvicted], [1_024, 6]);
  });

  it('stays below the cap on bytes', () => {
    const { r, counters } = feed(
      Array.from({ length: 50 }, (_, id) => ({ ...A, id })),
      { maxBytes: 20_000 },
    );
    assert.ok(r.bufferedBytes <= 20_000);
    assert.ok(counters.fragmentsEvicted > 30);
  });

  it('gives up a datagram of too many fragments', () => {
    const specs = Array.from({ length: 300 }, (_, i) => ({ from: i * 8, to: i * 8 + 8, more: true }));
    const { results, r, counters } = feed(specs);
    assert.deepEqual(results[256], dropped('too_many_fragments'));
    assert.deepEqual(results[257], dropped('discarded'));
    assert.deepEqual([r.bufferedBytes, counters.fragmentDatagramsDiscarded], [0, 1]);
  });
});

describe('fragments that come alone', () => {
  function lone(specs: readonly Spec[], endUs: number, expireUs?: number): LoneFragment[] {
    const told: LoneFragment[] = [];
    const r = new FragmentReassembler(new DecodeCounters(), FRAGMENT_LIMITS, false, (one) => told.push(one));
    for (const s of specs) r.add(fragment(s));
    if (expireUs !== undefined) r.expire(expireUs);
    r.close(endUs);
    return told;
  }
  const LATER = 40_000_000;

  for (const version of [4, 6])
    it(`tells the first of a datagram whose rest did not come, over IPv${version}`, () => {
      const [one, ...more] = lone([{ ...A, version }], LATER, LATER);
      assert.equal(more.length, 0);
      assert.deepEqual([one?.tsUs, one?.proto, one?.ipVersion], [100, 17, version]);
      assert.deepEqual([...(one?.addresses.subarray(0, 4) ?? [])], [192, 0, 2, 1]);
      assert.deepEqual([...(one?.addresses.subarray(16, 20) ?? [])], [192, 0, 2, 2]);
      assert.deepEqual([...(one?.bytes ?? [])], [...datagram.subarray(0, 1_480)]);
    });

  it('tells no more bytes than stand before the hole', () => {
    assert.equal(lone([A, C], LATER)[0]?.bytes.length, 1_480);
  });

  for (const [name, specs, endUs] of [
    ['a whole datagram', [A, B, C], LATER],
    ['one without its beginning', [B, C], LATER],
    ['one whose rest may still have come when the capture ended', [A, B], 1_500_000],
    ['one whose rest the capture cut', [A, { ...B, wireLength: 1_490 }, C], LATER],
    ['one whose fragments do not agree', [A, { ...C, more: false }, { from: 2_960, to: 3_000, more: false }], LATER],
    [
      'IPv6 that overlaps',
      [
        { ...A, version: 6 },
        { from: 8, to: 1_600, version: 6 },
      ],
      LATER,
    ],
  ] as const)
    it(`does not tell ${name}`, () => {
      assert.deepEqual(lone(specs, endUs), []);
    });
});
