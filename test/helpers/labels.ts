/** Two ways to say what is true of the calls of captures: deeds.jsonl beside them, and fixtures/diagnosis-truth.tsv. */

import type { FindingRow } from '../../src/analysis/finding-row.ts';
import { CALL_FINDINGS } from '../../src/analysis/finding-table.ts';

export type Label = {
  readonly origin: string;
  readonly isHealthy: boolean;
  readonly must: readonly string[];
  readonly may: readonly string[];
  readonly note: string;
  /** Loss is what a count of the same frames says, not the label. */
  readonly isMeasured: boolean;
};

/** By capture, then by Call-ID. */
export type Labels = ReadonlyMap<string, ReadonlyMap<string, Label>>;

type Deed = {
  readonly capture: string;
  readonly call_id: string;
  readonly healthy: boolean;
  readonly should: readonly string[];
  readonly may: readonly string[];
  readonly note: string;
  readonly kind?: string;
  /** The programs that made it. */
  readonly source: string;
  /** False: who set the label has judged how the media sounds as well. */
  readonly auto?: boolean;
};

/** How media sounds is measured, not done: these are held only against a label that speaks of them. */
const SOUND = ['jitter', 'late-packets', 'poor-audio'];
/** What explains a fault: on a faulty call these are held only against a label that speaks of them, for it may be older. */
const EXPLAINING = Object.entries<FindingRow>(CALL_FINDINGS).flatMap(([name, { v1 }]) =>
  v1 === undefined ? [name] : [],
);
/** In per cent: loss that a diagnosis must name, and loss that it may name. Its own threshold lies between them. */
const LOSS = { must: 1.1, may: 0.8 };

/** A line a call and tap, made by who did the deed: `capture` is a file's name without its ending. */
export function readDeeds(text: string): Labels {
  const labels = new Map<string, Map<string, Label>>();
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const { capture, call_id, healthy, should, may, note, source, auto } = deedOf(line, i + 1);
    const isMeasured = auto !== false && !should.includes('packet-loss') && !may.includes('packet-loss');
    const sound = auto === false ? [] : SOUND.filter((name) => !should.includes(name));
    // Who says that something is wrong, or may be, may have known no better word.
    const isTold = !healthy || should.length > 0 || may.length > 0;
    const later = isTold ? EXPLAINING.filter((name) => !should.includes(name)) : [];
    const told = {
      origin: source,
      isHealthy: healthy,
      must: should,
      may: [...may, ...sound, ...later],
      note,
      isMeasured,
    };
    label(labels, capture, call_id, told);
  }
  return labels;
}

function deedOf(line: string, number: number): Deed {
  let deed: Partial<Deed>;
  try {
    deed = JSON.parse(line) as Partial<Deed>;
  } catch {
    throw new Error(`deeds.jsonl, line ${number}: no JSON`);
  }
  const { capture, call_id, should, may } = deed;
  if (capture === undefined || call_id === undefined || !Array.isArray(should) || !Array.isArray(may))
    throw new Error(`deeds.jsonl, line ${number}: needs capture, call_id, should and may`);
  return {
    healthy: should.length === 0,
    source: capture,
    ...deed,
    note: remarked(deed.note, deed.kind),
    capture,
    call_id,
    should,
    may,
  };
}

/** What was done, without what is said of the label itself; else the kind of the call. */
function remarked(note = '', kind = ''): string {
  const deed = note.replace(/ \[label: .*$/, '');
  return deed === '' ? kind : deed;
}

/** The label with the loss of the call's streams, in per cent; undefined for a stream that was not measured. */
export function withLoss(label: Label, streams: readonly (number | undefined)[]): Label {
  if (!label.isMeasured) return label;
  const worst = Math.max(0, ...streams.map((pct) => pct ?? 0));
  if (worst >= LOSS.must) return { ...label, isHealthy: false, must: [...label.must, 'packet-loss'] };
  const isOpen = worst >= LOSS.may || streams.includes(undefined);
  return isOpen ? { ...label, may: [...label.may, 'packet-loss'] } : label;
}

/** Capture, Call-ID (percent-encoded: it may hold anything), names, note. A call that is not there has nothing. */
export function readTruth(text: string): Labels {
  const labels = new Map<string, Map<string, Label>>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [capture = '', callId = '', names = '', note = ''] = line.split('\t');
    const told = { origin: capture, isHealthy: false, must: names.split(','), may: [], note, isMeasured: false };
    label(labels, capture, decodeURIComponent(callId), told);
  }
  return labels;
}

function label(labels: Map<string, Map<string, Label>>, capture: string, callId: string, said: Label): void {
  const calls = labels.get(capture) ?? new Map<string, Label>();
  calls.set(callId, said);
  labels.set(capture, calls);
}
