/** Text of the documents in the page: what stands between backticks is code, and a link is its words. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';

export function marked(text: string): ComponentChild[] {
  const parts = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').split('`');
  return parts.map((part, i) => (i % 2 === 1 ? h('code', { key: i, class: 'mono' }, part) : part));
}
