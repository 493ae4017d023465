/** A sentence in the page. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { shown } from './words.ts';

/** Times, options and names in it, which have hyphens, stay whole in a line. It may hold text of the wire. */
export function sentence(text: string): ComponentChild[] {
  const words = shown(text).split(/(\S*-\S*)/);
  return words.map((word, i) => (i % 2 === 1 ? h('span', { key: i, class: 'one' }, word) : word));
}
