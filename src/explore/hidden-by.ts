/**
 * What could hide the call that an answer lacks: the span and the filter that were asked, what the capture did not see, and
 * what it did not keep. Each line says what was found and what to do.
 */

import { capturedText } from '../analysis/captured-at.ts';
import { nearest } from '../config/spelling.ts';
import type { HiddenBy } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import type { Steps } from '../core/turns.ts';
import type { Filter, Node, Term } from '../query/filter.ts';
import { printFilter } from '../query/print.ts';
import type { Figures } from '../view/figures.ts';
import { LOSSES } from '../view/loss-table.ts';
import { toStats } from '../view/stats.ts';
import { passingSteps } from './chosen.ts';
import type { CallsQuestion } from './question.ts';

/** Losses of HEP that end when an option here is another one. */
const BY_OPTIONS: ReadonlySet<string> = new Set(['hep_not_allowed', 'hep_auth_failed']);

/** Names that a misspelt one is compared with, and terms that are left out in turn. */
const COMPARED = 20_000;
const COMPARED_AT_ONCE = 64;
const TERMS_TRIED = 8;
/** Slips of a finger in a number or a Call-ID; numbers of one trunk differ in a few digits anyway. */
const MISTYPED = 2;
/** A number is the same when so many of its last digits are. */
const SAME_DIGITS = 7;

const NO_TIMING = { pdd_p50_ms: null, pdd_p95_ms: null, pdd_p99_ms: null };

/** The likeliest first. */
export function* hiddenBySteps(f: Figures, { filter }: CallsQuestion): Steps<HiddenBy[]> {
  const found = [...unseen(f)];
  yield;
  if (filter !== null) found.unshift(...(yield* askedElse(f, filter)));
  found.push(yield* spanSteps(f));
  return found;
}

/** What the capture did not see, or did not keep. */
function* unseen(f: Figures): Generator<HiddenBy> {
  const stats = toStats(f, NO_TIMING);
  const { capture_quality: lost, caveats, losses } = stats;
  const ports = (list: readonly { port: number; messages: number }[]): string =>
    list.map(({ port, messages }) => `${port} (${messages})`).join(', ');
  const frames = f.source.counter('frames');
  const rtp = f.evidence.stores.streams.totals().packets;
  const filtered = losses['frame_bpf_skipped'] ?? 0;
  if (frames === 0 && filtered === 0 && f.listener === null && f.tls === null)
    yield {
      what: 'no-packets',
      text: `No packet was seen${f.live === null ? '' : ` on ${f.live.interfaces.join(', ')}`}: ${elsewhere(f)}.`,
    };
  if (stats.unanalysed_sip_messages > 0)
    yield {
      what: 'port-gate',
      text: `${counted(stats.unanalysed_sip_messages, 'SIP message')} on other ports were not analysed, the busiest: ${ports(stats.unanalysed_busiest_ports)}; add them with --portrange.`,
    };
  if (stats.unanalysed_websocket_messages > 0)
    yield {
      what: 'websocket-gate',
      text: `${counted(stats.unanalysed_websocket_messages, 'WebSocket message')} on other ports were not analysed, the busiest: ${ports(stats.unanalysed_websocket_ports)}; add them with --ws-portrange.`,
    };
  if (caveats.encrypted_sip_flows > 0 && f.tls === null)
    yield {
      what: 'encrypted',
      text: `${counted(caveats.encrypted_sip_flows, 'connection')} carried TLS, which no packet shows; run calltap on the server with --uprobe.`,
    };
  if (lost.hep_rejected > 0) {
    const reasons = LOSSES.flatMap((loss) => (loss.quality === 'hep_rejected' ? [...loss.read(f)] : [])).filter(
      ([, n]) => n > 0,
    );
    const isStranger = reasons.some(([name]) => BY_OPTIONS.has(name));
    yield {
      what: 'hep-refused',
      text: `${counted(lost.hep_rejected, 'HEP packet')} were refused (${reasons.map(([name, n]) => `${name} ${n}`).join(', ')}); ${isStranger ? 'check --hep-allow and --hep-auth' : 'look at the agent that sends them'}.`,
    };
  }
  const dropped = lost.kernel_dropped_packets + lost.interface_dropped_packets + lost.queue_dropped_packets;
  if (dropped > 0)
    yield { what: 'dropped', text: `${counted(dropped, 'packet')} were dropped unread: this host was too busy.` };
  if (caveats.dialogs_evicted > 0)
    yield {
      what: 'evicted',
      text: `${counted(caveats.dialogs_evicted, 'dialog')} gave way to newer ones; raise --max-dialogs.`,
    };
  if (filtered > 0)
    yield {
      what: 'filtered',
      text: `--bpf left ${counted(filtered, 'frame')} out; in tcpdump's language an expression sees frames with a VLAN tag only after "vlan and".`,
    };
  const isSilent = f.ingest.tracker.counts.messages + stats.unanalysed_sip_messages === 0;
  if (isSilent && rtp > 0)
    yield {
      what: 'only-rtp',
      text: `${counted(rtp, 'RTP packet')} and no SIP passed here: the signaling takes another way.`,
    };
  if (isSilent && rtp === 0 && frames > 0 && caveats.encrypted_sip_flows === 0) yield noSip(f, frames);
  if (lost.undecodable_frames > 0)
    yield {
      what: 'undecodable',
      text: `${counted(lost.undecodable_frames, 'frame')} could not be decoded; /v1/stats names why.`,
    };
}

