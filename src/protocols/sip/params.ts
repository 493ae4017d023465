/** `;name=value` lists in text, with quoted values (RFC 3261 25.1 generic-param). */

import { unquote } from './address.ts';

/** Parameters read from one value. @cap */
const MAX_PARAMS = 128;

export interface Param {
  /** As written; compare with `paramValue`, which ignores case. */
  readonly name: string;
  /** Null without `=`; quotes and escapes undone. */
  readonly value: string | null;
  readonly isQuoted: boolean;
}

export interface ParamList {
  readonly params: readonly Param[];
  /** A `;` with nothing after it. */
  readonly hasEmpty: boolean;
  readonly hasOpenQuote: boolean;
  readonly isCapped: boolean;
}

/** Index after the quoted string that opens at `at`, or -1 when it never closes. */
export function quotedEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) return i + 1;
    if (c === 0x5c) i++;
  }
  return -1;
}

/** Index of the first `stop` character outside quotes from `at` on, or the length of the text. */
export function findUnquoted(text: string, at: number, stop: string): { at: number; isOpen: boolean } {
  let isOpen = false;
  let i = at;
  while (i < text.length) {
    const c = text.charAt(i);
    if (c === stop) break;
    if (c === '"' && !isOpen) {
      const behind = quotedEnd(text, i);
      if (behind < 0) {
        isOpen = true;
        i++;
      } else i = behind;
    } else i++;
  }
  return { at: i, isOpen };
}

/** Reads the parameters of `text` from `at`, where the first `;` stands or the text ends. */
export function parseParams(text: string, at: number): ParamList {
  const params: Param[] = [];
  let hasEmpty = false;
  let hasOpenQuote = false;
  let p = at;
  while (p < text.length && params.length < MAX_PARAMS) {
    const { at: end, isOpen } = findUnquoted(text, p + 1, ';');
    hasOpenQuote ||= isOpen;
    const piece = text.slice(p + 1, end).trim();
    if (piece === '') hasEmpty = true;
    else params.push(toParam(piece));
    // An open quote would be searched again from every following `;`: the rest is one value.
    if (isOpen) {
      p = text.length;
      break;
    }
    p = end;
  }
  return { params, hasEmpty, hasOpenQuote, isCapped: p < text.length };
}

function toParam(piece: string): Param {
  const equals = piece.indexOf('=');
  if (equals < 0) return { name: piece, value: null, isQuoted: false };
  const value = piece.slice(equals + 1).trim();
  const isQuoted = value.startsWith('"');
  return { name: piece.slice(0, equals).trim(), value: isQuoted ? unquote(value) : value, isQuoted };
}

/** Value of the first parameter of that lower-case name: undefined when absent, null without `=`. */
export function paramValue(params: readonly Param[], name: string): string | null | undefined {
  for (const param of params) {
    if (param.name.length === name.length && param.name.toLowerCase() === name) return param.value;
  }
  return undefined;
}

/** Whether the parameter is there, with or without a value. */
export function hasParam(params: readonly Param[], name: string): boolean {
  return paramValue(params, name) !== undefined;
}
