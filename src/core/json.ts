/**
 * Reads JSON that somebody else wrote: text in which an object names a key twice is refused (RFC 8259 §4), since programs
 * differ in which of the two they believe, and one that checks may not be the one that acts.
 */

import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

export type JsonRefusal = 'malformed' | 'repeated-key';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export function parseJson(text: string): Result<unknown, JsonRefusal> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('malformed');
  }
  return repeatsKey(text) ? fail('repeated-key') : ok(value);
}

/** Whether any object of valid JSON names a key twice, however it is escaped. Time and memory are linear. */
function repeatsKey(json: string): boolean {
  /** The keys so far of each object around this place; null for an array. */
  const around: (Set<string> | null)[] = [];
  let last = '';
  for (let i = 0; i < json.length; i++) {
    switch (json.charCodeAt(i)) {
      case QUOTE: {
        const start = i++;
        while (json.charCodeAt(i) !== QUOTE) i += json.charCodeAt(i) === BACKSLASH ? 2 : 1;
        last = json.slice(start, i + 1);
        break;
      }
      case COLON: {
        // What stands before a colon is a string.
        const key = String(JSON.parse(last));
        const keys = around.at(-1);
        if (keys?.has(key) === true) return true;
        keys?.add(key);
        break;
      }
      case OPEN_BRACE:
        around.push(new Set());
        break;
      case OPEN_BRACKET:
        around.push(null);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        around.pop();
        break;
      default:
    }
  }
  return false;
}
