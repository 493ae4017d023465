/** JSON that strangers wrote: a text of a few megabytes can hold so many arrays and keys that reading it takes a second. */

const [QUOTE, BACKSLASH, OPEN_ARRAY, OPEN_OBJECT, COLON] = [0x22, 0x5c, 0x5b, 0x7b, 0x3a];

/** The value of a text with at most so many arrays, objects and keys. Throws an Error where it has more, or is no JSON. */
export function parseJson(text: string, most: number): unknown {
  // Each of them takes a character.
  if (text.length > most && partsIn(text) > most) throw new RangeError(`more than ${most} arrays, objects and keys`);
  return JSON.parse(text);
}

function partsIn(text: string): number {
  let parts = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (isText) {
      if (c === BACKSLASH) at++;
      else if (c === QUOTE) isText = false;
    } else if (c === QUOTE) isText = true;
    else if (c === OPEN_ARRAY || c === OPEN_OBJECT || c === COLON) parts++;
  }
  return parts;
}
