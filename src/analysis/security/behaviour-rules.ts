/**
 * The rules that tell a scanner by what it does: how much, in which time, and how much of it was refused.
 *
 * Figures: 10 probes or 5 targets in 5 s are the design's; 20 refused in 60 s and 10 users in 10 minutes catch the slow;
 * 20 refused attempts with credentials in 60 s and more than 50 in 1 s are what operators' filters use.
 */
import type { AlertKind, Behaviour } from './alert.ts';
import { OUTCOME } from './outcome-ring.ts';

export type BehaviourRule = {
  readonly kind: AlertKind;
  readonly behaviour: Behaviour;
  readonly windowUs: number;
  /** At least so many refused requests, different targets, or different hosts; 0 does not ask. */
  readonly refused: number;
  readonly targets: number;
  readonly hosts: number;
  /** Facts an outcome must have, and must not have, to count. */
  readonly wanted: number;
  readonly unwanted: number;
};

const SEC = 1e6;
const plain = { wanted: 0, unwanted: OUTCOME.UNKNOWN_PEER, refused: 0, targets: 0, hosts: 0 } as const;
const registering = OUTCOME.CREDENTIALS | OUTCOME.REGISTER;

/** Of each kind earlier rules win: the first that holds names the behaviour. */
export const BEHAVIOUR_RULES: readonly BehaviourRule[] = [
  { ...plain, kind: 'reg-flood', behaviour: 'registration-flood', windowUs: SEC, refused: 51, wanted: registering },
  // Challenged and never followed is as much of a flood, whatever the sender hopes for.
  {
    ...plain,
    kind: 'reg-flood',
    behaviour: 'registration-flood',
    windowUs: SEC,
    refused: 51,
    wanted: OUTCOME.REGISTER,
  },
  {
    ...plain,
    kind: 'scanner',
    behaviour: 'password-guessing',
    windowUs: 60 * SEC,
    refused: 20,
    wanted: OUTCOME.CREDENTIALS,
  },
  { ...plain, kind: 'scanner', behaviour: 'enumeration', windowUs: 5 * SEC, targets: 5 },
  { ...plain, kind: 'scanner', behaviour: 'probe-burst', windowUs: 5 * SEC, refused: 10 },
  { ...plain, kind: 'scanner', behaviour: 'slow-scan', windowUs: 60 * SEC, refused: 20 },
  { ...plain, kind: 'scanner', behaviour: 'slow-enumeration', windowUs: 600 * SEC, targets: 10 },
  // Hosts that answer nobody count here, for a sweep meets many of them.
  { ...plain, kind: 'scanner', behaviour: 'host-sweep', windowUs: 60 * SEC, hosts: 10, unwanted: 0 },
];

/** A source that ever registered or held a call needs so many times the evidence. */
export const ESTABLISHED_FACTOR = 4;

/** The same number dialled with so many prefixes, all refused. */
export const PREFIXES = 3;

/** What an answer says of a request that asked for a user, a service or a route that is not there. */
const REFUSALS: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 407, 410, 414, 416, 420, 484, 485, 489, 604, 607,
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
