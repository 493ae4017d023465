/**
 * Finds calls whose connectivity checks all failed (RFC 8445 section 7): unanswered or refused, while the call is up and no
 * media runs; or those of one side alone, which gets media and sends none.
 *
 * A check that succeeded ends the matter, and so does media. Silence counts only where this capture sees what the silent host
 * sends to the one that asks, and where no other pair of their candidates can carry media unseen.
 */
import { counted } from '../../core/counted.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IceCheck } from '../../store/media/ice-checks.ts';
import type { MediaFindings } from '../findings.ts';
import { agreements, isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import type { IceEnd } from './ice-candidates.ts';
import type { FailedIce } from './ice-verdict.ts';
import { endOf, LEAST_PACKETS } from './stop.ts';

/** An answered call that is silent for so long. */
const SILENT_US = 5_000_000;
const ROLE_CONFLICT = 487;

export function checkIce(c: MediaCase, f: MediaFindings): void {
  const { d } = c;
  if (!c.isRtpCaptured || Number.isNaN(d.answerUs)) return;
  const endUs = endOf(d, c.nowUs);
  if (endUs - d.answerUs < SILENT_US) return;
  // Most calls: media runs both ways.
  const running = c.during.filter((s) => s.packets >= LEAST_PACKETS && s.lastUs >= d.answerUs);
  const silent = running.length === 0 ? null : silentHost(c, running);
  if (running.length > 0 && silent === null) return;
  const { failed } = silent === null ? c.ice() : c.iceOf(silent);
  if (failed === null || c.unseen.some((u) => u.sentPackets > 0) || c.sharesMedia()) return;
  if (endUs - failed.worst.firstUs < SILENT_US) return;
  if (areInForce(d, failed.ends, endUs))
    f.hints.push({ finding: 'ice-failed', text: textOf(d, failed, silent !== null) });
}

/** The one host that gets audio and sends none, from the other or from a relay; null where there is none, or several. */
function silentHost({ audio }: MediaCase, running: readonly MediaStream[]): string | null {
  if (!running.every((s) => audio.includes(s) && !s.hasReverse)) return null;
  const senders = new Set(running.map((s) => endpointKeyAddress(s.stream.srcKey)));
  const receivers = new Set(running.map((s) => endpointKeyAddress(s.stream.dstKey)));
  const silent = [...receivers].filter((host) => !senders.has(host));
  return silent.length === 1 ? (silent[0] ?? null) : null;
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

function textOf(d: Dialog, { worst, back, others }: FailedIce, isOneWay: boolean): string {
  const [src, dst] = [worst.src, worst.dst].map((key) => who(d, key));
  const sec = ((worst.lastUs - worst.firstUs) / 1e6).toFixed(1);
  const checks = `${counted(worst.sent, 'ICE check')} from ${src}${sec === '0.0' ? '' : ` in ${sec} s`}`;
  const ran = isOneWay ? `${src} sent no media` : 'no media ran';
  const more = others === 0 ? '' : ` ${counted(others, 'further way')} failed too.`;
  if (worst.errors > 0)
    return `ICE failed: ${dst} answered ${checks} with ${errorText(worst)} and with no success; ${ran}.${more}`;
  const own = back === null || back.errors > 0 ? '' : `, and none of its own ${back.sent} was answered`;
  return `ICE failed: ${dst} answered none of ${checks}${own}; ${ran}.${more}`;
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
  return sides.size !== 1 ? socket : `${socket} (the ${side === 0 ? 'caller' : 'callee'})`;
}
