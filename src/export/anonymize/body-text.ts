/**
 * Replaces bodies by their type: session descriptions and fragments of SIP as such, the parts of a multipart body one by one.
 * Reports of quality, summaries of messages and documents in XML keep their form and what counts; of key presses the key goes.
 * Every other body is replaced by a filler.
 */
import { mediaTypeOf } from '../../protocols/sip/body.ts';
import { paramValue, parseParams } from '../../protocols/sip/params.ts';
import type { ReplacedCounts } from './counts.ts';
import type { BodyType, Headers } from './headers.ts';
import type { SdpText } from './sdp-text.ts';
import type { Stays, Tokens } from './tokens.ts';
import type { Values } from './values.ts';
import { FIGURE_TEXTS, PLAIN_BODY_WORDS } from './vocabulary.ts';
import { replaceXml } from './xml-text.ts';

/** Parts within parts that are read; deeper ones are filler. @cap */
const MAX_DEPTH = 4;
/** Parts of one body; what follows is filler. @cap */
const MAX_PARTS = 64;
/** Longest boundary that is looked for. @cap */
const MAX_BOUNDARY_CHARS = 256;

const PLAIN: Stays = { words: PLAIN_BODY_WORDS, digits: 5 };
const SIGNAL = /^(\s*signal\s{0,16}=\s{0,16})(.*?)(\s*)$/i;
const DURATION = /^\s*duration\s{0,16}=\s{0,16}\d{1,6}\s*$/i;

export class BodyText {
  readonly #tokens: Tokens;
  readonly #values: Values;
  readonly #headers: Headers;
  readonly #sdp: SdpText;
  readonly #counts: ReplacedCounts;

  constructor(parts: { values: Values; headers: Headers; sdp: SdpText; counts: ReplacedCounts }) {
    this.#values = parts.values;
    this.#tokens = parts.values.tokens;
    this.#headers = parts.headers;
    this.#sdp = parts.sdp;
    this.#counts = parts.counts;
  }

  replace(text: string, type: BodyType, depth = 0): string {
    if (text === '') return text;
    const isSdp = type.contentType === '' && text.startsWith('v=');
    const mediaType = isSdp ? 'application/sdp' : mediaTypeOf(type.contentType);
    if (type.isEncoded || depth > MAX_DEPTH) return this.#filled(text);
    if (mediaType === 'application/sdp') return this.#sdp.replace(text);
    if (mediaType.startsWith('multipart/')) return this.#multipart(text, type.contentType, depth);
    if (mediaType.startsWith('message/sip')) return this.#fragment(text, depth);
    this.#counts.bodies++;
    // Letters of two bytes would be replaced one by one.
    if (text.includes('\0')) return filler(text);
    if (mediaType === 'application/dtmf-relay') return this.#lines(text, (line) => this.#key(line));
    if (mediaType === 'application/vq-rtcpxr') return this.#lines(text, (line) => this.#figures(line));
    if (mediaType === 'application/simple-message-summary')
      return this.#lines(text, (line) => this.#values.value(line, PLAIN));
    if (/^application\/(?:[\w.-]+\+)?xml$/.test(mediaType)) return replaceXml(text, this.#values);
    return filler(text);
  }

  #filled(text: string): string {
    this.#counts.bodies++;
    return filler(text);
  }

  #fragment(text: string, depth: number): string {
    return this.#headed(text, /^(?:SIP\/\d|\S+[ \t]+\S+[ \t]+SIP\/\d)/i.test(text), depth);
  }

  /** Headers and a body of its own. */
  #headed(text: string, hasStartLine: boolean, depth: number): string {
    const end = bodyStart(text);
    const { lines, type } = this.#headers.replace(text.slice(0, end), hasStartLine);
    return lines.join('') + this.replace(text.slice(end), type, depth + 1);
  }

  #multipart(text: string, contentType: string, depth: number): string {
    const boundary = paramValue(parseParams(contentType, contentType.indexOf(';')).params, 'boundary') ?? '';
    if (!contentType.includes(';') || boundary === '' || boundary.length > MAX_BOUNDARY_CHARS)
      return this.#filled(text);
    const pieces = piecesOf(text, `--${boundary}`);
    if (pieces.length === 0) return this.#filled(text);
    const delimiter = `--${this.#tokens.text(boundary)}`;
    let at = 0;
    let out = '';
    for (const { start, partStart, partEnd } of pieces) {
      // What stands before the first part is for nobody; a line end is.
      const gap = text.slice(at, start);
      out += gap.trim() === '' ? gap : this.#filled(gap);
      out += delimiter + text.slice(start + 2 + boundary.length, partStart);
      out += this.#headed(text.slice(partStart, partEnd), false, depth);
      at = partEnd;
    }
    const rest = text.slice(at);
    return out + (rest.trim() === '' ? rest : this.#filled(rest));
  }

  #lines(text: string, replace: (line: string) => string): string {
    return text.replace(/[^\r\n]+/g, replace);
  }

  /** The key itself is a digit of a secret as often as not, in whatever line a phone writes it. */
  #key(line: string): string {
    const [, start = '', key = '', end = ''] = SIGNAL.exec(line) ?? [];
    if (start !== '') return start + '0'.repeat(key.length) + end;
    return DURATION.test(line) ? line : filler(line);
  }

  #figures(line: string): string {
    const equals = /^callid=/i.test(line);
    const colon = line.indexOf(equals ? '=' : ':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (FIGURE_TEXTS.has(name)) return line.slice(0, colon + 1) + this.#values.value(line.slice(colon + 1));
    return this.#headers.figures(line);
  }
}

/** Behind the first empty line. */
export function bodyStart(text: string): number {
  if (/^\r?\n/.test(text)) return text.indexOf('\n') + 1;
  const found = /\n\r?\n/.exec(text);
  return found === null ? text.length : found.index + found[0].length;
}

type PieceOfBody = { readonly start: number; readonly partStart: number; readonly partEnd: number };

/** Each from its delimiter line; the last one is the closing delimiter. */
function piecesOf(text: string, delimiter: string): PieceOfBody[] {
  const starts: number[] = [];
  for (let at = text.indexOf(delimiter); at >= 0 && starts.length <= MAX_PARTS; at = text.indexOf(delimiter, at + 1))
    if ((at === 0 || text[at - 1] === '\n') && isDelimiterEnd(text, at + delimiter.length)) starts.push(at);
  return starts.flatMap((start, i) => {
    const after = start + delimiter.length;
    const isClosing = text.startsWith('--', after);
    if (isClosing) return [{ start, partStart: after + 2, partEnd: after + 2 }];
    const lineEnd = text.indexOf('\n', after);
    const partStart = lineEnd < 0 ? text.length : lineEnd + 1;
    const next = starts[i + 1];
    return [
      { start, partStart, partEnd: next === undefined ? text.length : Math.max(partStart, lineBefore(text, next)) },
    ];
  });
}

/** The line end in front of a delimiter belongs to the delimiter. */
function lineBefore(text: string, at: number): number {
  if (text[at - 1] !== '\n') return at;
  return text[at - 2] === '\r' ? at - 2 : at - 1;
}

function isDelimiterEnd(text: string, at: number): boolean {
  return text.startsWith('--', at) || /^[ \t]{0,64}(?:\r?\n|$)/.test(text.slice(at, at + 68));
}

/** As long, with its line ends; zeros where it is no text. */
export function filler(text: string): string {
  const isText = /^[\t\r\n\x20-\x7e\x80-\xff]*$/.test(text);
  return isText ? text.replace(/[^\r\n]/g, 'x') : '\0'.repeat(text.length);
}
