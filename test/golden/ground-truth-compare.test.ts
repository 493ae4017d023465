/** The comparison with tshark notices what it is there for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { compare, type Facts, type Found, truthFacts } from './truth-facts.ts';
import type { TruthCapture } from './truth-file.ts';

const STREAM = 'rtp 192.0.2.1:4000 > [2001:db8::2]:5000 0x0000beef';

const TRUTH: TruthCapture = {
  file: 'call.pcap',
  packets: 12,
  sip: {
    messages: 3,
    requests_by_method: { INVITE: 1, FOO: 1, BAR: 1 },
    responses_by_code: { '200': 1 },
    call_ids: { count: 1, list: ['a@b'] },
  },
  rtp_sdp: [],
  rtp_heuristic: [
    {
      src: '192.0.2.1',
      sport: 4000,
      dst: '2001:db8::2',
      dport: 5000,
      ssrc: '0x0000beef',
      packets: 9,
      lost: 0,
      mean_jitter_ms: 1.5,
    },
  ],
};

function foundWith(change: (facts: Facts) => void, jitterMs = 1.5): Found {
  const facts = truthFacts(TRUTH);
  change(facts);
  return { facts, cleanJitterMs: new Map([[STREAM, jitterMs]]) };
}

const differing = (found: Found): string[] =>
  compare(TRUTH, found).differences.map((d) => `${d.field}: ${d.ours} / ${d.theirs}`);

describe('comparison with tshark', () => {
  it('finds nothing where both say the same', () => {
    const { differences, jitter } = compare(
      TRUTH,
      foundWith(() => {}),
    );
    assert.deepEqual(differences, []);
    assert.deepEqual(jitter, [{ stream: STREAM, oursMs: 1.5, theirsMs: 1.5 }]);
  });

  it('names what is missing, what is too much and what is another number', () => {
    const found = foundWith((facts) => {
      facts.set('sip messages', '4');
      facts.delete('responses 200');
      facts.set('call-id c@d', 'present');
      facts.set('requests of other methods', '1');
      facts.set(STREAM, '9 packets, 1 lost');
    });
    assert.deepEqual(differing(found), [
      'sip messages: 4 / 3',
      'requests of other methods: 1 / 2',
      'responses 200: absent / 1',
      `${STREAM}: 9 packets, 1 lost / 9 packets, 0 lost`,
      'call-id c@d: present / absent',
    ]);
  });

  it('compares jitter to a tenth of a millisecond', () => {
    assert.deepEqual(differing(foundWith(() => {}, 1.59)), []);
    assert.deepEqual(differing(foundWith(() => {}, 1.61)), [`mean jitter of ${STREAM}: 1.61 ms / 1.50 ms`]);
  });

  it('takes a refused file for an empty one only where tshark found nothing either', () => {
    const refused: Found = { facts: new Map([['frames', 'refused']]), cleanJitterMs: new Map() };
    const empty: TruthCapture = { ...TRUTH, packets: 0, sip: { messages: 0 }, rtp_heuristic: [] };
    assert.ok(compare(TRUTH, refused).differences.some((d) => d.field === 'frames'));
    assert.ok(!compare(empty, refused).differences.some((d) => d.field === 'frames'));
  });

  it('has one reason for each known difference', () => {
    const keys = KNOWN_DIFFERENCES.map((d) => `${d.file}: ${d.field}`);
    assert.equal(new Set(keys).size, keys.length);
    for (const d of KNOWN_DIFFERENCES) assert.ok(d.reason.length > 30 && d.ours !== d.theirs, `${d.file}: ${d.field}`);
  });
});
