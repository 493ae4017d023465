/** Texts in the page: marks of the documents as what they mean, and words with hyphens that a line does not break. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { shown } from './words.ts';

/** Text of the documents: what stands between backticks is code, and a link is its words. */
export function marked(text: string): ComponentChild[] {
  const parts = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').split('`');
  return parts.map((part, i) => (i % 2 === 1 ? h('code', { key: i, class: 'mono one' }, part) : part));
}

/** A sentence in which times, options and names stay whole. It may hold text of the wire. */
export function sentence(text: string): ComponentChild[] {
  const words = shown(text).split(/(\S*-\S*)/);
  return words.map((word, i) => (i % 2 === 1 ? h('span', { key: i, class: 'one' }, word) : word));
}
