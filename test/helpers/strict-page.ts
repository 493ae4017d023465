/**
 * Reads a page of a call more strictly than a browser does: each tag is one that such a page has, with attributes that it has, and
 * closes what was opened last. Whatever broke out of its element is found.
 */
import assert from 'node:assert/strict';

const ELEMENTS = new Set(
  'html head meta title style body header main nav footer section article h1 h2 h3 p b a code span div dl dt dd ul li table thead tbody tr th td pre figure figcaption svg g defs pattern line rect path text'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'lang charset http-equiv name content class id href tabindex role scope aria-label aria-labelledby aria-hidden data-head x y x1 x2 y1 y2 dx d width height viewbox preserveaspectratio text-anchor patternunits patterntransform'.split(
    ' ',
  ),
);
const EMPTY = new Set(['meta']);

/** Text of a page never has these. */
const RAW = /[<>\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;

export type StrictPage = {
  /** How often each element stands there, with its class where it has one: `g.step`. */
  readonly counts: ReadonlyMap<string, number>;
  /** The text of all of it, a blank between elements. */
  readonly text: string;
  readonly ids: ReadonlySet<string>;
};

export function readStrictly(page: string): StrictPage {
  const counts = new Map<string, number>();
  const ids = new Set<string>();
  const links: string[] = [];
  const open: string[] = [];
  const texts: string[] = [];
  const doctype = '<!doctype html>';
  assert.ok(page.startsWith(doctype));
  let at = doctype.length;
  while (at < page.length) {
    const next = page.indexOf('<', at);
    const text = page.slice(at, next < 0 ? page.length : next);
    assertText(text);
    texts.push(text);
    if (next < 0) break;
    const end = page.indexOf('>', next);
    const tag = page.slice(next, end + 1);
    at = end + 1;
    const closing = /^<\/([a-z0-9]+)>$/.exec(tag);
    if (closing !== null) {
      assert.equal(closing[1], open.pop(), `closed by ${tag} at ${page.slice(next - 80, at)}`);
      continue;
    }
    const [, name = '', attributes = '', isClosed] =
      /^<([a-z0-9]+)((?: [a-zA-Z0-9-]+="[^"<>]*")*)(\/?)>$/.exec(tag) ?? [];
    assert.ok(ELEMENTS.has(name), `no tag of a page: ${tag}`);
    let look = '';
    for (const [, key = '', value = ''] of attributes.matchAll(/ ([a-zA-Z0-9-]+)="([^"]*)"/g)) {
      assert.ok(ATTRIBUTES.has(key.toLowerCase()), `no attribute of a page: ${tag}`);
      assertText(value);
      if (key === 'class') look = value.split(' ')[0] ?? '';
      if (key === 'href') links.push(value);
      if (key !== 'id') continue;
      assert.ok(!ids.has(value), `twice: ${value}`);
      ids.add(value);
    }
    for (const key of look === '' ? [name] : [name, `${name}.${look}`]) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (name === 'style') {
      at = page.indexOf('</style>', at);
      assert.ok(at > 0);
      open.push(name);
    } else if (isClosed !== '/' && !EMPTY.has(name)) open.push(name);
  }
  assert.deepEqual(open, []);
  for (const link of links) assert.ok(link.startsWith('#') && ids.has(link.slice(1)), `leads nowhere: ${link}`);
  return { counts, ids, text: texts.join(' ').replace(/\s+/g, ' ') };
}

function assertText(text: string): void {
  assert.doesNotMatch(text, RAW);
  assert.doesNotMatch(text.replace(/&(?:amp|lt|gt|quot);/g, ''), /&/);
}
