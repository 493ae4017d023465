/** Replaces what a document of XML says, and keeps its elements: names that standards define stay. */
import type { Stays } from './tokens.ts';
import type { Values } from './values.ts';
import { XML_TEXTS, XML_WORDS } from './vocabulary.ts';

const NAMES: Stays = { words: XML_WORDS, digits: 1 };
const TEXTS: Stays = { words: XML_TEXTS, digits: 0 };
const PARTS = /<!--[\s\S]*?(?:-->|$)|<[^>]*(?:>|$)|[^<]+/g;
const QUOTED = /"[^"]*"?|'[^']*'?|[^"']+/g;
/** Names of namespaces and schemas: words of standards with numbers of versions. */
const STANDARD =
  /^["'](?:urn:(?:ietf|3gpp|oma):[a-z0-9:.+_-]{1,128}|https?:\/\/www\.w3\.org\/[A-Za-z0-9/#-]{1,64})["']$/;
const ATTRIBUTE_KEPT = /(?:xmlns(?::[\w-]{1,32})?|version|encoding|state|code|display|direction)\s{0,8}=\s{0,8}$/i;

/** Keys that were pressed (RFC 4730 §6): digits of a secret as often as not. */
const PRESSED = /(?:^|\s)digits\s{0,8}=\s{0,8}$/i;

export function replaceXml(text: string, values: Values): string {
  return text.replace(PARTS, (part) => {
    if (part.startsWith('<!--')) return values.tokens.fixed(part);
    return part.startsWith('<') ? tag(part, values) : content(part, values);
  });
}

function tag(text: string, values: Values): string {
  let before = '';
  return text.replace(QUOTED, (part) => {
    if (!/^["']/.test(part)) {
      before = part;
      return values.tokens.text(part, NAMES);
    }
    if (STANDARD.test(part)) return part;
    if (PRESSED.test(before)) return part.replace(/[^"']/g, '0');
    return ATTRIBUTE_KEPT.test(before) ? values.tokens.text(part, { words: XML_TEXTS, digits: 3 }) : values.uris(part);
  });
}

/** A state of a dialog, a presence or a mode stays. */
function content(text: string, values: Values): string {
  const word = text.trim().toLowerCase();
  return XML_TEXTS.has(word) ? values.tokens.text(text, TEXTS) : values.uris(text);
}
