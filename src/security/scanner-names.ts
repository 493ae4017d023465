/**
 * Which User-Agent values only attack tools send.
 *
 * Collected from the documented defaults of the tools and from filter lists that operators publish. Names that
 * legitimate software uses too (sipsak, baresip, PJSUA, eyeBeam, FreePBX...) are left out on purpose: those sources are
 * judged by what they do.
 */

/** Parts of a User-Agent, compared without regard to case. */
const FRAGMENTS = [
  'friendly-scanner',
  'friendly-request',
  'sipvicious',
  'svmap',
  'svwar',
  'svcrack',
  'sundayddr',
  'sundayaddr',
  'sip-scan',
  'sipscan',
  'sipcli',
  'iwar',
  'sivus',
  'siparmyknife',
  'vaxsipuseragent',
  'vaxipuseragent',
  'vaxuseragent',
  'pplsip',
  'conaito',
  'nsauditor',
  'sippts',
  'voiphopper',
  'fourcats',
  'dr.pes',
  'nm@nmap',
  'nmap nse',
] as const;

/** Whole values: as parts they would meet honest software. */
const WHOLE = [
  'smap',
  'gulp',
  'sipreg',
  'custom sip',
  'test agent',
  'z 3',
  'scanner',
  'trixbox',
  'opensip',
  'sipclient',
];

const known = new RegExp(FRAGMENTS.map((f) => f.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'));
const whole = new Set<string>(WHOLE);

/** The words of these names, which say nothing of whoever is attacked. */
export const SCANNER_WORDS: ReadonlySet<string> = new Set(
  [...FRAGMENTS, ...WHOLE].flatMap((name) => name.split(/[^a-z0-9]+/)),
);

/** Whether `userAgent` names a tool that only attackers run. Time is linear in its length. */
export function isScannerName(userAgent: string): boolean {
  const lower = userAgent.trim().toLowerCase();
  return whole.has(lower) || known.test(lower);
}
