/**
 * Finds calls whose connectivity checks all failed (RFC 8445 section 7): unanswered, or refused again and again, while the
 * call is up and no media runs.
 *
 * A check that succeeded on any pair ends the matter, and so does media. Silence counts only where this capture sees what the
 * silent host sends to the one that asks, and where no other pair of their candidates can carry media unseen.
 */
import { counted } from '../../core/counted.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import { ORIGINS } from '../../core/words.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IceCheck } from '../../store/media/ice-checks.ts';
import type { StunKnowledge } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import type { MediaFindings } from '../findings.ts';
import { agreements, isTalk } from './agreements.ts';
import type { MediaCase } from './check.ts';
import { type IceEnd, iceEnds, mayRunElsewhere } from './ice-candidates.ts';
import { endOf, LEAST_PACKETS } from './stop.ts';

/** An answered call that is silent for so long. */
const SILENT_US = 5_000_000;
/** Checks of one pair, and how long they went on: a few may be lost, and a peer may be slow. */
const LEAST_CHECKS = 4;
const LEAST_US = 2_000_000;

/** Sockets of one call that are looked up. @cap */
const MAX_ICE_SOCKETS = 64;

const MIRROR = ORIGINS.indexOf('hep');
const ROLE_CONFLICT = 487;

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

/** What the checks of a silent call tell. */
export type IceVerdict = {
  readonly failed: FailedIce | null;
  /** None succeeded here, and candidates were described whose pairs do not come past here. */
  readonly mayRunElsewhere: boolean;
};

export function checkIce(c: MediaCase, f: MediaFindings): void {
  const { d } = c;
  if (!c.isRtpCaptured || Number.isNaN(d.answerUs)) return;
  const endUs = endOf(d, c.nowUs);
  if (endUs - d.answerUs < SILENT_US) return;
  // Most calls: media runs.
  if (c.during.some((s) => s.packets >= LEAST_PACKETS && s.lastUs >= d.answerUs)) return;
  const { failed } = c.ice();
  if (failed === null || c.unseen.some((u) => u.sentPackets > 0) || c.sharesMedia()) return;
  if (endUs - failed.worst.firstUs < SILENT_US) return;
  if (areInForce(d, failed.ends, endUs)) f.hints.push({ finding: 'ice-failed', text: textOf(d, failed) });
}

/** Both ends agreed to talk, and no branch that lost is one of them. */
function areInForce(d: Dialog, ends: readonly IceEnd[], atUs: number): boolean {
  const last = [...agreements(d.sdp ?? [])].findLast(({ answeredUs }) => answeredUs <= atUs);
  if (last === undefined || !last.bySide.every((said) => said.at(-1)?.media.some(isTalk) === true)) return false;
  const said = last.bySide.flat();
  // What rang before the answer may be a branch that lost.
  const final = said.filter((e) => !e.isOffer && e.tsUs >= d.answerUs);
  const valid = final.length === 0 ? said : [...said.filter((e) => e.isOffer), ...final];
  const named = new Set(valid.flatMap(({ media }) => media.map(({ address }) => address)));
  return ends.every(({ candidates }) => candidates.some(({ address }) => named.has(address)));
}

