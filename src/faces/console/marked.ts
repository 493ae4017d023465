/** Text of the documents in the page. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';

/** What stands between backticks is code, and a link is its words. */
export function marked(text: string): ComponentChild[] {
  const parts = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').split('`');
  return parts.map((part, i) => (i % 2 === 1 ? h('code', { key: i, class: 'mono one' }, part) : part));
}
