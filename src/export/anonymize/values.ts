/**
 * Replaces the values of SIP headers and URIs: what the grammar names (schemes, ports, parameters, words of the standards) stays,
 * and the rest is replaced. Nothing has to be well formed: what is not recognized is text.
 */
import { parameterRule } from './parameters.ts';
import type { Stays, Tokens } from './tokens.ts';
import { NOTHING_STAYS } from './tokens.ts';
import { HEADER_WORDS, PHRASE_WORDS, SCHEMES } from './vocabulary.ts';

export const PHRASE: Stays = { words: PHRASE_WORDS, digits: 0 };
/** `Q.850` and its number. */
export const CAUSE: Stays = { words: PHRASE_WORDS, digits: 3 };
const WORDS: Stays = { words: HEADER_WORDS, digits: 0 };

const URI = `(?<![A-Za-z0-9.+_%-])(?<scheme>${SCHEMES.join('|')}):(?<rest>[^<>"\\s]*)`;
const QUOTED = '"(?<inner>(?:[^"\\\\]|\\\\[\\s\\S])*)(?<close>"|$)';
const NAME = "[A-Za-z0-9.+_*!'`~-]{1,64}";
const FIRST = `^(?=\\s{0,64}${NAME}\\s{0,64}=)`;
const PARAMETER = `(?<sign>[;?&]|${FIRST})(?<blank>\\s{0,64})(?<name>${NAME})(?:(?<equals>\\s{0,64}=\\s{0,64})(?<value>"(?:[^"\\\\]|\\\\[\\s\\S])*(?:"|$)|[^;,?&>\\s"]*))?`;

const URIS = new RegExp(URI, 'gi');
const PARAMETERS = new RegExp(PARAMETER, 'gi');
const VALUE = new RegExp(`${URI}|${QUOTED}|${PARAMETER}`, 'gi');
const HOST_PORT = /^(\[[^\]]*\]|[^:;?,/]*)(:\d{1,5}(?![0-9A-Za-z]))?/;

/** Of History-Info (RFC 7044 section 5.1): numbers that are smaller than most of an address. */
const INDEX = /^\d{1,2}(?:\.\d{1,2}){0,15}$/;

/** Open quotes of one value behind which parameters are looked for. @cap */
const OPEN_QUOTES = 4;

type Groups = Readonly<Record<string, string | undefined>>;

