/**
 * What calltap says is plain English: these turns of phrase are neither in its strings nor on its pages. Each has what to write
 * instead. Comments follow the same rules (CONTRIBUTING.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryFile } from './contract/repository.ts';
import { COMMAND_PAGES } from './helpers/page-commands.ts';
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
  [/\btells? (no|nothing)\b/, 'reports no, has no'],
  [/\bgoes into it\b/, 'calltap spends'],
  [/\bis over, and again\b/, 'when it ends; and again'],
  [/\bNo \w+ bans\b/, 'subject, verb, object'],
  [/'s when it (reaches|leaves)\b/, 'belongs to, when'],
];

/** Of pages alone: a sentence that begins with the person and not with the subject; a heading or a question may. */
const WHO = /(?:^|[.;] |\| |- )Who (?!(?:is|are|registers|attacks|calls)\b)[a-z]+ [^?\n]*$/m;

/** Words that people read: two words and a blank. */
const SENTENCE = /[a-z] [a-z]/i;
const SQL = /^\s*(SELECT|INSERT|ALTER)\b/;

/** Tables of references to tests, and diffs: nothing there is written to be read as a sentence. */
const NO_PROSE = ['docs/conformance.md', 'docs/recipes.md'];

/** Lists of words that stand in messages and bodies. */
const NO_SENTENCES = 'src/export/anonymize/vocabulary.ts';

/** The sentences of a page: what is code, in blocks or in a line, becomes blanks of the same number of lines. */
function prose(markdown: string): string {
  return markdown
    .replaceAll(/^( *)```.*?^\1```$/gms, (block) => '\n'.repeat(block.split('\n').length - 1))
    .replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/[^\n]/g, '_'));
}

function faultsOf(path: string, text: string, banned: typeof BANNED): string[] {
  return banned.flatMap(([pattern, instead]) => {
    const match = pattern.exec(text);
    if (match === null) return [];
    const line = text.slice(0, match.index).split('\n').length;
    return [`${path}:${line} "${match[0]}": write ${instead}`];
  });
}

test('no text of the program has a turn of phrase that its readers stumble over', () => {
  const found = load('src', /\.ts$/).flatMap(({ path, text, strings }) =>
    strings.flatMap((one) => {
      if (path === NO_SENTENCES || !SENTENCE.test(one.text) || SQL.test(one.text)) return [];
      const line = text.slice(0, one.at).split('\n').length;
      return BANNED.flatMap(([pattern, instead]) => {
        const match = pattern.exec(one.text);
        return match === null ? [] : [`${path}:${line} "${match[0]}": write ${instead}`];
      });
    }),
  );
  assert.deepEqual(found, []);
});

test('no page has a turn of phrase that its readers stumble over', () => {
  const pages = COMMAND_PAGES.filter((page) => !NO_PROSE.includes(page));
  assert.ok(pages.length > 30);
  const banned: typeof BANNED = [...BANNED, [WHO, 'the side that, an attacker that, everybody who']];
  assert.deepEqual(
    pages.flatMap((page) => faultsOf(page, prose(repositoryFile(page)), banned)),
    [],
  );
});

test('the check of pages finds a sentence, and no code', () => {
  const page = 'One.\n```sh\nit is no command\n```\nTwo `it is no option`.\nThree: it is no address.\n';
  assert.deepEqual(faultsOf('p', prose(page), BANNED), ['p:6 "it is no": write is not a']);
});
