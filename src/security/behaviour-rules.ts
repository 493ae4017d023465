/**
 * The rules that tell a scanner by what it does: how much, in which time, and how much of it was refused.
 *
 * Figures: 10 probes or 5 targets in 5 s are the design's; 20 refused in 60 s and 10 users in 10 minutes catch the slow;
 * 20 refused attempts with credentials in 60 s and more than 50 in 1 s are what operators' filters use.
 */
import type { AlertKind, Behaviour } from './alert.ts';
import { OUTCOME, type WindowCount } from './outcome-ring.ts';

export type BehaviourRule = {
  readonly kind: AlertKind;
  readonly behaviour: Behaviour;
  readonly windowUs: number;
  /** At least so many refused requests, users or guesses, different users, or different hosts; 0 does not ask. */
  readonly refused: number;
  readonly evidence: number;
  readonly users: number;
  readonly hosts: number;
  /** Facts an outcome must have, and must not have, to count. */
  readonly wanted: number;
  readonly unwanted: number;
};

const SEC = 1e6;
const none = { refused: 0, evidence: 0, users: 0, hosts: 0 } as const;
const plain = { ...none, wanted: 0, unwanted: OUTCOME.UNKNOWN_PEER } as const;
const flood = { ...plain, kind: 'reg-flood', behaviour: 'registration-flood', windowUs: SEC, refused: 51 } as const;

const guessing = { ...plain, kind: 'scanner', behaviour: 'password-guessing', wanted: OUTCOME.CREDENTIALS } as const;

/** Of each kind earlier rules win: the first that holds names the behaviour. */
export const BEHAVIOUR_RULES: readonly BehaviourRule[] = [
  { ...flood, wanted: OUTCOME.CREDENTIALS | OUTCOME.REGISTER },
  // Challenged and never followed is as much of a flood, whatever the sender hopes for.
  { ...flood, wanted: OUTCOME.REGISTER },
  { ...guessing, windowUs: 5 * SEC, evidence: 10 },
  { ...guessing, windowUs: 60 * SEC, evidence: 20 },
  { ...plain, kind: 'scanner', behaviour: 'enumeration', windowUs: 5 * SEC, users: 5 },
  { ...plain, kind: 'scanner', behaviour: 'probe-burst', windowUs: 5 * SEC, evidence: 10 },
  { ...plain, kind: 'scanner', behaviour: 'slow-scan', windowUs: 60 * SEC, evidence: 20 },
  { ...plain, kind: 'scanner', behaviour: 'slow-enumeration', windowUs: 600 * SEC, users: 10 },
  // Hosts that answer nobody count here, for a sweep meets many of them.
  { ...plain, kind: 'scanner', behaviour: 'host-sweep', windowUs: 60 * SEC, hosts: 10, unwanted: 0 },
  // A stranger's name is reported at once; that of an established source, with the factor, is one of 20 refused.
  { ...plain, kind: 'scanner', behaviour: 'known-tool', windowUs: 60 * SEC, refused: 5, wanted: OUTCOME.NAMED },
];

/** A source that ever registered or held a call needs so many times the evidence. */
export const ESTABLISHED_FACTOR = 4;

/** Whether what was counted fulfils the rule, and more than half of it was refused. */
export function holds(rule: BehaviourRule, n: Readonly<WindowCount>, factor: number): boolean {
  const refused = rule.refused > 0 ? n.refused : n.refusedKinds;
  return (
    refused > n.granted &&
    n.refused >= rule.refused * factor &&
    n.evidence >= rule.evidence * factor &&
    n.users >= rule.users * factor &&
    n.hosts >= rule.hosts * factor
  );
}

/** The same number dialled with so many prefixes, all refused. */
export const PREFIXES = 3;
export const PREFIX_WINDOW_US = 60 * SEC;

/** So many messages of one source that are no proper SIP, in this time: far above what a broken device repeats. */
export const MALFORMED = 50;
export const MALFORMED_WINDOW_US = 10 * SEC;

/** What an answer says of a request that asked for a user, a service, a dialog or a route that is not there. */
const REFUSALS: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 407, 410, 414, 416, 420, 481, 484, 485, 489, 501, 505, 604, 607,
]);

/** Whether a final status refuses the request itself; a busy phone or an overloaded server does not. */
export function isRefusal(status: number): boolean {
  return REFUSALS.has(status);
}

/** Text no honest client puts into the user part of a URI: shell and SQL, plain or %-escaped. */
const INJECTION =
  /(?:%27|'|%22)(?:\s|%20|\+){0,8}(?:or|and|union|--|%2d%2d|;|%3b)|union(?:\s|%20|\+){1,8}select|%24%28|\$\(|`|%60|\.\.(?:\/|%2f)/i;

export function isInjection(user: string): boolean {
  return INJECTION.test(user);
}
