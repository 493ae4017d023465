/**
 * What calltap says is plain English: these turns of phrase are not in its strings. Each has what to write instead. Comments and
 * pages follow the same rules (CONTRIBUTING.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './helpers/source-files.ts';

const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bof which\b/, 'two sentences'],
  [/\banew\b/, 'again'],
  [/\btold\b/, 'said, reported, notified'],
  [/\b(is|are) none\b/, 'is not one'],
  [/\bbehind (the step|one is|one are|the last|its end|their end)\b/, 'after'],
  [/\b[Ww]hat (was|is|were|are) [a-z ]+ (is|are|was|were)\b/, 'subject, verb, object'],
  [/\bby what became of\b|\bwhat became of\b/i, 'by result'],
  [
    /\bit is no\b|(?<![Tt]here )\bis no (number|code|time|span|folder|address|URL|header|media|proxy|document|fault)\b/,
    'is not a',
  ],
  [/\b(of|to|towards|by|for|from|with|than|reaches|leaves) who(ever)? /, 'the side that, the host that'],
  [/\bthe last so many\b|\bof so many\b|\bso many of\b/, 'the number'],
  [/\bbecame of\b/, 'result'],
  [/\bis said of\b|\bnothing is said\b/, 'who says what'],
  [/, falling\b|, rising\b/, 'newest first, greatest first'],
  [/\bcancelled\b/, 'Canceled, as the wire spells the state'],
  [/\bmay not be looked into\b/, 'calltap may not read'],
  [/\bNobody but\b/, 'only'],
];

/** Words that people read: two words and a blank. */
const SENTENCE = /[a-z] [a-z]/i;
const SQL = /^\s*(SELECT|INSERT|ALTER)\b/;

test('no text of the program has a turn of phrase that its readers stumble over', () => {
  const found = load('src', /\.ts$/).flatMap(({ path, text, strings }) =>
    strings.flatMap((one) => {
      if (!SENTENCE.test(one.text) || SQL.test(one.text)) return [];
      const line = text.slice(0, one.at).split('\n').length;
      return BANNED.flatMap(([pattern, instead]) => {
        const match = pattern.exec(one.text);
        return match === null ? [] : [`${path}:${line} "${match[0]}": write ${instead}`];
      });
    }),
  );
  assert.deepEqual(found, []);
});