/** What the checks of a call came to: nothing where it has none, or one succeeded. */
export function judgeIce(d: Dialog, stun: StunKnowledge, messages: readonly CallMessage[]): IceVerdict {
  const checks = checksOf(d, stun);
  if (checks.length === 0) return { failed: null, mayRunElsewhere: false };
  const tried = checks.filter((c) => c.sent >= LEAST_CHECKS && c.lastUs - c.firstUs >= LEAST_US);
  const ends = iceEnds(messages);
  let mayBeElsewhere = ends === null;
  const endsOf = new Map<IceCheck, IceEnd[]>();
  const hosts = new Set(checks.map(({ src, dst }) => betweenText(endpointKeyAddress(src), endpointKeyAddress(dst))));
  const proven = tried.filter((check) => {
    const [from, to] = [endpointKeyAddress(check.src), endpointKeyAddress(check.dst)];
    const asked = endAt(ends, to);
    const asking = endAt(ends, from) ?? ends?.find(({ host }) => host === from);
    if (asked === undefined || asking === undefined || asked === asking) return false;
    if (mayRunElsewhere(asking, asked, (a, b) => hosts.has(betweenText(a, b)) || hosts.has(betweenText(b, a)))) {
      mayBeElsewhere = true;
      return false;
    }
    endsOf.set(check, [asking, asked]);
    return check.errors > 0 || hosts.has(betweenText(to, from)) || signals(messages, to, from);
  });
  const refused = proven.filter(({ errors }) => errors > 0);
  const worst = mostTried(refused.length > 0 ? refused : proven);
  if (worst === null || mayBeElsewhere) return { failed: null, mayRunElsewhere: mayBeElsewhere };
  const back = checks.find((c) => c.src === worst.dst && c.dst === worst.src && c.sent >= LEAST_CHECKS) ?? null;
  const isOwn = (c: IceCheck): boolean => c === worst || (c.src === worst.dst && c.dst === worst.src);
  const others = tried.filter((c) => !isOwn(c)).length;
  return { failed: { worst, back, others, ends: endsOf.get(worst) ?? [] }, mayRunElsewhere: false };
}

/** All that were sent while the call lasted; none where one succeeded, where some are not kept, or began before. */
function checksOf(d: Dialog, { ice }: StunKnowledge): IceCheck[] {
  const found = new Set<IceCheck>();
  if (ice.goneUs >= d.createdUs) return [];
  for (const key of d.claimedKeys.slice(0, MAX_ICE_SOCKETS)) {
    const checks = ice.at(key);
    if (checks === null) return [];
    for (const check of checks) {
      if (check.answeredUs >= d.createdUs) return [];
      if (check.lastUs >= d.createdUs && !(check.firstUs > d.endedUs)) found.add(check);
    }
  }
  const all = [...found];
  return all.every(({ firstUs }) => firstUs >= d.createdUs) ? all : [];
}

function betweenText(from: string, to: string): string {
  return `${from} ${to}`;
}

function endAt(ends: readonly IceEnd[] | null, address: string): IceEnd | undefined {
  return ends?.find(({ candidates }) => candidates.some((c) => c.address === address));
}

/** SIP of one host reached the other here, and no agent only told so. */
function signals(messages: readonly CallMessage[], from: string, to: string): boolean {
  return messages.some(({ src, dst, origin }) => origin !== MIRROR && src.host === from && dst.host === to);
}

function mostTried(checks: readonly IceCheck[]): IceCheck | null {
  return checks.reduce<IceCheck | null>((most, c) => (most === null || c.sent > most.sent ? c : most), null);
}

function textOf(d: Dialog, { worst, back, others }: FailedIce): string {
  const [src, dst] = [worst.src, worst.dst].map((key) => who(d, key));
  const sec = ((worst.lastUs - worst.firstUs) / 1e6).toFixed(1);
  const checks = `${counted(worst.sent, 'ICE check')} from ${src} in ${sec} s`;
  const more = others === 0 ? '' : ` ${counted(others, 'further way')} failed too.`;
  if (worst.errors > 0)
    return `ICE failed: ${dst} answered ${checks} with ${errorText(worst)} and with no success; no media ran.${more}`;
  const own = back === null || back.errors > 0 ? '' : `, and none of its own ${back.sent} was answered`;
  return `ICE failed: ${dst} answered none of ${checks}${own}; no media ran.${more}`;
}

function errorText({ errors, errorCode }: IceCheck): string {
  const times = counted(errors, 'error');
  if (errorCode === 401) return `${times} (401: it does not know the user or password)`;
  if (errorCode === ROLE_CONFLICT) return `${times} (487: both sides take the same role)`;
  return errorCode === null ? times : `${times} (${errorCode})`;
}

/** The socket, with the role of who named it. */
function who(d: Dialog, key: EndpointKey): string {
  const socket = endpointKeyText(key);
  const address = endpointKeyAddress(key);
  const sides = new Set((d.sdp ?? []).filter((e) => e.media.some((m) => m.address === address)).map((e) => e.side));
  const [side] = sides;
  return sides.size !== 1 ? socket : `the ${side === 0 ? 'caller' : 'callee'} ${socket}`;
}
