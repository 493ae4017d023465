/** What only a look inside the values shows: the notes a full parse adds to the scanner's (RFC 3261 20, RFC 4475 3.1.2). */

import { HEADER } from './header-name.ts';
import { type NameAddr, parseNameAddr } from './name-addr.ts';
import { NOTE } from './notes.ts';
import { paramValue } from './params.ts';
import { parseDigits } from './text.ts';
import { parseUri } from './uri.ts';
import { MAX_VALUES, splitValues } from './values.ts';
import { parseVia } from './via.ts';

const LAST_UINT32 = 0xffff_ffff;

/** Notes about the Request-URI (null in a response) and the unfolded header values of a message. */
export function valueNotes(
  requestUri: string | null,
  headers: readonly { readonly id: number; readonly value: string }[],
): number {
  let notes = 0;
  if (requestUri !== null && !parseUri(requestUri).ok) notes |= NOTE.badRequestUri;
  const contacts = new ListNotes(addressNotes);
  const vias = new ListNotes(viaNotes);
  for (const { id, value } of headers) {
    if (id === HEADER.CONTACT) notes |= contacts.of(value);
    else if (id === HEADER.VIA) notes |= vias.of(value);
    else notes |= headerNotes(id, value);
  }
  return notes;
}

function headerNotes(id: number, value: string): number {
  switch (id) {
    case HEADER.FROM:
    case HEADER.TO:
      return addressNotes(value);
    case HEADER.DATE:
      return isSipDate(value) ? 0 : NOTE.badDate;
    case HEADER.RETRY_AFTER:
      return isSeconds(/^\d+/.exec(value)?.[0] ?? '') ? 0 : NOTE.badNumber;
    case HEADER.WARNING:
      // warn-code = 3DIGIT
      return /^\d{3}\s/.test(value) ? 0 : NOTE.badNumber;
    default:
      return 0;
  }
}

/** Notes about the values of one kind of header, of which no more are looked at than a message's views show. */
class ListNotes {
  readonly #notesOf: (value: string) => number;
  #left = MAX_VALUES;

  constructor(notesOf: (value: string) => number) {
    this.#notesOf = notesOf;
  }

  of(text: string): number {
    if (this.#left === 0) return 0;
    const list = splitValues(text, this.#left);
    this.#left -= list.values.length;
    let notes = list.hasEmpty ? NOTE.emptyParameter : 0;
    if (list.hasOpenQuote) notes |= NOTE.unbalancedQuote;
    for (const value of list.values) notes |= this.#notesOf(value);
    return notes;
  }
}

function addressNotes(text: string): number {
  const parsed = parseNameAddr(text);
  if (!parsed.ok) return NOTE.badNameAddr;
  const address: NameAddr = parsed.value;
  let notes = 0;
  for (const fault of address.faults) {
    if (fault === 'open_quote') notes |= NOTE.unbalancedQuote;
    else if (fault === 'empty_parameter') notes |= NOTE.emptyParameter;
    else notes |= NOTE.badNameAddr;
  }
  const expires = paramValue(address.params, 'expires');
  if (expires !== undefined && !isSeconds(expires ?? '')) notes |= NOTE.badNumber;
  return notes;
}

function viaNotes(text: string): number {
  const via = parseVia(text);
  if (!via.ok) return NOTE.badVia;
  const received = paramValue(via.value.params, 'received');
  const isBad = received !== undefined && via.value.received === null;
  return (isBad ? NOTE.badVia : 0) | (via.value.hasEmptyParam ? NOTE.emptyParameter : 0);
}

function isSeconds(text: string): boolean {
  return parseDigits(text, LAST_UINT32) >= 0;
}

/** SIP-date: `Sat, 13 Nov 2010 23:29:00 GMT`, in GMT only (RFC 3261 20.17). */
function isSipDate(text: string): boolean {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/.test(
    text,
  );
}