export class Values {
  readonly tokens: Tokens;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
  }

  /**
   * A value of any header; `stays` says what of the words outside of URIs, quotes and parameters does. What stands behind a quote
   * that nobody closes is a value too: calltap finds its parameters.
   */
  value(text: string, stays = NOTHING_STAYS, quotes = OPEN_QUOTES): string {
    let from = 0;
    let out = '';
    for (const found of text.matchAll(VALUE)) {
      const groups = found.groups ?? {};
      out += this.#gap(text.slice(from, found.index), stays);
      from = found.index + found[0].length;
      if (groups['scheme'] !== undefined) out += this.#uri(groups['scheme'], groups['rest'] ?? '');
      else if (groups['inner'] !== undefined) {
        const isOpen = groups['close'] === '' && quotes > 0;
        const inner = isOpen ? this.value(groups['inner'], stays, quotes - 1) : this.quoted(groups['inner']);
        out += `"${inner}${groups['close'] ?? ''}`;
      } else out += this.#parameter(groups);
    }
    return out + this.#gap(text.slice(from), stays);
  }

  /** A text that may hold URIs. */
  uris(text: string): string {
    let from = 0;
    let out = '';
    for (const found of text.matchAll(URIS)) {
      out += this.tokens.text(text.slice(from, found.index));
      out += this.#uri(found.groups?.['scheme'] ?? '', found.groups?.['rest'] ?? '');
      from = found.index + found[0].length;
    }
    return out + this.tokens.text(text.slice(from));
  }

  /** What stands between quotes: a name, which may be a number, or a URI. */
  quoted(text: string): string {
    return text.includes(':') ? this.uris(text) : this.tokens.user(text);
  }

  /** A host, and a port that stays. */
  hostPort(text: string): string {
    // Without brackets, as it should not be.
    if (!text.startsWith('[') && (text.includes('::') || text.split(':').length > 3)) return this.tokens.text(text);
    const [all = '', host = '', port = ''] = HOST_PORT.exec(text) ?? [];
    return this.tokens.text(host) + port + this.tokens.text(text.slice(all.length));
  }

  /** What stands before the parameters, and these. */
  parameters(text: string, first: (text: string) => string): string {
    let from = 0;
    let out = '';
    for (const found of text.matchAll(PARAMETERS)) {
      const gap = text.slice(from, found.index);
      out += from === 0 ? first(gap) : this.tokens.text(gap);
      out += this.#parameter(found.groups ?? {});
      from = found.index + found[0].length;
    }
    const gap = text.slice(from);
    return out + (from === 0 ? first(gap) : this.tokens.text(gap));
  }

  /** By the name of a parameter; null for one that no table has. */
  parameterValue(name: string, value: string): string | null {
    const rule = parameterRule(name);
    if (rule === undefined) return null;
    switch (rule.is) {
      case 'number':
        return this.#number(value, rule.digits);
      case 'index':
        return INDEX.test(value) ? value : this.tokens.text(value);
      case 'plain':
        return this.tokens.text(value);
      case 'words':
        return this.tokens.text(value, WORDS);
      case 'phrase':
        return this.tokens.text(value, PHRASE);
      case 'secret':
        return this.tokens.secret(value);
      default:
        return this.#mapped(value);
    }
  }

  /** A number of so many digits, with a fraction or without. */
  #number(value: string, most: number): string {
    const digits = /^[\s"]*(\d+)(?:\.\d{1,3})?[\s"]*$/.exec(value)?.[1] ?? '';
    return digits !== '' && digits.length <= most ? value : this.tokens.text(value, WORDS);
  }

  #gap(text: string, stays: Stays): string {
    return text === '' ? '' : this.tokens.text(text, stays);
  }

  #parameter({ sign = '', blank = '', name = '', equals, value }: Groups): string {
    const isKnown = parameterRule(name) !== undefined;
    const start = sign + blank + (isKnown ? name : this.tokens.text(name, WORDS));
    if (equals === undefined) return start;
    return start + equals + (this.parameterValue(name, value ?? '') ?? this.#mapped(value ?? ''));
  }

  #mapped(value: string): string {
    if (!value.startsWith('"')) return this.uris(value);
    const end = value.length > 1 && value.endsWith('"') ? value.length - 1 : value.length;
    return `"${this.quoted(value.slice(1, end))}${value.slice(end)}`;
  }

  #uri(scheme: string, rest: string): string {
    const start = `${scheme}:`;
    switch (scheme.toLowerCase()) {
      case 'sip':
      case 'sips':
      case 'im':
      case 'pres':
      case 'mailto':
        return start + this.#sipUri(rest);
      case 'tel':
      case 'fax':
        return start + this.parameters(rest, (number) => this.tokens.user(number));
      case 'urn':
        return start + this.parameters(rest, (name) => this.tokens.text(name, WORDS));
      case 'cid':
        return start + this.tokens.text(rest);
      default:
        return start + this.#webUri(rest);
    }
  }

  /** The last @ before the headers closes the user. */
  #sipUri(rest: string): string {
    const question = rest.indexOf('?');
    const head = question < 0 ? rest : rest.slice(0, question);
    const at = head.lastIndexOf('@');
    const [, host = ''] = /^((?:\[[^\]]*\])?[^;?,]*)/.exec(rest.slice(at + 1)) ?? [];
    const tail = rest.slice(at + 1 + host.length);
    const user = at < 0 ? '' : `${this.parameters(rest.slice(0, at), (text) => this.#userPart(text))}@`;
    return user + this.hostPort(host) + this.parameters(tail, (text) => this.tokens.text(text));
  }

  /** A user, and a password. */
  #userPart(text: string): string {
    const colon = text.indexOf(':');
    if (colon < 0) return this.tokens.user(text);
    return `${this.tokens.user(text.slice(0, colon))}:${this.tokens.text(text.slice(colon + 1))}`;
  }

  #webUri(rest: string): string {
    const [slashes = ''] = /^\/\//.exec(rest) ?? [];
    const authority = /^[^/?#]*/.exec(rest.slice(slashes.length))?.[0] ?? '';
    const at = authority.lastIndexOf('@') + 1;
    const path = rest.slice(slashes.length + authority.length);
    return (
      slashes + this.tokens.text(authority.slice(0, at)) + this.hostPort(authority.slice(at)) + this.tokens.text(path)
    );
  }
}
