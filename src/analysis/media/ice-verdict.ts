/**
 * What the connectivity checks of a call came to (RFC 8445 section 7): which pair was tried in vain, and whether media may run
 * where no check comes past here.
 */
import { endpointKeyAddress } from '../../core/ip.ts';
import { ORIGINS } from '../../core/words.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IceCheck } from '../../store/media/ice-checks.ts';
import type { StunKnowledge } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import { type IceEnd, iceEnds, mayRunElsewhere } from './ice-candidates.ts';

/** Unanswered checks of one pair, and how long they went on: some programs give up so soon. One that was refused says enough. */
const LEAST_CHECKS = 4;
const LEAST_US = 500_000;

/** Sockets of one call that are looked up. @cap */
const MAX_ICE_SOCKETS = 64;

/** Pairs of ends whose candidates are compared; of further ones nobody knows where media may run. @cap */
const MAX_END_PAIRS = 16;

const MIRROR = ORIGINS.indexOf('hep');

export type FailedIce = {
  /** The pair that was tried most, its checks refused where any was. */
  readonly worst: IceCheck;
  /** Checks the other way over the same two sockets. */
  readonly back: IceCheck | null;
  /** Sockets between which others were tried in vain. */
  readonly others: number;
  /** Who described the candidates. */
  readonly ends: readonly IceEnd[];
};

/** What the checks of a call tell of media that is missing. */
export type IceVerdict = {
  readonly failed: FailedIce | null;
  /** None succeeded here, and candidates were described whose pairs do not come past here. */
  readonly mayRunElsewhere: boolean;
};

/**
 * What the checks of a call came to: nothing where it has none, or one succeeded. Of `host` alone, which gets media and sends
 * none, what it asked itself: that nothing comes back to it needs no proof then.
 */
export function judgeIce(
  d: Dialog,
  stun: StunKnowledge,
  messages: readonly CallMessage[],
  host: string | null = null,
): IceVerdict {
  const all = checksOf(d, stun);
  const checks = host === null ? all : all.filter(({ src }) => endpointKeyAddress(src) === host);
  if (checks.length === 0 || checks.some(({ answeredUs }) => answeredUs >= d.createdUs))
    return { failed: null, mayRunElsewhere: false };
  const tried = checks.filter((c) => c.errors > 0 || (c.sent >= LEAST_CHECKS && c.lastUs - c.firstUs >= LEAST_US));
  const ends = iceEnds(messages);
  let mayBeElsewhere = ends === null;
  const endsOf = new Map<IceCheck, IceEnd[]>();
  const hosts = new Set(checks.map(({ src, dst }) => betweenText(endpointKeyAddress(src), endpointKeyAddress(dst))));
  const endAt = endsByAddress(ends ?? []);
  const signaled = signaledBetween(messages);
  const judged = new Map<IceEnd, Map<IceEnd, boolean>>();
  let left = MAX_END_PAIRS;
  const mayReachUnseen = (a: IceEnd, b: IceEnd): boolean => {
    const of = judged.get(a) ?? new Map<IceEnd, boolean>();
    judged.set(a, of);
    const known = of.get(b);
    if (known !== undefined) return known;
    const isSeen = (x: string, y: string): boolean => hosts.has(betweenText(x, y)) || hosts.has(betweenText(y, x));
    const mayReach = left-- <= 0 || mayRunElsewhere(a, b, isSeen);
    of.set(b, mayReach);
    return mayReach;
  };
  const proven = tried.filter((check) => {
    const [from, to] = [endpointKeyAddress(check.src), endpointKeyAddress(check.dst)];
    const asked = endAt.get(to);
    const asking = endAt.get(from) ?? ends?.find(({ host }) => host === from);
    if (asked === undefined || asking === undefined || asked === asking) return false;
    if (mayReachUnseen(asking, asked)) {
      mayBeElsewhere = true;
      return false;
    }
    endsOf.set(check, [asking, asked]);
    const back = betweenText(to, from);
    return host !== null || check.errors > 0 || hosts.has(back) || signaled.has(back);
  });
  const refused = proven.filter(({ errors }) => errors > 0);
  const worst = mostTried(refused.length > 0 ? refused : proven);
  if (worst === null || mayBeElsewhere) return { failed: null, mayRunElsewhere: mayBeElsewhere };
  const back = checks.find((c) => c.src === worst.dst && c.dst === worst.src && c.sent >= LEAST_CHECKS) ?? null;
  const isOwn = (c: IceCheck): boolean => c === worst || (c.src === worst.dst && c.dst === worst.src);
  const others = tried.filter((c) => !isOwn(c)).length;
  return { failed: { worst, back, others, ends: endsOf.get(worst) ?? [] }, mayRunElsewhere: false };
}

/** All that were sent while the call lasted; none where some are not kept, or began before. */
function checksOf(d: Dialog, { ice }: StunKnowledge): IceCheck[] {
  const found = new Set<IceCheck>();
  if (ice.goneUs >= d.createdUs) return [];
  for (const key of d.claimedKeys.slice(0, MAX_ICE_SOCKETS)) {
    const checks = ice.at(key);
    if (checks === null) return [];
    for (const check of checks) {
      if (check.lastUs >= d.createdUs && !(check.firstUs > d.endedUs)) found.add(check);
    }
  }
  const all = [...found];
  return all.every(({ firstUs }) => firstUs >= d.createdUs) ? all : [];
}

function betweenText(from: string, to: string): string {
  return `${from} ${to}`;
}

/** The first end that named each address. */
function endsByAddress(ends: readonly IceEnd[]): ReadonlyMap<string, IceEnd> {
  const found = new Map<string, IceEnd>();
  for (const end of ends) for (const { address } of end.candidates) if (!found.has(address)) found.set(address, end);
  return found;
}

/** Between which hosts SIP ran here, and no agent only told so. */
function signaledBetween(messages: readonly CallMessage[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { src, dst, origin } of messages) if (origin !== MIRROR) found.add(betweenText(src.host, dst.host));
  return found;
}

function mostTried(checks: readonly IceCheck[]): IceCheck | null {
  return checks.reduce<IceCheck | null>((most, c) => (most === null || c.sent > most.sent ? c : most), null);
}
