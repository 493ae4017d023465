/**
 * What a server counts of calls and streams as they end, for the histograms of the metrics.
 */

import { streamQuality } from '../analysis/stream-quality.ts';
import {
  BucketCounts,
  JITTER_MS_BOUNDS,
  LOSS_PERCENT_BOUNDS,
  MOS_BOUNDS,
  PDD_SECONDS_BOUNDS,
} from '../core/counters.ts';
import type { Observer } from '../ingest/observer.ts';
import { isKeysOnly } from '../protocols/rtp/stream-figures.ts';
import type { CallOutcome } from '../store/dialogs/call-outcome.ts';
import { callOutcome } from '../store/dialogs/call-outcome.ts';
import { postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isEnded } from '../store/dialogs/dialog-state.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Capture } from '../store/stores.ts';

export class CallObservations implements Observer {
  /** Call attempts by how they ended; they never fall. */
  readonly outcomes: Record<CallOutcome, number> = {
    answered: 0,
    declined: 0,
    abandoned: 0,
    redirected: 0,
    challenged: 0,
    ineffective: 0,
    failed: 0,
  };
  readonly pddSeconds = new BucketCounts(PDD_SECONDS_BOUNDS);
  readonly mos = new BucketCounts(MOS_BOUNDS);
  readonly jitterMs = new BucketCounts(JITTER_MS_BOUNDS);
  readonly lossPercent = new BucketCounts(LOSS_PERCENT_BOUNDS);
  readonly #observesQuality: boolean;

  /** `observesQuality`: only a server shows the quality of streams, and it costs a reading of each. */
  constructor(observesQuality: boolean) {
    this.#observesQuality = observesQuality;
  }

  onDialogState(d: Dialog, from: number, capture: Capture): void {
    const outcome = callOutcome(d, from);
    if (outcome !== null) this.outcomes[outcome]++;
    // A stream becomes an object when it is asked for: 70 bytes each that only a server needs.
    if (this.#observesQuality && isEnded(d.state))
      for (const stream of capture.quality.streams.ownedBy(d)) this.onStreamEnd(stream, capture);
    if (d.isPddObserved) return;
    const pddMs = postDialDelayMs(d);
    if (pddMs === null) return;
    d.isPddObserved = true;
    this.pddSeconds.observe(pddMs / 1000);
  }

  /** One observation a stream, when its call or the capture has ended. */
  onStreamEnd(stream: Stream, { quality }: Capture): void {
    if (!this.#observesQuality || stream.isObserved) return;
    const q = streamQuality(stream, quality);
    if (q === null) return;
    stream.isObserved = true;
    if (q.mos !== null) this.mos.observe(q.mos);
    this.jitterMs.observe(q.jitterMs);
    if (!isKeysOnly(q.snapshot)) this.lossPercent.observe(q.knownLossPct);
  }
}
