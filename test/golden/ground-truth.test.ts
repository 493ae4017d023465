/**
 * Every capture of the captures folder gives what tshark found in it, or the difference is known and explained.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { capturesFolder, skipWithoutCaptures } from '../helpers/captures.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { compare, type Difference, foundFacts } from './truth-facts.ts';
import { readTruth } from './truth-file.ts';

/** Streams without loss and repeats whose jitter is compared: so many that the comparison cannot quietly stop. */
const CLEAN_STREAMS = 95;

const text = (d: Difference): string => `${d.file}: ${d.field}: calltap ${d.ours}, tshark ${d.theirs}`;

const folder = capturesFolder();

describe('captures against tshark', { skip: skipWithoutCaptures() }, () => {
  const captures = folder === null ? [] : readTruth(folder);
  let jitterPairs = 0;

  for (const truth of captures) {
    it(truth.file, { timeout: 120_000 }, async () => {
      const { differences, jitter } = compare(truth, await foundFacts(join(folder ?? '', truth.file)));
      jitterPairs += jitter.length;
      const found = differences.map(text);
      const known = KNOWN_DIFFERENCES.filter((d) => d.file === truth.file).map(text);
      assert.deepEqual(
        found.filter((d) => !known.includes(d)),
        [],
        'differences that known-differences.ts does not explain',
      );
      assert.deepEqual(
        known.filter((d) => !found.includes(d)),
        [],
        'differences of known-differences.ts that no longer happen',
      );
    });
  }

  it('explains only differences of captures that are there', () => {
    const files = new Set(captures.map((c) => c.file));
    assert.deepEqual(KNOWN_DIFFERENCES.filter((d) => !files.has(d.file)).map(text), []);
  });

  after(() => {
    assert.ok(jitterPairs >= CLEAN_STREAMS, `only ${jitterPairs} clean streams had their jitter compared`);
  });
});
