/** What the anonymizer did, in lines for whoever hands a capture over: what was replaced, kept and left out, never by what. */
import { counted } from '../../core/counted.ts';
import type { AnonymizeOptions, Anonymizer, Keep } from './anonymizer.ts';
import type { ReplacedCounts } from './counts.ts';
import { REPLACED } from './counts.ts';
import type { FrameCounts } from './frame-anonymizer.ts';
import type { LeftOutReason } from './token.ts';

/** Why a frame was left out. */
const LEFT_OUT = {
  link: 'link type not known',
  not_ip: 'not IP',
  malformed: 'damaged headers',
  cut_short: 'cut by the snapshot length',
  protocol: 'neither UDP, TCP nor ICMP',
  encrypted: 'encrypted',
  too_deep: 'too many tunnels',
  too_long: 'too long',
  content: 'neither SIP nor media',
  icmp: 'ICMP that is no error',
  tls: 'TLS',
  tcp_content: 'TCP without SIP',
  tcp_unordered: 'TCP without its beginning',
  fragment: 'fragments without the rest',
  tunnel: 'tunnels that are not read',
} as const satisfies Record<LeftOutReason, string>;

const KEPT = {
  country: 'country codes',
  'last-digits': 'last digits of numbers',
  'user-agent': 'User-Agents',
} as const satisfies Record<Keep, string>;

/** Numbers alone. */
export type Counted = {
  readonly frames: number;
  replaced(): readonly (readonly [keyof ReplacedCounts, number])[];
  leftOut(): readonly (readonly [string, number])[];
};

export function reportLines(state: Counted, { keeps, keepsAudio }: AnonymizeOptions): string[] {
  const replaced = state.replaced().filter(([, n]) => n > 0);
  const leftOut = state.leftOut().filter(([, n]) => n > 0);
  const kept = [...[...keeps].map((keep) => KEPT[keep]), ...(keepsAudio ? ['audio'] : [])];
  const lines = [`anonymized ${counted(state.frames, 'frame')}`];
  if (replaced.length > 0) lines.push(`replaced: ${replaced.map(([kind, n]) => `${REPLACED[kind]} ${n}`).join(', ')}`);
  if (kept.length > 0) lines.push(`kept on request: ${kept.join(', ')}`);
  const total = leftOut.reduce((sum, [, n]) => sum + n, 0);
  if (total > 0) lines.push(`left out ${counted(total, 'frame')}: ${leftOut.map(leftOutText).join(', ')}`);
  return lines;
}

/** Of frames that this thread rewrote. */
export function reportOf({ counts, options }: Anonymizer, { frames, leftOut }: FrameCounts): string[] {
  // The keys are those of the table; Object.entries widens them.
  const replaced = Object.entries(counts) as [keyof ReplacedCounts, number][];
  return reportLines({ frames, replaced: () => replaced, leftOut: () => Object.entries(leftOut) }, options);
}

function leftOutText([reason, n]: readonly [string, number]): string {
  return `${n} ${LEFT_OUT[reason as LeftOutReason]}`;
}
