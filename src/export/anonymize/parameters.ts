/**
 * Parameters of headers and URIs, by name: the name stays, and of the value what the rule lets stay. A name that is not here is
 * replaced as other words are.
 */

/**
 * `number`: so many digits at most; `index`: of History-Info; `words`: those of the standards; `phrase`: those of reason phrases;
 * `secret`: nothing of its shape; `mapped`: as other text; `plain`: as text without URIs.
 */
export type ParameterRule =
  | { readonly is: 'number'; readonly digits: number }
  | { readonly is: 'index' | 'words' | 'phrase' | 'secret' | 'mapped' | 'plain' };

const RULES: readonly (readonly [ParameterRule, string])[] = [
  [{ is: 'number', digits: 10 }, 'expires duration retry-after min-se refresh answer-after spi-c spi-s spi delta'],
  [{ is: 'number', digits: 5 }, 'rport port port-c port-s reg-id counter appearance keep x-reg'],
  [{ is: 'number', digits: 3 }, 'cause ttl q oli isup-oli limit mp rc hi-count'],
  [{ is: 'index' }, 'index'],
  [{ is: 'plain' }, 'boundary'],
  [
    { is: 'words' },
    'transport user method methods comp lr reason privacy screen party id-type purpose alg ppt qop algorithm stale',
  ],
  [
    { is: 'words' },
    'refresher handling charset type encoding content cpc noa ealg prot mod integrity-protected hide nat r2 sos',
  ],
  [
    { is: 'words' },
    'event access-type alert early-only npdi ob explicit require audio video duplex mobility actor class automata',
  ],
  [
    { is: 'words' },
    'text-charset isfocus schemes events +sip.ice +sip.rendering +sip.byeless +g.3gpp.smsip +g.3gpp.icsi-ref bnc',
  ],
  [
    { is: 'words' },
    '+g.3gpp.iari-ref +g.3gpp.mid-call +g.3gpp.srvcc-alerting +g.3gpp.ps2cs-srvcc-orig-pre-alerting +sip.src regid',
  ],
  [
    { is: 'words' },
    '+sip.message +sip.extensions +sip.events +g.oma.sip-im d-alg d-qop np access-network-charging-info',
  ],
  [{ is: 'phrase' }, 'text'],
  [{ is: 'secret' }, 'nonce response cnonce opaque nextnonce rspauth auts ik ck d-ver password'],
  [
    { is: 'mapped' },
    'tag branch received maddr info realm username uri domain to-tag from-tag local-tag remote-tag call-id remote',
  ],
  [
    { is: 'mapped' },
    'icid-value icid-generated-at orig-ioi term-ioi transit-ioi related-icid related-icid-generated-at ioi ccf ecf',
  ],
  [
    { is: 'mapped' },
    'phone-context rn cic isub ext postd tgrp trunk-context gr pub-gruu temp-gruu +sip.instance alias sigcomp-id id',
  ],
  [
    { is: 'mapped' },
    'start start-info x5u utran-cell-id-3gpp cgi-3gpp i-wlan-node-id dsl-location utran-sai-3gpp network-info',
  ],
  [
    { is: 'mapped' },
    'extension-access-info local-time-zone gstn-location eth-location ftag did vsf vst line rinstance line-key',
  ],
  [
    { is: 'mapped' },
    'replaces join subject body in-reply-to call-info user-to-user reply-to name aor sess leg otag itag',
  ],
];

const BY_NAME = new Map<string, ParameterRule>(
  RULES.flatMap(([rule, names]) => names.split(/\s+/).map((name) => [name, rule] as const)),
);

export function parameterRule(name: string): ParameterRule | undefined {
  return BY_NAME.get(name.toLowerCase());
}
