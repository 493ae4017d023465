/**
 * The commands that events start: which event, and what it says.
 */

import { capturedText } from '../../analysis/captured-at.ts';
import { lastWindow, streamQuality } from '../../analysis/stream-quality.ts';
import type { Config } from '../../config/config.ts';
import type { DialogStateEvent, QualityEvent } from '../../contract/hook.ts';
import { failure } from '../../core/errors.ts';
import { DIALOG_STATES } from '../../core/words.ts';
import type { Observer } from '../../ingest/observer.ts';
import { loadNative } from '../../sources/native.ts';
import type { ClockStep } from '../../store/clock-steps.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Capture, QualityContext } from '../../store/stores.ts';
import { toDialogSummary } from '../../view/call.ts';
import type { Meter } from '../../view/figures.ts';
import { snake } from '../../view/loss-row.ts';
import type { MetricFamily } from '../../view/metrics/family.ts';
import { familyOf } from '../../view/metrics/family.ts';
import { ssrcText, toInterval, toStreamRow } from '../../view/stream-document.ts';
import { toTrunkEvent } from '../../view/trunk-change.ts';
import type { TrunkChange } from '../../watch/trunks/trunk-alarm.ts';
import { splitCommand } from './command-line.ts';
import { ExecHook } from './exec-hook.ts';

const HOOKS = ['dialog', 'quality', 'trunk'] as const;

export class Hooks implements Observer, Meter {
  readonly dialog: ExecHook | null;
  readonly quality: ExecHook | null;
  readonly trunk: ExecHook | null;
  readonly #threshold: number;
  /** Streams whose quality is below the threshold now. */
  readonly #below = new WeakSet<Stream>();
  /** Streams that were reported once, whatever they are now. */
  readonly #reported = new WeakSet<Stream>();

  /** Throws ServiceError when the command is not valid. */
  constructor(config: Config, say: (line: string) => void) {
    const hook = (flag: string, text: string | null): ExecHook | null => {
      if (text === null) return null;
      const command = splitCommand(text);
      if (!command.ok) throw failure('HOOK_INVALID', { option: flag, reason: command.reason });
      const onTrouble = (line: string): void => say(`${flag}: ${line}`);
      const { inputPipe } = loadNative();
      return new ExecHook({ command: command.value, perSecond: config.execRateLimit, inputPipe, onTrouble });
    };
    this.dialog = hook('--on-dialog-exec', config.onDialogExec);
    this.quality = hook('--on-quality-exec', config.onQualityExec);
    this.trunk = hook('--on-trunk-exec', config.onTrunkExec);
    this.#threshold = config.qualityThreshold;
  }

  /** A dialog has left state `from`. */
  onDialogState(d: Dialog, from: number, capture: Capture): void {
    const { dialog } = this;
    if (dialog === null || !dialog.admit()) return;
    const event: DialogStateEvent = {
      schema_version: 1,
      event: 'dialog_state',
      at: capturedText(d.updatedUs, capture.clockSteps),
      call_id: d.callId,
      from_state: DIALOG_STATES[from] ?? 'Trying',
      to_state: DIALOG_STATES[d.state] ?? 'Trying',
      dialog: toDialogSummary(d, capture),
    };
    dialog.run(event);
  }

  /** A trunk that has a name went down, or is up again. */
  onTrunk(change: TrunkChange, steps: readonly ClockStep[]): void {
    if (this.trunk?.admit() === true) this.trunk.run(toTrunkEvent(change, steps));
  }

  /** A window of the stream has closed: an event when its score crosses the threshold downwards. */
  onWindow(stream: Stream, { quality: context, clockSteps }: Capture): void {
    if (this.quality === null) return;
    const last = lastWindow(stream, context);
    if (last === null) return;
    const { mos } = toInterval(last.window, last.scale, last.known);
    if (typeof mos !== 'number') return;
    if (mos >= this.#threshold) this.#below.delete(stream);
    else if (!this.#below.has(stream)) {
      this.#below.add(stream);
      this.#report(stream, mos, context, clockSteps);
    }
  }

  /** The capture has ended: a stream too short for a window is judged as a whole. */
  onStreamEnd(stream: Stream, { quality: context, clockSteps }: Capture): void {
    if (this.quality === null || this.#reported.has(stream)) return;
    const mos = streamQuality(stream, context)?.mos ?? null;
    if (mos !== null && mos < this.#threshold) this.#report(stream, mos, context, clockSteps);
  }

  /** What could not be run is counted by event in the metrics. */
  losses(): [] {
    return [];
  }

  families(): MetricFamily[] {
    const samples = HOOKS.flatMap((hook) =>
      Object.entries(this[hook]?.counts ?? {}).map(([what, value]) => ({
        labels: [hook, snake(what)] as const,
        value,
      })),
    );
    return [familyOf('calltap_hook_events_total', samples)];
  }

  async drain(): Promise<void> {
    await Promise.all(HOOKS.map(async (name) => this[name]?.drain()));
  }

  close(): void {
    for (const name of HOOKS) this[name]?.close();
  }

  #report(stream: Stream, mos: number, context: QualityContext, steps: readonly ClockStep[]): void {
    this.#reported.add(stream);
    const q = streamQuality(stream, context);
    if (q === null || this.quality === null || !this.quality.admit()) return;
    const event: QualityEvent = {
      schema_version: 1,
      event: 'quality',
      at: capturedText(context.nowUs, steps),
      ssrc: ssrcText(stream.ssrc),
      mos,
      threshold: this.#threshold,
      stream: toStreamRow(stream, q),
      ...(stream.dialog === null ? {} : { call_id: stream.dialog.callId }),
    };
    this.quality.run(event);
  }
}
