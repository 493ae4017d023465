/** The commands that the pages print, and the programs that each line runs. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFile, repositoryRoot } from '../contract/repository.ts';

export const COMMAND_PAGES: readonly string[] = [
  'README.md',
  'deploy/examples/README.md',
  ...readdirSync(join(repositoryRoot(), 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export type Block = { readonly page: string; readonly line: number; readonly language: string; readonly text: string };

/** The fenced blocks of a page. */
export function blocksOf(page: string, markdown = repositoryFile(page)): Block[] {
  return [...markdown.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map((match) => ({
    page,
    line: markdown.slice(0, match.index).split('\n').length,
    language: match[2] ?? '',
    text: match[3] ?? '',
  }));
}

/** What one line of a shell begins: the words of a program, each as the shell would give it. */
export type Command = { readonly where: string; readonly words: readonly string[] };

/** Words that go before a program and change nothing of what it is. */
const BEFORE = new Set(['sudo', 'exec', 'do', 'then', '(']);

/**
 * Splits lines of a shell into programs with their words. It knows what pages use: quotes, `\` at the end of a line, comments,
 * pipes, lists, redirections, and the commands inside of `$( )`, which come as commands of their own.
 */
export function commandsOf(text: string, where: string): Command[] {
  const found: Command[] = [];
  let words: string[] = [];
  let word = '';
  let hasWord = false;
  let quote = '';
  let isTarget = false;
  const endWord = (): void => {
    if (hasWord && !isTarget) words.push(word);
    if (hasWord) isTarget = false;
    [word, hasWord] = ['', false];
  };
  const endCommand = (): void => {
    endWord();
    const start = words.findIndex((one) => !BEFORE.has(one) && !/^\w+=/.test(one));
    if (start >= 0 && words[start] !== 'for' && words[start] !== 'done')
      found.push({ where, words: words.slice(start) });
    words = [];
  };
  const lines = text.replaceAll(/\\\n\s*/g, ' ');
  for (let i = 0; i < lines.length; i++) {
    const c = lines[i] ?? '';
    if (quote === "'" || quote === '"') {
      if (c === quote) quote = '';
      else if (quote === '"' && c === '$' && lines[i + 1] === '(') {
        const end = closing(lines, i + 1);
        found.push(...commandsOf(lines.slice(i + 2, end), where));
        [word, i] = [`${word}$()`, end];
      } else word += c;
      continue;
    }
    if (c === "'" || c === '"') [quote, hasWord] = [c, true];
    else if (c === '$' && lines[i + 1] === '(') {
      const end = closing(lines, i + 1);
      found.push(...commandsOf(lines.slice(i + 2, end), where));
      [word, hasWord, i] = [`${word}$()`, true, end];
    } else if (c === '#' && !hasWord) {
      const end = lines.indexOf('\n', i);
      i = (end < 0 ? lines.length : end) - 1;
    } else if (c === '>' || c === '<') {
      // What is redirected has a number in front of it at most; `>&1` and a file are no words.
      if (/^\d*$/.test(word)) [word, hasWord] = ['', false];
      else endWord();
      if (lines[i + 1] === '>') i++;
      if (lines[i + 1] === '&') i += 2;
      else isTarget = true;
    } else if (/[|;&\n()]/.test(c)) endCommand();
    else if (/\s/.test(c)) endWord();
    else [word, hasWord] = [word + c, true];
  }
  endCommand();
  return found;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return text.length;
}

/** The commands of all blocks of one language; in `console` they stand after `$ `. */
export function pageCommands(language: 'sh' | 'console'): Command[] {
  return COMMAND_PAGES.flatMap((page) =>
    blocksOf(page)
      .filter((block) => block.language === language)
      .flatMap((block) => {
        const lines = block.text.split('\n');
        const text =
          language === 'sh' ? block.text : lines.flatMap((l) => (l.startsWith('$ ') ? [l.slice(2)] : [])).join('\n');
        return commandsOf(text, `${page}:${block.line}`);
      }),
  );
}
