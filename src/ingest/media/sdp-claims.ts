/**
 * What the m= sections of a description claim: each its sockets, and what may run there. Sections of a BUNDLE group share
 * their sockets (RFC 9143), so that a socket of one may carry them all.
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyFromText } from '../../core/ip.ts';
import type { Sdp, SdpMedia } from '../../protocols/sdp/model.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { eitherOf, SEVERAL } from '../../store/media/claimed-sections.ts';
import type { Claim } from '../../store/media/endpoint-index.ts';
import type { ClaimedMedia, SdpMediaLine } from '../../store/media/sdp-timeline.ts';
import { isSecure } from './sdp-descriptions.ts';

/** A section that is in use, and what it claims. */
export type ClaimingSection = { readonly media: SdpMedia; readonly claim: Claim };

/** The sections of a description that no port of 0 refuses. */
export function claimingSections(
  dialog: Dialog,
  sdp: Sdp,
  lines: readonly SdpMediaLine[],
  fromUs: number,
): ClaimingSection[] {
  const found: { readonly media: SdpMedia; readonly claim: Claim & { sections?: readonly ClaimedMedia[] } }[] = [];
  for (const [line, media] of sdp.media.entries()) {
    const described = lines[line];
    // The line has the port of its group where it has none of its own.
    if (described === undefined || described.port === 0) continue;
    const { codecs } = described;
    const claim = { dialog, fromUs, codecs, mediaType: media.type, isSrtp: isSecure(media), line };
    found.push({ media, claim });
  }
  for (const mids of sdp.bundles) {
    const members = found.filter(({ media }) => media.mid !== null && mids.includes(media.mid));
    if (members.length < 2) continue;
    const sections = members.map(({ claim }) => claim);
    for (const claim of sections) claim.sections = sections;
  }
  return found;
}

/** The sockets that sections name, at most `most` of them, and what may run there; tells how many are beyond that. */
export function claimedSockets(
  sections: readonly ClaimingSection[],
  most: number,
): { sockets: ReadonlyMap<EndpointKey, Claim>; beyond: number } {
  const sockets = new Map<EndpointKey, Claim>();
  let beyond = 0;
  for (const { media, claim } of sections)
    for (const key of namedBy(media)) {
      const other = sockets.get(key);
      if (other === undefined && sockets.size >= most) beyond++;
      else sockets.set(key, other === undefined ? claim : together(other, claim));
    }
  return { sockets, beyond };
}

/** Of m= and c=, a=rtcp, and candidates. */
function* namedBy(m: SdpMedia): Generator<EndpointKey> {
  const address = m.connection?.address ?? null;
  const own = keyOf(address, m.port);
  if (own !== null) yield own;
  const rtcp = m.rtcpPort === null ? null : keyOf(m.rtcpAddress ?? address, m.rtcpPort);
  if (rtcp !== null) yield rtcp;
  for (const c of m.candidates) {
    const key = keyOf(c.address, c.port);
    if (key !== null) yield key;
  }
}

function keyOf(address: string | null, port: number): EndpointKey | null {
  return address === null || port === 0 ? null : endpointKeyFromText(address, port);
}

/** Two sections name one socket: nobody says which of them, or of their groups, runs there. */
function together(a: Claim, b: Claim): Claim {
  if (a.line === b.line || (a.line === SEVERAL && a.sections?.some((s) => s.line === b.line) === true)) return a;
  const [first = a, ...others] = new Set([...(a.sections ?? [a]), ...(b.sections ?? [b])]);
  return { ...eitherOf(first, ...others), dialog: a.dialog, fromUs: a.fromUs };
}
