/**
 * Sums of what many agents answer of themselves: statistics, figures of the moment, attackers and findings. Numbers of a hostile
 * agent stay numbers, and what it names is bounded.
 */
import type { AskAlert, AskSecurity, CaptureFinding, CaptureReport, Stats } from '../../contract/index.ts';
import { CaptureQuality, Caveats, DialogCounts, StreamCounts } from '../../contract/index.ts';
import { FINDING_SEVERITIES } from '../../core/words.ts';
import { LOSSES } from '../../view/loss-table.ts';
import type { Pulse } from '../../view/pulse.ts';
import { FLEET_ALERTS, FLEET_FINDINGS, FLEET_LOSSES } from '../limits.ts';

const PORTS = 5;
/** Of `learned_sip_sockets`: as many as an agent has at most, and the longest address and port. */
const SOCKETS = 64;
const SOCKET_CHARS = 64;
const EVIDENCE = 10;
const [LOSS_BEGINNINGS, LOSS_NAMES] = lossNames();

export function noStats(): Stats {
  return {
    schema_version: 2,
    dialogs: zeros<Stats['dialogs']>(DialogCounts.properties),
    streams: zeros<Stats['streams']>(StreamCounts.properties),
    timing: { pdd_p50_ms: null, pdd_p95_ms: null, pdd_p99_ms: null },
    capture_quality: zeros<CaptureQuality>(CaptureQuality.properties),
    caveats: zeros<Caveats>(Caveats.properties),
    losses: {},
    source: 'live',
    source_exhausted: false,
    unsaved: false,
    unanalysed_sip_messages: 0,
    unanalysed_busiest_ports: [],
    unanalysed_websocket_messages: 0,
    unanalysed_websocket_ports: [],
  };
}

/** Quantiles of many hosts cannot be made of those of each: `timing` stays null. */
export function addStats(whole: Stats, one: Stats): Stats {
  whole.dialogs = summed(whole.dialogs, one.dialogs);
  whole.streams = summed(whole.streams, one.streams);
  whole.capture_quality = summed(whole.capture_quality, one.capture_quality);
  whole.caveats = summed(whole.caveats, one.caveats);
  addLosses(whole.losses, one.losses);
  whole.unsaved ||= one.unsaved;
  whole.unanalysed_sip_messages = plus(whole.unanalysed_sip_messages, one.unanalysed_sip_messages);
  whole.unanalysed_websocket_messages = plus(whole.unanalysed_websocket_messages, one.unanalysed_websocket_messages);
  whole.unanalysed_busiest_ports = busiest([...whole.unanalysed_busiest_ports, ...one.unanalysed_busiest_ports]);
  whole.unanalysed_websocket_ports = busiest([...whole.unanalysed_websocket_ports, ...one.unanalysed_websocket_ports]);
  return whole;
}

export function noPulse(): Pulse {
  const counts = { calls: 0, active: 0, packets: 0, sipMessages: 0, dropped: 0, outside: 0 };
  return { ...counts, isDegraded: false, progress: null, nowUs: Number.NEGATIVE_INFINITY };
}

export function addPulse(whole: Pulse, one: Pulse): Pulse {
  return {
    calls: plus(whole.calls, one.calls),
    active: plus(whole.active, one.active),
    packets: plus(whole.packets, one.packets),
    sipMessages: plus(whole.sipMessages, one.sipMessages),
    dropped: plus(whole.dropped, one.dropped),
    outside: plus(whole.outside, one.outside),
    isDegraded: whole.isDegraded || one.isDegraded,
    progress: null,
    nowUs: Math.max(whole.nowUs, one.nowUs),
  };
}

export function noSecurity(): AskSecurity {
  return { schema_version: 1, is_watching: false, alerts: [] };
}

/** The newest of all. */
export function addSecurity(whole: AskSecurity, host: string, one: AskSecurity): AskSecurity {
  const at = (alert: AskAlert): number => Date.parse(alert.at);
  whole.is_watching ||= one.is_watching;
  whole.alerts = [...whole.alerts, ...one.alerts.map((alert) => ({ ...alert, host }))]
    .sort((a, b) => at(b) - at(a))
    .slice(0, FLEET_ALERTS);
  return whole;
}

export function noReport(): CaptureReport {
  return { frames_read: 0, dialogs_examined: 0, streams_examined: 0, complete: true, findings: [] };
}

