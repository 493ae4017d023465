/** What is odd about a session description, as bits of one number (RFC 8866 5). Nothing here refuses it. */

export const SDP_NOTE = {
  bareLf: 1 << 0,
  /** A line that is not `<letter>=<value>`. */
  badLine: 1 << 1,
  noVersion: 1 << 2,
  /** `v=` names another version than 0. */
  badVersion: 1 << 3,
  noOrigin: 1 << 4,
  badOrigin: 1 << 5,
  noSessionName: 1 << 6,
  noTiming: 1 << 7,
  noMedia: 1 << 8,
  /** An active media description has no c= line, neither its own nor the session's. */
  noConnection: 1 << 9,
  badConnection: 1 << 10,
  badMedia: 1 << 11,
  badAttribute: 1 << 12,
  cappedMedia: 1 << 13,
  cappedFormats: 1 << 14,
  cappedCandidates: 1 << 15,
  cappedAttributes: 1 << 16,
  cappedLines: 1 << 17,
} as const;

const ENTRIES: readonly (readonly [string, number])[] = Object.entries(SDP_NOTE);

/** Names of the set bits, in bit order. */
export function sdpNoteNames(notes: number): string[] {
  const names: string[] = [];
  for (const [name, bit] of ENTRIES) if ((notes & bit) !== 0) names.push(name);
  return names;
}
