/** What the anonymizer replaced, by kind: numbers alone, never what stood there. */

/** Kinds of what is replaced, and how a report names them. */
export const REPLACED = {
  addresses: 'IP addresses in text',
  numbers: 'numbers',
  words: 'words of names, domains, Call-IDs and tags',
  secrets: 'digests, keys, fingerprints and tokens',
  bodies: 'bodies other than SDP',
  messages: 'SIP messages',
  unreadable: 'SIP messages that could not be read, whole',
} as const;

export type ReplacedKind = keyof typeof REPLACED;

export type ReplacedCounts = { [Kind in ReplacedKind]: number };

export function noCounts(): ReplacedCounts {
  return { addresses: 0, numbers: 0, words: 0, secrets: 0, bodies: 0, messages: 0, unreadable: 0 };
}
