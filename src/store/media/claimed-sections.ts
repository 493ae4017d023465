/**
 * Which m= section a stream belongs to, where its socket may carry several.
 *
 * Two cases: sections of a BUNDLE group share one socket (RFC 9143), and sections with the same ICE user fragment leave
 * open which of them a checked pair carries (RFC 8839 section 5.4). The payload type decides where one section alone has
 * it. Where none decides, only what is true of all of them is said.
 */
import { formatOf } from './codec-format.ts';
import type { CodecSet } from './codec-set.ts';
import type { ClaimedMedia } from './sdp-timeline.ts';

/** The line of a claim that no m= line makes alone. */
export const SEVERAL = -1;

const NO_CODECS: CodecSet = { names: [], formats: [] };

/** What is true of all these sections; of one, itself. */
export function eitherOf(first: ClaimedMedia, ...others: readonly ClaimedMedia[]): ClaimedMedia {
  if (others.length === 0) return first;
  const sections = [first, ...others];
  return {
    codecs: sections.every((s) => s.codecs === first.codecs) ? first.codecs : NO_CODECS,
    mediaType: sections.every((s) => s.mediaType === first.mediaType) ? first.mediaType : '',
    isSrtp: sections.every((s) => s.isSrtp),
    line: SEVERAL,
    sections,
  };
}

/** What a claim says of a stream with this payload type; the section that names the socket itself comes first. */
export function sectionFor(media: ClaimedMedia, payloadType: number): ClaimedMedia {
  const has = (s: ClaimedMedia): boolean => formatOf(s.codecs, payloadType) !== null;
  if (media.sections === undefined || (media.line !== SEVERAL && has(media))) return media;
  const [first, ...others] = media.sections.filter(has);
  if (first === undefined) return media;
  const section = eitherOf(first, ...others);
  return media.derived === undefined ? section : { ...section, derived: media.derived };
}

/** Two claims say the same. */
export function isSameClaim(a: ClaimedMedia, b: ClaimedMedia): boolean {
  if (a === b) return true;
  return isSameSection(a, b) && (a.sections === b.sections || haveSameSections(a.sections, b.sections));
}

function haveSameSections(a: readonly ClaimedMedia[] = [], b: readonly ClaimedMedia[] = []): boolean {
  return a.length === b.length && a.every((s, i) => isSameSection(s, b[i] ?? s));
}

function isSameSection(a: ClaimedMedia, b: ClaimedMedia): boolean {
  return a.codecs === b.codecs && a.line === b.line && a.mediaType === b.mediaType && a.isSrtp === b.isSrtp;
}
