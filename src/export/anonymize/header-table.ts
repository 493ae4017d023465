/**
 * What the value of each header is, and which names of headers stay. A header that is not here is text: all of it is replaced but
 * the grammar of URIs and parameters.
 */
import { HEADER_NAMES, headerIdOf } from '../../protocols/sip/header-name.ts';

/**
 * `words`: tokens of the standards, and numbers of few digits. `number`, `sequence`: numbers. `via`, `credentials`, `warning`, `date`,
 * `product`, `reason`, `length`, `type`, `identity`, `figures`: what they say. `plain`: without URIs and parameters. `text`:
 * everything else.
 */
export type HeaderKind =
  | 'text'
  | 'plain'
  | 'words'
  | 'number'
  | 'sequence'
  | 'via'
  | 'credentials'
  | 'warning'
  | 'date'
  | 'product'
  | 'reason'
  | 'length'
  | 'type'
  | 'identity'
  | 'figures';

const KINDS: Readonly<Record<Exclude<HeaderKind, 'text'>, string>> = {
  words: `supported require proxy-require unsupported allow allow-events accept accept-encoding accept-language event
    subscription-state privacy priority request-disposition content-disposition content-encoding content-language
    answer-mode priv-answer-mode hide mime-version refer-sub refer-events p-early-media recv-info info-package
    resource-priority accept-resource-priority geolocation-routing accept-contact reject-contact feature-caps
    suppress-if-match content-transfer-encoding p-access-network-info cellular-network-info security-client security-server
    security-verify remote-party-id-screen p-asserted-service p-preferred-service
    x-asterisk-hangupcausecode restoration-info p-dcs-billing-info`,
  number: `max-forwards expires min-expires min-se session-expires rseq timestamp retry-after flow-timer max-breadth
    geolocation-error x-asterisk-hangupcausecode`,
  plain: 'call-id x-call-id x-cid in-reply-to',
  sequence: 'cseq rack',
  via: 'via',
  credentials: `authorization proxy-authorization www-authenticate proxy-authenticate authentication-info
    proxy-authentication-info`,
  warning: 'warning',
  date: 'date',
  product: 'user-agent server',
  reason: 'reason x-asterisk-hangupcause',
  length: 'content-length',
  type: 'content-type',
  identity: 'identity',
  figures: 'p-rtp-stat x-rtp-stat x-rtp-stats x-siemens-rtp-stats x-siemens-rtp-stats-list rtp-rxstat rtp-txstat',
};

const KIND_OF = new Map<string, HeaderKind>(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    // The table's own keys.
    names.split(/\s+/).map((name) => [name, kind as HeaderKind] as const),
  ),
);

/** Further names of registered headers, and of widespread ones. */
const OTHER_NAMES: ReadonlySet<string> = new Set(
  `reply-to content-id content-transfer-encoding p-served-user p-user-database p-profile-key p-private-network-indication
  p-media-authorization p-refused-uri-list p-dcs-trace-party-id p-dcs-osps p-dcs-billing-info p-dcs-laes p-dcs-redirect
  p-answer-state p-asserted-service p-preferred-service policy-contact policy-id p-charge-info priv-answer-mode
  nearest-dns cellular-network-info relayed-charge service-interact-info attestation-info origination-id
  response-source restoration-info resource-share ue-addr additional-identity refer-to-list sip-req-uri
  cisco-guid cisco-gucid remotecc session-guid h323-conf-id rtp-rxstat rtp-txstat call-forward content-description content-location`.split(
    /\s+/,
  ),
);

/** Long runs of digits are no part of a name. */
const NAME = /^(?:[A-Za-z]+-)+[A-Za-z]{1,32}$/;
const MAX_NAME_CHARS = 48;

/** In small letters, and in full where it is written short. */
export function headerName(written: string): string {
  const id = headerIdOf(written);
  return id === 0 ? written.toLowerCase() : (HEADER_NAMES[id] ?? '').toLowerCase();
}

/** `name` comes from headerName(). */
export function headerKind(name: string): HeaderKind {
  return KIND_OF.get(name) ?? 'text';
}

/** Whether a name is one of a header: registered, or of words with hyphens between them. */
export function isHeaderName(written: string): boolean {
  if (headerIdOf(written) !== 0) return true;
  const name = written.toLowerCase();
  return KIND_OF.has(name) || OTHER_NAMES.has(name) || (name.length <= MAX_NAME_CHARS && NAME.test(written));
}
