/** Words of the scanner are numbers for its compiler, and each stands for the text beside it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../helpers/source-files.ts';

const DECLARED = /^(?:export )?const (\w+)(?:: [iu]64)? = (0x[\da-f]+);(?: \/\/ '(.+)')?$/gm;
/** Masks and ends of numbers: no text. */
const NUMBERS = ['ANY_CASE', 'LAST_CSEQ', 'LAST_LENGTH'];

/** The first character is the lowest byte. */
function wordOf(text: string): bigint {
  const bytes = Buffer.from(text.replace('\\r', '\r').replace('\\n', '\n'), 'latin1');
  return bytes.reduceRight((word, byte) => (word << 8n) | BigInt(byte), 0n);
}

test('each word is its text', () => {
  const files = load('src/protocols/sip/scanner/wasm', /\.ts$/);
  const words = files.flatMap(({ text }) => [...text.matchAll(DECLARED)]);
  assert.ok(words.length > 60, `${words.length} words`);
  for (const [, name = '', number = '', text = ''] of words) {
    if (!NUMBERS.includes(name)) assert.equal(BigInt(number), wordOf(text), name);
  }
});
