/**
 * The table of findings: what can be wrong with a call or with a capture, a row each. A row has our name, the words that
 * `/v1` imposes for it, its weight, what proves it, and what a reader needs. Everybody else reads it here.
 */
import type { DialogFacts } from './dialog-facts.ts';
import type { CallFindingRows, FindingRow } from './finding-row.ts';
import { MEDIA_FINDINGS, MEDIA_WARNINGS } from './media/media-findings.ts';
import { SIGNALING_FINDINGS } from './signaling/signaling-findings.ts';

/** Failures that the called side decides: busy, no answer, declined, unknown or gone number. */
const BY_CALLEE: ReadonlySet<number> = new Set([404, 410, 480, 484, 486, 487, 600, 603, 604, 607]);
/** What the call table, the filter and `/ask` name, in the order in which a call shows it: the worst first. */
export const CALL_FINDINGS = { ...MEDIA_FINDINGS, ...SIGNALING_FINDINGS, ...MEDIA_WARNINGS } satisfies CallFindingRows;

/** What `/v1/report` alone names: outcomes of calls, which the table shows as a code, and what befell the capture. */
export const REPORT_FINDINGS = {
  'final-failure': {
    severity: 'major',
    unit: 'dialogs',
    v1: { signaling: 'final_failure', report: 'final_failure' },
    healthySince: '2026-11-21',
    has: (f) => isFailed(f) && !isByCallee(f),
    meaning: 'The call ended with a 4xx, 5xx or 6xx that the called side did not decide.',
    causes: ['No route', 'a refused password', 'an overload or a fault of a server'],
    look: 'Look at the code, at its Reason and Warning, and at who sent it first.',
    remedy:
      '404 and 484: check the dial plan. 401, 403, 407: check user, password and address list of the trunk. 488: compare the codecs of both sides. 480 and 503: check registration and capacity. 5xx: read the log of the host that sent it first.',
  },
  'refused-by-callee': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { report: 'refused_by_callee' },
    healthySince: '2026-11-21',
    has: (f) => isFailed(f) && isByCallee(f),
    meaning: 'The called side decided the failure: busy, no answer, declined, or a number that is unknown or gone.',
    causes: ['Callers dial a wrong number', 'nobody is there'],
    look: 'See whether one number or one route has many of them.',
    remedy: 'Nothing to mend where people decide. Many 404 of one route: its number format.',
  },
  'no-final-response': {
    severity: 'major',
    unit: 'dialogs',
    v1: { report: 'no_final_response' },
    healthySince: '2026-11-21',
    has: ({ signaling }) => signaling?.abandoned?.kind === 'no_final_response',
    meaning: 'No final response came in three minutes; nobody canceled the call.',
    causes: ['A phone that rings on', 'a server that lost the call'],
    look: 'See who answered the INVITE last, and with what.',
    remedy:
      'Kamailio: `fr_inv_timer`. Asterisk: a time for `Dial()`. A server that lost the call has no log of its end.',
  },
  'fragment-lost': {
    severity: 'minor',
    unit: 'datagrams',
    v1: { report: 'fragment_lost' },
    healthySince: '2026-11-29',
    meaning: 'The first fragment of a datagram with SIP came, and the rest did not: nobody could read the message.',
    causes: ['A firewall or NAT drops fragments', 'a link with a smaller MTU', 'the capture sees one of several links'],
    look: 'See whether large messages of these hosts fail and small ones do not; use TCP, or make the messages shorter.',
  },
  'orphaned-stream': {
    severity: 'minor',
    unit: 'streams',
    v1: { report: 'orphaned_stream' },
    meaning: 'RTP that no call of this capture names.',
    causes: ['The signaling runs elsewhere, or is encrypted', 'the capture began after the call'],
    look: 'See whether SIP of these hosts passes the capture, and on which ports.',
  },
  'packets-missed': {
    severity: 'critical',
    unit: 'packets',
    v1: { report: 'packets_missed' },
    meaning: 'Packets were dropped before calltap read them.',
    causes: ['More packets than this host can read', 'a ring or queue that is too small'],
    look: 'Look at capture_quality in the statistics: each counter has its remedy.',
  },
  'dialogs-evicted': {
    severity: 'blind',
    unit: 'dialogs',
    v1: { report: 'dialogs_evicted' },
    meaning: 'Dialogs gave way to newer ones, so the counts are floors.',
    causes: ['More calls than the cap of dialogs'],
    look: 'Raise --max-dialogs.',
  },
  'messages-evicted': {
    severity: 'blind',
    unit: 'messages',
    v1: { report: 'messages_evicted' },
    meaning: 'Messages gave way to newer ones, so the counts are floors.',
    causes: ['More messages than their memory holds'],
    look: 'Raise --message-log-bytes.',
  },
  'descriptions-evicted': {
    severity: 'blind',
    unit: 'dialogs',
    v1: { report: 'descriptions_evicted' },
    meaning: 'Dialogs lost the descriptions of their media to stay within their memory, so the counts are floors.',
    causes: ['Very many calls at a time', 'a flood of re-INVITEs'],
    look: 'See which calls change their media again and again.',
  },
  'streams-evicted': {
    severity: 'blind',
    unit: 'streams',
    v1: { report: 'streams_evicted' },
    meaning: 'Streams gave way to newer ones, so the counts are floors.',
    causes: ['More streams than the cap of streams'],
    look: 'Raise --max-streams.',
  },
  'streams-refused': {
    severity: 'blind',
    unit: 'streams',
    v1: { report: 'streams_refused' },
    meaning: 'Streams found no room, so the counts are floors.',
    causes: ['More streams at a time than the cap of streams'],
    look: 'Raise --max-streams.',
  },
  fraud: {
    severity: 'critical',
    unit: 'sources',
    v1: { report: 'fraud' },
    meaning: 'A source called numbers as toll fraud does.',
    causes: ['A stolen password', 'a phone or PBX that others can reach'],
    look: 'Look at its calls, change its password, and bound what it may dial.',
  },
  scanner: {
    severity: 'major',
    unit: 'sources',
    v1: { report: 'scanner' },
    meaning: 'A source probed for users, passwords or servers.',
    causes: ['A scanner of the Internet'],
    look: 'See whether one of its requests succeeded, and block it.',
  },
  'reg-flood': {
    severity: 'major',
    unit: 'sources',
    v1: { report: 'reg_flood' },
    meaning: 'A source sent registrations in a flood, most of them refused.',
    causes: ['Guessed passwords', 'a phone with a wrong password that never waits'],
    look: 'See whether it is a phone of yours, and block it otherwise.',
  },
  'clock-step': {
    severity: 'minor',
    unit: 'steps',
    v1: { report: 'clock_step' },
    healthySince: '2026-11-28',
    meaning: 'The clock of the host was set while it captured.',
    causes: ['A time service that sets and does not slew', 'a virtual machine that was moved'],
    look: 'Times after the step are shown as captured and judged without it.',
  },
} satisfies Readonly<Record<string, FindingRow>>;
function isFailed({ signaling }: DialogFacts): boolean {
  return (signaling?.finalFailure ?? null) !== null;
}

function isByCallee({ signaling }: DialogFacts): boolean {
  return BY_CALLEE.has(signaling?.finalFailure?.code ?? 0);
}
export type AnyFinding = keyof typeof CALL_FINDINGS | keyof typeof REPORT_FINDINGS;

export const FINDINGS: Readonly<Record<AnyFinding, FindingRow>> = { ...CALL_FINDINGS, ...REPORT_FINDINGS };
