/** A raw message in its parts: start line, headers in the order that people read them, body; lint beside the line it is about. */
import type { LintFinding } from '../../contract/index.ts';

export type HeaderLine = { readonly name: string; readonly value: string; readonly lint: readonly LintFinding[] };

export type MessageParts = {
  readonly start: string;
  /** What says who calls whom and why, and what lint is about. */
  readonly first: readonly HeaderLine[];
  /** How the message travelled and what its sender can do. */
  readonly folded: readonly HeaderLine[];
  readonly body: readonly string[];
  /** Findings about the message, not about a header that it has. */
  readonly lint: readonly LintFinding[];
};

/** Lines of a text, without the empty ones at its end. */
export function linesOf(text: string): string[] {
  return text.replace(/(?:\r?\n)+$/, '').split(/\r?\n/);
}

const FIRST =
  /^(?:from|f|to|t|call-id|i|cseq|contact|m|reason|warning|user-agent|server|content-type|c|p-asserted-identity|diversion|refer-to|r|authorization|proxy-authorization|www-authenticate|proxy-authenticate|expires|retry-after|subject|s|event|o)$/i;

export function partsOf(text: string, lint: readonly LintFinding[]): MessageParts {
  const gap = /\r?\n\r?\n/.exec(text);
  const head = gap === null ? text : text.slice(0, gap.index);
  const body = gap === null ? '' : text.slice(gap.index + gap[0].length);
  // A line that begins with a blank continues the one before (RFC 3261 section 7.3.1).
  const [start = '', ...lines] = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const left = new Set(lint);
  const headers = lines
    .filter((line) => line !== '')
    .map((line): HeaderLine => {
      const colon = line.indexOf(':');
      const name = (colon < 0 ? line : line.slice(0, colon)).trim();
      const about = [...left].filter(({ observed }) => names(observed, name));
      for (const finding of about) left.delete(finding);
      return { name, value: colon < 0 ? '' : line.slice(colon + 1).trim(), lint: about };
    });
  const isFirst = ({ name, lint: about }: HeaderLine): boolean => FIRST.test(name) || about.length > 0;
  return {
    start,
    first: headers.filter(isFirst),
    folded: headers.filter((line) => !isFirst(line)),
    body: body === '' ? [] : linesOf(body),
    lint: [...left],
  };
}

/** True when the text begins with the name of the header. */
function names(observed: string, name: string): boolean {
  const text = observed.toLowerCase();
  const word = name.toLowerCase();
  return word !== '' && text.startsWith(word) && !/[\w-]/.test(text[word.length] ?? '');
}
