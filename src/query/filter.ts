/**
 * A filter as it was read: a tree of terms, each with where it stands in the text, so that an error, a completion and a
 * printer can point at it.
 */
import type { Subject } from './subject.ts';

/** Offsets into the text, in UTF-16 units; `end` lies behind the last one. */
export type Span = { readonly start: number; readonly end: number };

/** `key:abc` begins with it, `key=abc` is it. */
export type Operator = '<=' | '>=' | ':' | '=' | '<' | '>';

/** One value of a term. */
export type Value = Span & {
  /** Without quotes, escapes and the stars at its ends. */
  readonly text: string;
  /** Something may stand before the text (`*44`), or after it (`+44*`). */
  readonly isOpenStart: boolean;
  readonly isOpenEnd: boolean;
  /** An RE2 expression (`~yealink`). */
  readonly isExpression: boolean;
  /** Of a bare word: it looks like a number, a code or an address, and was quoted to be a text. */
  readonly isTextAlone: boolean;
};

/** True, false, or null while the subject has not loaded what the answer needs. */
export type Test = (s: Subject) => boolean | null;

export type Term = Span & {
  readonly kind: 'term';
  /** As the table of keys spells it; null for a bare word. */
  readonly key: string | null;
  readonly operator: Operator;
  /** One of them must fit. */
  readonly values: readonly Value[];
  readonly test: Test;
  /** What the test needs of a subject, see LEVEL. */
  readonly level: number;
};

export type Node =
  | Term
  | { readonly kind: 'not'; readonly of: Node }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Node[] };

/** Null lets everything pass. */
export type Filter = Node | null;

/** Why a text is no filter, and where. */
export type FilterError = Span & {
  readonly reason: string /** What was meant there, where one word is near. */;
  readonly meant?: string;
};

export type Parsed =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly error: FilterError };
