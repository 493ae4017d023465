/**
 * Splits TypeScript text into code, strings and comments, enough to ask what a file imports and what it declares.
 *
 * TypeScript 7 has no parser to call, so this reads the text itself (ECMA-262 §12, lexical grammar).
 */

export type SourceText = {
  /** The text with comments and the insides of strings and regular expressions replaced by spaces; same length. */
  readonly code: string;
  /** Comments in order, without their marks. */
  readonly comments: readonly string[];
  /** Strings and the pieces of templates, as they are written, each with where it begins. */
  readonly strings: readonly { readonly at: number; readonly text: string }[];
  /** Module specifiers of static and dynamic imports and of re-exports, in order. */
  readonly imports: readonly string[];
  /** Those that remain at run time: all but `import type` and `export type`. */
  readonly runtimeImports: readonly string[];
  /** Those of `export ... from`. */
  readonly reexports: readonly string[];
};

// After one of these words a slash starts a regular expression, after any other word it divides.
const BEFORE_REGEX = new Set(['return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'throw', 'new', 'do', 'else']);
for (const word of ['instanceof', 'await', 'yield']) BEFORE_REGEX.add(word);

const IMPORT = /(?<![.\w$])(import|export)\b(?:\s*\(\s*|[^;'"`()=]*?\bfrom\b|)\s*(['"])/g;

export function readSource(text: string): SourceText {
  const code = text.split('');
  const comments: string[] = [];
  const strings: { at: number; text: string }[] = [];
  const blank = (from: number, to: number): void => {
    for (let i = from; i < to && i < code.length; i++) if (code[i] !== '\n') code[i] = ' ';
  };
  const templates: number[] = []; // Depth of braces at which each open `${` closes.
  let braces = 0;
  let last = ''; // The last significant character.
  let word = ''; // The word that ends at it, or ''.
  let at = 0;

  /** Blanks template text from `start` to the closing backtick or the next `${`; returns where code goes on. */
  const template = (start: number): number => {
    let i = start;
    while (i < text.length && text[i] !== '`') {
      if (text[i] === '\\') i++;
      else if (text[i] === '$' && text[i + 1] === '{') {
        strings.push({ at: start, text: text.slice(start, i) });
        blank(start, i);
        templates.push(braces++);
        last = '{';
        return i + 2;
      }
      i++;
    }
    strings.push({ at: start, text: text.slice(start, i) });
    blank(start, i);
    last = '`';
    return i + 1;
  };

  while (at < text.length) {
    const c = text[at] ?? '';
    const next = text[at + 1];
    if (c === '/' && (next === '/' || next === '*')) {
      const close = next === '/' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
      const end = close < 0 ? text.length : next === '/' ? close : close + 2;
      comments.push(text.slice(at + 2, next === '/' ? end : end - 2));
      blank(at, end);
      at = end;
      continue;
    }
    if (/\s/.test(c)) {
      at++;
      continue;
    }
    const counted = at > 1 && /(\+\+|--)\s*$/.test(text.slice(Math.max(0, at - 8), at));
    const divides = word === '' ? counted || /[)\]}'"`]/.test(last) : !BEFORE_REGEX.has(word);
    if (c === "'" || c === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== c && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      strings.push({ at: at + 1, text: text.slice(at + 1, end) });
      blank(at + 1, end);
      at = end + 1;
    } else if (c === '/' && !divides) {
      let end = at + 1;
      let inClass = false;
      while (end < text.length && text[end] !== '\n' && (inClass || text[end] !== '/')) {
        if (text[end] === '\\') end++;
        else if (text[end] === '[') inClass = true;
        else if (text[end] === ']') inClass = false;
        end++;
      }
      blank(at + 1, end);
      at = end + 1;
      last = ')'; // What follows a regular expression divides.
      word = '';
      continue;
    } else if (c === '`') {
      at = template(at + 1);
      word = '';
      continue;
    } else if (c === '}' && templates.at(-1) === braces - 1) {
      templates.pop();
      braces--;
      at = template(at + 1);
      word = '';
      continue;
    } else {
      if (c === '{') braces++;
      if (c === '}') braces--;
      const name = /^[\w$]+/.exec(text.slice(at, at + 64));
      word = name?.[0] ?? '';
      last = c;
      at += word === '' ? 1 : word.length;
      continue;
    }
    last = c;
    word = '';
  }

  const masked = code.join('');
  const imports: string[] = [];
  const runtimeImports: string[] = [];
  const reexports: string[] = [];
  for (const found of masked.matchAll(IMPORT)) {
    const start = found.index + found[0].length;
    const specifier = text.slice(start, text.indexOf(found[2] ?? '', start));
    imports.push(specifier);
    if (!/^(import|export)\s+type\b(?!\s*from\b)/.test(found[0])) runtimeImports.push(specifier);
    if (found[1] === 'export') reexports.push(specifier);
  }
  return { code: masked, comments, strings, imports, runtimeImports, reexports };
}
