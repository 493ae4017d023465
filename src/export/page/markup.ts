/**
 * Markup of the page of a call. What stands between the braces of `html` is text, and escaped, unless `html` made it: no text of
 * the network becomes an element or an attribute, and none brings a secret with it.
 */
import { fit, safeText } from '../../core/terminal-text.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';

/** A piece of a page; `html` alone makes one. */
export type Markup = Made;

class Made {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | readonly Markup[] | string | number;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Attributes stand in double quotes; a piece or a list of pieces stands as it is. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? '';
  for (const [i, part] of parts.entries()) text += partText(part) + (strings[i + 1] ?? '');
  return new Made(text);
}

export const NOTHING: Markup = html``;

/** The beginning of a text, without secrets: what is cut first would leave half of one. */
export function cut(text: string, chars: number): string {
  return fit(withoutSecrets(text), chars);
}

/** Secrets are taken out; control characters, and those that turn the direction of text, become visible dots. */
function escaped(text: string): string {
  return safeText(withoutSecrets(text)).replace(/[&<>"]/g, (c) => ENTITIES[c] ?? '');
}

function partText(part: Part): string {
  if (part instanceof Made) return part.text;
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  return part.map((piece) => piece.text).join('\n');
}