/** Packets came, but nothing of a call: another interface, or another host. */
function noSip(f: Figures, frames: number): HiddenBy {
  const where = f.live === null ? 'were read' : `passed ${f.live.interfaces.join(', ')}`;
  return {
    what: 'no-sip',
    text: `${counted(frames, 'frame')} ${where}, and neither SIP nor RTP was in them: ${elsewhere(f)}.`,
  };
}

function elsewhere({ live }: Figures): string {
  if (live === null) return 'the calls take another way';
  return live.interfaces.includes('any')
    ? 'no call was made yet, or the calls take another way'
    : 'capture from all interfaces with -d any';
}

function* spanSteps(f: Figures): Steps<HiddenBy> {
  const steps = f.evidence.capture.clockSteps;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let size = 0;
  yield* passingSteps(f.evidence, null, (d) => {
    size++;
    first = Math.min(first, d.createdUs);
    last = Math.max(last, d.updatedUs);
  });
  return {
    what: 'span',
    text:
      size === 0
        ? 'No dialog was seen.'
        : `${counted(size, 'dialog')} were looked at, from ${capturedText(first, steps)} to ${capturedText(last, steps)}.`,
  };
}

/** The terms that all must hold. */
function termsOf(filter: Node): readonly Node[] {
  return filter.kind === 'and' ? filter.of : [filter];
}

/** What was perhaps meant, and which part of the filter leaves the calls out. */
function* askedElse(f: Figures, filter: Node): Steps<HiddenBy[]> {
  const found: HiddenBy[] = [];
  const terms = termsOf(filter);
  for (const term of terms) {
    const near = term.kind === 'term' ? yield* nearTerm(f, term) : null;
    if (near !== null) found.push(near);
  }
  if (terms.length < 2) return found;
  const isTime = (term: Node): boolean => term.kind === 'term' && (term.key === 'since' || term.key === 'until');
  const timesFirst = [...terms.filter(isTime), ...terms.filter((term) => !isTime(term))];
  for (const left of timesFirst.slice(0, TERMS_TRIED)) {
    const n = yield* count(f, { kind: 'and', of: terms.filter((term) => term !== left) });
    if (n > 0)
      found.push({
        what: isTime(left) ? 'span' : 'elsewhere',
        text: `Without ${printFilter(left)} the filter finds ${counted(n, 'call')}.`,
      });
  }
  return found;
}

function* count(f: Figures, filter: Filter): Steps<number> {
  let n = 0;
  yield* passingSteps(f.evidence, filter, () => {
    n++;
  });
  return n;
}

const NAMES: ReadonlySet<string | null> = new Set(['from', 'to', 'user', 'number', 'callid', 'display', null]);

/** A user, number or Call-ID that is nearly what a term asks for. */
function* nearTerm(f: Figures, { key, values }: Term): Steps<HiddenBy | null> {
  const [value] = values;
  if (!NAMES.has(key) || values.length !== 1 || value === undefined || value.isExpression || value.text === '')
    return null;
  const { text } = value;
  const known = new Set<string>();
  yield* passingSteps(f.evidence, null, (d) => {
    if (known.size >= COMPARED) return;
    if (key === 'callid') known.add(d.callId);
    else for (const name of [d.from, d.to, d.fromDisplay ?? '', d.toDisplay ?? '']) if (name !== '') known.add(name);
  });
  const near = yield* nearestSteps(text, known);
  return near === null ? null : { what: 'misspelt', text: `Nobody here is ${text}; the nearest is ${near}.` };
}

/** The same number in another form, else the nearest name; null when somebody is called so, or nearly nobody. */
function* nearestSteps(text: string, known: ReadonlySet<string>): Steps<string | null> {
  const lower = text.toLowerCase();
  let same: string | null = null;
  let near: string | null = null;
  let few: string[] = [];
  for (const name of known) {
    if (name.toLowerCase() === lower) return null;
    few.push(name);
    if (few.length < COMPARED_AT_ONCE) continue;
    same ??= sameNumber(text, few);
    near = nearest(text, near === null ? few : [near, ...few], MISTYPED);
    few = [];
    yield;
  }
  same ??= sameNumber(text, few);
  return same ?? nearest(text, near === null ? few : [near, ...few], MISTYPED);
}

/** The same number in another form: +44 20…, 0044 20…, 020…. */
function sameNumber(text: string, known: readonly string[]): string | null {
  const digits = text.replace(/\D/g, '');
  if (digits.length < SAME_DIGITS) return null;
  const tail = digits.slice(-SAME_DIGITS);
  for (const name of known) if (name.replace(/\D/g, '').endsWith(tail)) return name;
  return null;
}
