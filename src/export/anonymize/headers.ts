/** Replaces a start line and headers, line by line: of a message, of a fragment of one, and of a part of a body. */

import { isScannerName, SCANNER_WORDS } from '../../security/scanner-names.ts';
import type { ReplacedCounts } from './counts.ts';
import { headerKind, headerName, isHeaderName, NAME_STAYS } from './header-table.ts';
import { replaceIdentity } from './identity-token.ts';
import { LineMemory } from './line-memory.ts';
import type { Stays, Tokens } from './tokens.ts';
import { NOTHING_STAYS } from './tokens.ts';
import type { Values } from './values.ts';
import { CAUSE, PHRASE } from './values.ts';
import { FIGURE_WORDS, HEADER_WORDS, METHODS } from './vocabulary.ts';

const WORDS: Stays = { words: HEADER_WORDS, digits: 3 };
const FIGURES: Stays = { words: FIGURE_WORDS, digits: 10 };
const YEARS: Stays = { words: HEADER_WORDS, digits: 4 };
const SCANNERS: Stays = { words: SCANNER_WORDS, digits: 1 };

const HEADER = /^([^\s:]{1,256})([ \t]{0,64}:)([\s\S]*?)(\r?\n?)$/;
const REQUEST = /^(\S+)([ \t]+)(\S.*?)([ \t]+)(\S+)([ \t\r\n]*)$/;
const RESPONSE = /^(SIP\/\d\.\d)([ \t]+)(\d{3})(?!\d)([\s\S]*)$/i;
const VERSION = /^SIP\/\d{1,2}\.\d{1,2}$/i;
const SENT_BY =
  /(?<protocol>[A-Z0-9]{1,16}\s{0,16}\/\s{0,16}\d\.\d\s{0,16}\/\s{0,16}[A-Z0-9-]{1,16})(?<blank>\s{1,64})(?<host>\[[^\]\s]{0,64}\]|[^\s:;,]{1,256})(?<port>\s{0,16}:\s{0,16}\d{1,5})?(?![^\s;,])/gi;
const AUTH =
  /(?<name>[A-Za-z0-9-]{1,64})(?<equals>\s{0,16}=\s{0,16})(?<value>"(?:[^"\\]|\\[\s\S])*(?:"|$)|[^\s,;="]+(?![^\s,;]))/g;
