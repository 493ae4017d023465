/** Finds a call of the ring by its Call-ID, and says by what its frames are found. */
import type { Steps } from '../../core/turns.ts';
import type { IndexedCall } from '../../history/rows.ts';
import { textOf } from '../stored/call-of-row.ts';
import type { Ring, RingFile } from './ring.ts';
import type { ChunkedFile, SpanPlan } from './spans.ts';
import { planOf } from './spans.ts';
import type { Wanted } from './wanted.ts';
import { wantedOf } from './wanted.ts';

/** Calls that were found or shown, which are found again at once. @cap */
const HISTORY_KNOWN = 4_096;

export type OldCall = { readonly file: RingFile; readonly call: IndexedCall };

/** Frames of files lie a little around the times of calls. */
const BESIDE_US = 5_000_000;

export class OldCalls {
  readonly #ring: Ring;
  readonly #known = new Map<string, OldCall>();

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Somebody was shown it, and may ask for it. */
  note({ file, call }: OldCall): void {
    const callId = textOf(call.row['call_id']);
    this.#known.delete(callId);
    this.#known.set(callId, { file, call });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= HISTORY_KNOWN) return;
      this.#known.delete(oldest);
    }
  }

  /** The newest one with this Call-ID; null without one. */
  *findSteps(callId: string): Steps<OldCall | null> {
    const files = yield* this.#ring.filesSteps();
    const known = this.#known.get(callId);
    if (known?.file.index.isClosed && files.includes(known.file)) return known;
    for (const file of files) {
      yield;
      if (!file.index.mayHoldCallId(callId)) continue;
      const found: OldCall[] = [];
      yield* this.#ring.rowsSteps(file, (call) => {
        if (call.row['call_id'] === callId) found.push({ file, call });
        return found.length > 0;
      });
      const [one] = found;
      if (one === undefined) continue;
      this.note(one);
      return one;
    }
    return null;
  }

  /** Its document as the index has it; an empty object where it has none. */
  documentOf({ file, call }: OldCall): Readonly<Record<string, unknown>> {
    const found = file.index.document(call);
    return found.ok ? found.value : {};
  }

  wantedOf(old: OldCall): Wanted {
    return wantedOf(old.call, this.documentOf(old));
  }

  /** What is read of the files of the ring for some calls. */
  *planSteps(all: readonly OldCall[], wanted: readonly Wanted[]): Steps<SpanPlan> {
    const files = yield* this.#ring.filesSteps();
    const from = Math.min(...all.map(({ call }) => call.startUs)) - BESIDE_US;
    const to = Math.max(...all.map(({ call }) => call.endUs)) + BESIDE_US;
    const chunked: ChunkedFile[] = [];
    const gone: string[] = [];
    const known = new Set<string>();
    for (const file of files) {
      const { index } = file;
      const { fromUs, toUs } = index.frames();
      yield;
      if (toUs < from || fromUs > to) continue;
      const found = this.#ring.captureOf(file);
      if ('reason' in found) gone.push(`${found.reason}.`);
      // Two indexes of one capture would give its frames twice.
      else if (!known.has(found.path)) {
        known.add(found.path);
        chunked.push({ path: found.path, bytes: index.footer?.captureBytes ?? found.bytes, chunks: index.chunks() });
      }
    }
    const plan = planOf(chunked, wanted);
    return { ...plan, lacks: [...plan.lacks, ...gone] };
  }
}

/** Of what began so much earlier the memory has a part alone: a run began, or forgot, in the middle of the call. */
const EARLIER_US = 1_000_000;

/** Whether the memory has a call of the ring with the same Call-ID: they were at the same time, and it has the begin too. */
export function isSameCall(old: IndexedCall, createdUs: number, updatedUs: number): boolean {
  return old.startUs <= updatedUs && old.endUs >= createdUs && old.startUs >= createdUs - EARLIER_US;
}
