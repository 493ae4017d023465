/**
 * Writes a filter as text: reading it again gives the same tree.
 */

import { looksLikeMore } from './bare.ts';
import type { Filter, Node, Term, Value } from './filter.ts';
import { quoted, valueText } from './write.ts';

/** The text of a filter; empty where it lets everything pass. */
export function printFilter(filter: Filter): string {
  return filter === null ? '' : printNode(filter, 'or');
}

/** `within`: what the text stands in; "and" binds more than "or", a negation more than both. */
function printNode(node: Node, within: 'or' | 'and' | 'not'): string {
  if (node.kind === 'term') return printTerm(node);
  if (node.kind === 'not') {
    const text = `-${printNode(node.of, 'not')}`;
    return within === 'not' ? `(${text})` : text;
  }
  // Whatever stands in a list of its own kind was in parentheses.
  const inner = node.of.map((part) =>
    part.kind === node.kind ? `(${printNode(part, 'or')})` : printNode(part, node.kind as 'and' | 'or'),
  );
  const text = inner.join(node.kind === 'or' ? ' or ' : ' ');
  const isOpen = within === 'or' || (within === 'and' && node.kind === 'and');
  return isOpen ? text : `(${text})`;
}

function printTerm({ key, operator, values }: Term): string {
  return `${key === null ? '' : key + operator}${values.map((v) => printValue(v, key === null)).join(',')}`;
}

/** What may stand without quotes; a bare word must be no other part of the language either. */
const PLAIN = /^[^\s,()"*~\\<>=:!&|'/-][^\s,()"*<>=:|]*$/;
const WORDS = /^(or|and|not)$/i;

function printValue(v: Value, isBare: boolean): string {
  if (v.isExpression) return /^[^\s,()"]+$/.test(v.text) ? `~${v.text}` : `~"${v.text.replaceAll('"', '\\"')}"`;
  return `${v.isOpenStart ? '*' : ''}${printed(v, isBare)}${v.isOpenEnd ? '*' : ''}`;
}

function printed({ text, isOpenStart, isOpenEnd, isTextAlone }: Value, isBare: boolean): string {
  if (text === '' && (isOpenStart || isOpenEnd)) return '';
  if (!isBare) return valueText(text);
  if (looksLikeMore(text)) return isTextAlone ? quoted(text) : text;
  return PLAIN.test(text) && !WORDS.test(text) ? text : quoted(text);
}