const FIGURE_NAME = /(?<name>[A-Za-z_][A-Za-z_0-9]{0,31})(?<equals>\s{0,16}=)/g;
const TIMES: ReadonlySet<string> = new Set(['start', 'stop']);
const ISO_TIME = /^\s*\d{4}-\d\d-\d\d[T ][\d:.]{1,20}Z?\s*$/;
const JOINED = /\d-\d/;
const SSRC = /^\s*(?:0x)?[0-9a-f]{1,8}\s*$/i;
/** A serial number, which is often a MAC address, and an address of a person. */
const PRODUCT_IDS = /(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}|[0-9A-F]{12,}|\S{1,256}@\S{1,256}/gi;
const NUMBER = /^\s*\d{1,10}(?:\.\d{1,10})?(?![^\s;(,])/;
const SEQUENCE = /^(\s*(?:\d{1,10}\s+){1,2})([A-Za-z]{1,8192})(\s*)$/;
const SHOWN_METHOD = 64;
const WARNING = /^(\s*)(\d{3})(\s+)([^\s"]+)/;

/** What the headers of a body say of it. */
export type BodyType = { readonly contentType: string; readonly isEncoded: boolean };
export const NO_TYPE: BodyType = { contentType: '', isEncoded: false };

/** Start line and headers when they are replaced, each with its end, and what they say of the body. */
export type Head = {
  readonly lines: string[];
  readonly type: BodyType;
  /** Where lengths of the body stand, and the lines as they were. */
  readonly lengths: readonly { readonly at: number; readonly line: string }[];
};

/** `about`: of the body; else ''. */
type Line = { readonly out: string; readonly about: string; readonly value: string };

export class Headers {
  readonly #values: Values;
  readonly #tokens: Tokens;
  readonly #keepsProduct: boolean;
  readonly #known: LineMemory<Line>;

  constructor(values: Values, keepsProduct: boolean, counts: ReplacedCounts) {
    this.#values = values;
    this.#tokens = values.tokens;
    this.#keepsProduct = keepsProduct;
    this.#known = new LineMemory(counts);
  }

  replace(text: string, hasStartLine: boolean): Head {
    const lines: string[] = [];
    const lengths: { at: number; line: string }[] = [];
    let type = NO_TYPE;
    let isStart = hasStartLine;
    const read = (line: string): Line => this.#line(line);
    for (let p = 0; p < text.length; ) {
      const end = lineEnd(text, p);
      const line = text.slice(p, end);
      p = end;
      if (isStart && line.trim() !== '') {
        isStart = false;
        lines.push(this.startLine(line));
        continue;
      }
      const { out, about, value } = this.#known.of(line, read);
      if (about === 'content-length') lengths.push({ at: lines.length, line });
      else if (about !== '') type = typeWith(type, about, value);
      lines.push(out);
    }
    return { lines, type, lengths };
  }

  startLine(line: string): string {
    const response = RESPONSE.exec(line);
    if (response !== null) {
      const [, version = '', blank = '', code = '', phrase = ''] = response;
      return version + blank + code + this.#tokens.text(phrase, PHRASE);
    }
    const request = REQUEST.exec(line);
    if (request === null) return this.#values.value(line, WORDS);
    const [, method = '', before = '', uri = '', after = '', version = '', end = ''] = request;
    return this.#method(method) + before + this.#values.value(uri) + after + this.#version(version) + end;
  }

  /** Of a long one calltap shows the beginning, which is the same of those that begin so. */
  #method(text: string): string {
    if (METHODS.has(text.toLowerCase())) return text;
    return this.#tokens.text(text.slice(0, SHOWN_METHOD)) + this.#tokens.text(text.slice(SHOWN_METHOD));
  }

  #version(text: string): string {
    return VERSION.test(text) ? text : this.#tokens.text(text, WORDS);
  }

  #line(line: string): Line {
    const found = HEADER.exec(line);
    if (found === null) return { out: this.#values.value(line), about: '', value: '' };
    const [, written = '', colon = '', value = '', end = ''] = found;
    const name = headerName(written);
    const start = (isHeaderName(written) ? written : this.#tokens.text(written, NAME_STAYS)) + colon;
    const isAbout = name.startsWith('content-');
    return {
      out: start + this.value(name, value) + end,
      about: isAbout ? name : '',
      value: isAbout ? value.trim() : '',
    };
  }

  /** `name` comes from headerName(). */
  value(name: string, value: string): string {
    const values = this.#values;
    switch (headerKind(name)) {
      case 'plain':
        return this.#tokens.text(value);
      case 'words':
      case 'type':
        return values.value(value, WORDS);
      case 'number':
      case 'length':
        return this.#numbers(value);
      case 'sequence':
        return this.#sequence(value);
      case 'reason':
        return values.value(value, CAUSE);
      case 'date':
        return values.value(value, YEARS);
      case 'figures':
        return this.figures(value);
      case 'via':
        return this.#via(value);
      case 'credentials':
        return this.#credentials(value);
      case 'warning':
        return this.#warning(value);
      case 'product':
        return this.#product(value);
      case 'identity':
        return replaceIdentity(value, values);
      default:
        return values.value(value, NOTHING_STAYS);
    }
  }

  /** A number in front, with a fraction or without; whatever follows is text. */
  #numbers(text: string): string {
    const front = NUMBER.exec(text)?.[0] ?? '';
    return front + this.#values.value(text.slice(front.length), WORDS);
  }

  /** Numbers and a method. */
  #sequence(text: string): string {
    const [, numbers = '', method = '', end = ''] = SEQUENCE.exec(text) ?? [];
    return method === '' ? this.#values.value(text, WORDS) : numbers + this.#method(method) + end;
  }

  #via(text: string): string {
    return this.#between(
      text,
      SENT_BY,
      (gap) => this.#values.value(gap, WORDS),
      (groups) => {
        const { protocol = '', blank = '', host = '', port = '' } = groups;
        return this.#tokens.text(protocol, WORDS) + blank + this.#tokens.text(host) + port;
      },
    );
  }

  /** A scheme, and its parameters; what has another form is a secret. */
  #credentials(text: string): string {
    return this.#between(
      text,
      AUTH,
      (gap) => this.#scheme(gap),
      (groups) => {
        const { name = '', equals = '', value = '' } = groups;
        if (name.toLowerCase() === 'nc' && /^[0-9a-f]{8}$/i.test(value)) return name + equals + value;
        const other = this.#values.parameterValue(name, value);
        // Of what nobody knows, nothing is shown.
        const start = other === null ? this.#tokens.text(name, WORDS) : name;
        return start + equals + (other ?? this.#tokens.secret(value));
      },
    );
  }

  #scheme(text: string): string {
    const [, blank = '', word = '', rest = ''] = /^(\s*)([A-Za-z0-9-]*)([\s\S]*)$/.exec(text) ?? [];
    const scheme = /^(?:digest|basic|bearer|ntlm|kerberos)$/i.test(word) ? word : this.#secret(word);
    return blank + scheme + this.#secret(rest);
  }

  #secret(text: string): string {
    return /[A-Za-z0-9\x80-\xff]/.test(text) ? this.#tokens.secret(text) : text;
  }

  #warning(text: string): string {
    const [all = '', blank = '', code = '', gap = '', agent = ''] = WARNING.exec(text) ?? [];
    if (all === '') return this.#values.value(text);
    return blank + code + gap + this.#values.hostPort(agent) + this.#values.value(text.slice(all.length));
  }

  #product(text: string): string {
    if (this.#keepsProduct) return text.replace(PRODUCT_IDS, (id) => this.#tokens.text(id));
    return this.#tokens.text(text, isScannerName(text) ? SCANNERS : NOTHING_STAYS);
  }

  /** `NAME=value`: figures stay. */
  figures(text: string): string {
    let name = '';
    return this.#between(
      text,
      FIGURE_NAME,
      (value) => this.#figure(name, value),
      (groups) => {
        name = (groups['name'] ?? '').toLowerCase();
        return this.#tokens.text(groups['name'] ?? '', FIGURES) + (groups['equals'] ?? '');
      },
    );
  }

  #figure(name: string, value: string): string {
    // A user stands behind the one, and nobody knows what behind others.
    if (name === 'ex' || (name !== '' && !FIGURE_WORDS.has(name))) return this.#values.value(value);
    if (TIMES.has(name) && ISO_TIME.test(value)) return value;
    if (name === 'ssrc' && SSRC.test(value)) return value;
    // Two numbers that a dash holds together are an identifier.
    return JOINED.test(value) ? this.#values.value(value) : this.#tokens.text(value, FIGURES);
  }

  #between(
    text: string,
    pattern: RegExp,
    gap: (text: string) => string,
    part: (groups: Readonly<Record<string, string | undefined>>) => string,
  ): string {
    let from = 0;
    let out = '';
    for (const found of text.matchAll(pattern)) {
      out += gap(text.slice(from, found.index)) + part(found.groups ?? {});
      from = found.index + found[0].length;
    }
    return out + gap(text.slice(from));
  }
}

/** Behind the line at `p` and those that continue it. */
function lineEnd(text: string, p: number): number {
  let end = text.indexOf('\n', p);
  while (end >= 0 && (text[end + 1] === ' ' || text[end + 1] === '\t')) end = text.indexOf('\n', end + 1);
  return end < 0 ? text.length : end + 1;
}

/** What is known of a body when another of its headers is read. */
function typeWith(type: BodyType, name: string, value: string): BodyType {
  switch (name) {
    case 'content-type':
      return { ...type, contentType: value };
    case 'content-encoding':
      return { ...type, isEncoded: type.isEncoded || !/^identity$/i.test(value) };
    case 'content-transfer-encoding':
      return { ...type, isEncoded: type.isEncoded || !/^(?:7bit|8bit|binary)$/i.test(value) };
    default:
      return type;
  }
}
