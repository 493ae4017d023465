/**
 * What is wrong with the layout of a page as it is now: a page wider than its window, text that is cut or off the screen
 * without a sign, words that are broken within themselves, texts that lie on each other.
 */
import type { Page } from 'playwright-core';

/** Evaluated in the page. Gives sentences. */
const CHECK = `(() => {
  const found = [];
  const nameOf = (el) => {
    const kind = typeof el.className === 'string' ? el.className : el.className.baseVal;
    return el.tagName.toLowerCase() + (el.id ? '#' + el.id : '') + (kind ? '.' + kind.trim().split(/\\s+/).join('.') : '');
  };
  const tell = (what, el, text = el.textContent) =>
    found.push(what + ': ' + nameOf(el) + ' ' + JSON.stringify(String(text).slice(0, 60)));
  const styles = new Map();
  const styleOf = (el) => {
    if (!styles.has(el)) styles.set(el, getComputedStyle(el));
    return styles.get(el);
  };
  const ancestors = (el) => {
    const all = [];
    for (let at = el; at; at = at.parentElement) all.push(at);
    return all;
  };
  // Text for screen readers alone, and what no one can see.
  const isUnseen = (el) =>
    ancestors(el).some((at) => styleOf(at).clipPath === 'inset(50%)' || styleOf(at).visibility === 'hidden' || styleOf(at).opacity === '0') ||
    !el.checkVisibility() || el.getAttribute('opacity') === '0' || el.closest('title, option, script, style') !== null;

  if (document.documentElement.scrollWidth > innerWidth + 1) tell('the page is wider than its window', document.body, '');
  const main = document.querySelector('main');
  if (main.scrollWidth > main.clientWidth + 1) tell('the screen is wider than its window', main, '');

  // Boxes that hold more than they show.
  for (const el of document.querySelectorAll('body *')) {
    if (el.closest('svg') || el.scrollWidth <= el.clientWidth + 1 || el.clientWidth === 0 || isUnseen(el)) continue;
    const style = styleOf(el);
    const hasSign = style.textOverflow === 'ellipsis' || style.maskImage !== 'none' || el.matches('input, select, textarea');
    const isTable = el.querySelector('table, [role=row]') !== null;
    if (style.overflowX === 'hidden' || style.overflowX === 'clip') {
      if (!hasSign) tell('cut without a sign', el);
    } else if ((style.overflowX === 'auto' || style.overflowX === 'scroll') && isTable) {
      const sign = el.parentElement.querySelector('.over span, .over [aria-pressed=true], .bar [aria-pressed=true]');
      if (sign === null) tell('columns off the screen without a sign', el, '');
    }
  }

  // Texts: where they stand, and whether a word of them goes on in the next line.
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const el = node.parentElement;
    if (node.data.trim() === '' || isUnseen(el)) continue;
    const block = ancestors(el).find((at) => !styleOf(at).display.startsWith('inline') || at.closest('svg'));
    const frame = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const at of ancestors(el)) {
      if (styleOf(at).overflowX === 'visible') continue;
      const box = at.getBoundingClientRect();
      frame.left = Math.max(frame.left, box.left);
      frame.right = Math.min(frame.right, box.right);
      frame.top = Math.max(frame.top, box.top);
      frame.bottom = Math.min(frame.bottom, box.bottom);
    }
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const seen = {
        left: Math.max(box.left, frame.left), right: Math.min(box.right, frame.right),
        top: Math.max(box.top, frame.top), bottom: Math.min(box.bottom, frame.bottom),
      };
      if (seen.right - seen.left > 2 && seen.bottom - seen.top > 3) boxes.push({ node, el, ...seen });
    }
    if (el.closest('svg')) {
      const svg = el.closest('svg').getBoundingClientRect();
      const box = el.getBoundingClientRect();
      if (box.left < svg.left - 2 || box.right > svg.right + 2) tell('a label leaves its drawing', el);
      continue;
    }
    const linesOf = (start, text) => {
      range.setStart(node, start);
      range.setEnd(node, start + text.length);
      const rects = [...range.getClientRects()].filter(({ width }) => width > 0.5);
      return { lines: new Set(rects.map(({ top }) => Math.round(top))).size, width: rects.reduce((sum, rect) => sum + rect.width, 0) };
    };
    const style = styleOf(block);
    const room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
      const { lines, width } = linesOf(index, word);
      // One that is longer than a line that is long enough has no other way.
      if (lines < 2 || (width > room - 1 && room >= Math.min(200, innerWidth * 0.5))) continue;
      // After these a line may end.
      for (const part of word.matchAll(/[^\\/?&)\\]]+[\\/?&)\\]]*/g))
        if (linesOf(index + part.index, part[0]).lines > 1) tell('a broken word', el, part[0]);
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  for (const [i, a] of boxes.entries())
    for (let k = i + 1; k < boxes.length && boxes[k].top < a.bottom - 3; k++) {
      const b = boxes[k];
      if (a.node === b.node) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - b.top;
      if (wide > 2 && high > 3) tell('a text lies on ' + JSON.stringify(b.node.data.slice(0, 30)), a.el, a.node.data);
    }
  return [...new Set(found)].slice(0, 20);
})()`;

export async function layoutFaults(page: Page): Promise<readonly string[]> {
  // A window that has just changed is measured in one frame, and drawn in the next.
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))',
  );
  return page.evaluate<readonly string[]>(CHECK);
}