/** Findings of one kind are one; of their evidence the first is shown. */
export function addReport(whole: CaptureReport, host: string, one: CaptureReport): CaptureReport {
  whole.frames_read = plus(whole.frames_read, one.frames_read);
  whole.dialogs_examined = plus(whole.dialogs_examined, one.dialogs_examined);
  whole.streams_examined = plus(whole.streams_examined, one.streams_examined);
  whole.complete &&= one.complete;
  for (const finding of one.findings) {
    const evidence = finding.evidence.map((each) => ({ ...each, host }));
    const known = whole.findings.find(({ kind }) => kind === finding.kind);
    if (known !== undefined) addFinding(known, { ...finding, evidence });
    else if (whole.findings.length < FLEET_FINDINGS) whole.findings.push({ ...finding, evidence });
    else whole.complete = false;
  }
  const rank = ({ severity }: CaptureFinding): number => FINDING_SEVERITIES.indexOf(severity);
  whole.findings.sort((a, b) => rank(a) - rank(b) || b.occurrences - a.occurrences);
  return whole;
}

function addFinding(known: CaptureFinding, { occurrences, evidence, evidence_omitted }: CaptureFinding): void {
  const all = [...known.evidence, ...evidence];
  known.occurrences = plus(known.occurrences, occurrences);
  known.evidence = all.slice(0, EVIDENCE);
  known.evidence_omitted = plus(known.evidence_omitted, evidence_omitted + Math.max(0, all.length - EVIDENCE));
}

type Counts = Readonly<Record<string, number | boolean | readonly string[] | undefined>>;

/** Nothing of what a schema of counts, flags and lists of sockets names. */
function zeros<T extends Counts>(properties: { readonly [K in keyof T]: object }): T {
  const rows = Object.entries<object>(properties).map(([name, schema]) => [name, nothingOf(schema)]);
  // The keys are those of the schema, and so are the kinds of values.
  return Object.fromEntries(rows) as T;
}

function nothingOf(schema: object): number | boolean | readonly string[] {
  const type = 'type' in schema ? schema.type : null;
  return type === 'boolean' ? false : type === 'array' ? [] : 0;
}

/** Names that this version does not know stay away. */
function addLosses(whole: Record<string, number>, one: Readonly<Record<string, number>>): void {
  for (const [name, lost] of Object.entries(one)) {
    const known = Object.hasOwn(whole, name) ? (whole[name] ?? 0) : null;
    if (known === null && (Object.keys(whole).length >= FLEET_LOSSES || !isLoss(name))) continue;
    whole[name] = plus(known ?? 0, lost);
  }
}

/** Some rows of the table begin names: `frame_*`. */
function lossNames(): readonly [beginnings: readonly string[], names: ReadonlySet<string>] {
  const names = LOSSES.map(({ name }) => name);
  return [names.flatMap((name) => (name.endsWith('*') ? [name.slice(0, -1)] : [])), new Set(names)];
}

function isLoss(text: string): boolean {
  return LOSS_NAMES.has(text) || LOSS_BEGINNINGS.some((beginning) => text.startsWith(beginning));
}

/** Each number of `whole` with that of `one`. */
function summed<T extends Counts>(whole: T, one: T): T {
  const rows = Object.entries(whole).map(([name, value]) => {
    const other = Object.hasOwn(one, name) ? one[name] : undefined;
    if (typeof value === 'boolean') return [name, value || other === true];
    if (typeof value === 'object') return [name, Array.isArray(other) ? joined(value, other) : value];
    return [name, typeof other === 'number' ? plus(value ?? 0, other) : value];
  });
  // The keys and kinds of values are those of `whole`.
  return Object.fromEntries(rows) as T;
}

/** Names of sockets, each once, that an agent may have made up. */
function joined(whole: readonly string[], more: readonly unknown[]): readonly string[] {
  const names = more.filter((name) => typeof name === 'string').map((name) => name.slice(0, SOCKET_CHARS));
  return [...new Set([...whole, ...names])].slice(0, SOCKETS);
}

function plus(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

function busiest(ports: Stats['unanalysed_busiest_ports']): Stats['unanalysed_busiest_ports'] {
  const byPort = new Map<number, number>();
  for (const { port, messages } of ports) byPort.set(port, plus(byPort.get(port) ?? 0, messages));
  return [...byPort]
    .map(([port, messages]) => ({ port, messages }))
    .sort((a, b) => b.messages - a.messages)
    .slice(0, PORTS);
}
