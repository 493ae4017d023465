/**
 * Decides which call and which m= section own what runs between two sockets, after an ICE check found that they reach each
 * other (RFC 8445).
 *
 * The section is that of the end that a description names, by candidate or m= line. If neither end is named (a
 * peer-reflexive address, trickled candidates), both user fragments narrow it, then ports that descriptions name: a NAT
 * often keeps them. Payload types decide later what is still open (claimed-sections.ts).
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyPort } from '../../core/ip.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { eitherOf, SEVERAL } from '../../store/media/claimed-sections.ts';
import type { Claim } from '../../store/media/endpoint-index.ts';
import type { SdpRows } from '../../store/media/sdp-rows.ts';
import { FACT } from '../../store/media/sdp-rows.ts';
import type { ClaimedMedia } from '../../store/media/sdp-timeline.ts';
import { NONE } from '../../store/row-blocks.ts';

/** Media endpoints one dialog may name over all its descriptions. @cap sdp_endpoints_beyond_cap */
export const MAX_DIALOG_ENDPOINTS = 1_024;

/** What is known of an end of the pair. */
export type PairEnd = {
  readonly key: EndpointKey;
  readonly dialog: Dialog | null;
  /** That of the dialog on the socket; null without one. */
  readonly claim: Claim | null;
  /** Those that named the user fragment of this end. */
  readonly sections: readonly Claim[];
};

/** What to claim at which end; nothing at an end that is known already, and nothing when the ends are of two calls. */
export function claimsOfPair(far: PairEnd, near: PairEnd, rows: SdpRows): { key: EndpointKey; claim: Claim }[] {
  const dialog = far.dialog ?? near.dialog;
  if (dialog === null || (near.dialog !== null && near.dialog !== dialog)) return [];
  const open = [far, near].filter(({ claim }) => claim === null || isOpen(claim));
  if (open.length === 0) return [];
  const one = far.sections[0] ?? near.sections[0] ?? far.claim ?? near.claim;
  // It will be refused and counted: what it says is not worth the time.
  if (dialog.claimedCount >= MAX_DIALOG_ENDPOINTS)
    return one === null ? [] : open.map(({ key }) => ({ key, claim: one }));
  const lines = linesOf([far, near], dialog, rows);
  return open.flatMap((end) => {
    if (end.claim !== null && lines.length !== 1) return [];
    const known = [...sectionsAt(end), ...sectionsAt(end === far ? near : far)];
    const fromUs = Math.min(...[far, near].flatMap(({ sections, claim }) => [...sections, claim]).map(fromOf));
    const [first, ...others] = lines.flatMap((line) => known.find((s) => s.line === line) ?? []);
    if (first === undefined) return [];
    return [{ key: end.key, claim: { ...eitherOf(first, ...others), dialog, fromUs, derived: 'ice' } }];
  });
}

/** An earlier check left the section open. */
function isOpen({ line, derived }: Claim): boolean {
  return line === SEVERAL && derived !== undefined;
}

function fromOf(claim: Claim | null): number {
  return claim?.fromUs ?? Number.POSITIVE_INFINITY;
}

function sectionsAt({ claim, sections }: PairEnd): readonly ClaimedMedia[] {
  if (sections.length > 0) return sections;
  return claim === null ? [] : (claim.sections ?? [claim]);
}

/** The m= lines that the pair may be of. */
function linesOf(ends: readonly PairEnd[], dialog: Dialog, rows: SdpRows): number[] {
  for (const { claim } of ends) if (claim !== null && claim.line !== SEVERAL) return [claim.line];
  let lines: number[] = [];
  for (const end of ends) {
    const mine = sectionsAt(end).map((s) => s.line);
    const both = lines.filter((line) => mine.includes(line));
    if (both.length > 0) lines = both;
    else if (lines.length === 0) lines = mine;
  }
  if (lines.length < 2) return lines;
  const ports = ends.map(({ key }) => endpointKeyPort(key));
  // RTCP without a line of its own is one port above.
  for (const above of [0, 1]) {
    const named = linesAt(
      ports.map((port) => port - above),
      dialog,
      rows,
    ).filter((line) => lines.includes(line));
    if (named.length === 1) return named;
    if (named.length > 1) break;
  }
  return lines;
}

/** The lines by which descriptions of the dialog name one of these ports, whatever the address. */
function linesAt(ports: readonly number[], dialog: Dialog, rows: SdpRows): number[] {
  const found = new Set<number>();
  for (let row = dialog.sdpRow; row !== NONE; row = rows.older(row)) {
    if ((rows.facts(row) & FACT.CLAIM) === 0 || !ports.includes(endpointKeyPort(rows.key(row)))) continue;
    const media = rows.media(row);
    if (media === null || media.derived !== undefined) continue;
    for (const { line } of media.line === SEVERAL ? (media.sections ?? []) : [media]) found.add(line);
  }
  return [...found];
}
