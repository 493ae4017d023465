/**
 * Where captured content goes besides the stores: the file of -O after its persistence gate, and the HEP mirror of -H.
 */
import { hostname } from 'node:os';
import type { Split } from '../export/capture-file.ts';
import { OutputFile } from '../export/capture-file.ts';
import { PersistenceGate } from '../export/persistence-gate.ts';
import type { Meter, Written } from '../view/figures.ts';
import { snake } from '../view/loss-row.ts';
import type { MetricFamily } from '../view/metrics-snapshot.ts';
import { counterFamily } from '../view/metrics-snapshot.ts';
import { HEP_OUT_COUNTERS, HEP_OUT_LOSSES, HepOut } from './hep-out/hep-out.ts';

export type OutputOptions = {
  /** -O */
  readonly output: string | null;
  readonly split: Split | null;
  readonly keep: number | null;
  /** -H */
  readonly hepSend: { readonly host: string; readonly port: number } | null;
  readonly hepId: number;
  readonly hepNode: string | null;
  readonly hepSendAuth: string | null;
};

const NEVER: Split = { bytes: 0, seconds: 0 };
/** What the mirror still has to send when a file has been read gets this long. */
const DRAIN_MS = 1_000;
const TICK_MS = 1_000;

export class Outputs implements Meter {
  readonly gate: PersistenceGate;
  readonly mirror: HepOut | null;
  readonly #options: OutputOptions;
  readonly #say: (line: string) => void;
  #file: OutputFile | null = null;
  #clock: NodeJS.Timeout | null = null;
  /** Messages of troubles that are over. */
  #mirrorLost = 0;

  /** `say` is given lines for people, without their end. */
  constructor(options: OutputOptions, say: (line: string) => void) {
    this.#options = options;
    this.#say = say;
    this.gate = new PersistenceGate(options.output !== null, (isEnabled) => this.#file?.setEnabled(isEnabled));
    const { hepSend, hepId, hepNode, hepSendAuth } = options;
    this.mirror =
      hepSend === null
        ? null
        : new HepOut({
            ...hepSend,
            agentId: hepId,
            nodeName: hepNode ?? hostname(),
            ...(hepSendAuth !== null && { authKey: hepSendAuth }),
            onTrouble: (reason) => this.#sayMirror(reason),
          });
  }

  /** Opens what the options name; before the capture starts and after privileges are given up. Throws ServiceError. */
  async open(inputs: readonly string[]): Promise<OutputFile | null> {
    const { output, split, keep } = this.#options;
    await this.mirror?.start();
    if (output === null) return null;
    this.#file = OutputFile.open(output, split ?? NEVER, inputs, keep ?? 0);
    this.#file.setEnabled(this.gate.isEnabled);
    this.#clock = setInterval(() => this.#tick(), TICK_MS);
    this.#clock.unref();
    return this.#file;
  }

  get file(): OutputFile | null {
    return this.#file;
  }

  /** -O was given, whether the gate is open or not. */
  get isSaved(): boolean {
    return this.#options.output !== null;
  }

  /** The file that content reaches right now, null while none does. */
  get writingTo(): string | null {
    return this.gate.isEnabled ? (this.#file?.name ?? null) : null;
  }

  get written(): Written | null {
    const file = this.#file;
    return file === null ? null : { name: file.name, frames: file.counter('frames'), losses: file.losses() };
  }

  *losses(): ReturnType<Meter['losses']> {
    const { mirror } = this;
    if (mirror !== null) for (const name of HEP_OUT_LOSSES) yield [`hep_out_${snake(name)}`, mirror.counters.get(name)];
    for (const [reason, count] of this.#file?.losses() ?? []) yield [`output_${reason}`, count];
  }

  /** Zero where the option is not given: a dashboard needs no exceptions. */
  families(): MetricFamily[] {
    return [
      counterFamily(
        'calltap_hep_out_total',
        'Packets of the HEP mirror, by what became of them.',
        'event',
        HEP_OUT_COUNTERS.map((name) => [snake(name), this.mirror?.counters.get(name) ?? 0] as const),
      ),
      counterFamily(
        'calltap_output_total',
        'Frames and files of -O, by what became of them.',
        'event',
        this.#file?.counts() ?? [],
      ),
    ];
  }

  /** SIGHUP: after logrotate moved the file away. */
  reopen(): void {
    this.#file?.reopen();
    // The capture threads tick once a second; an operator should not wait for it.
    this.#tick();
  }

  /** Lets the mirror send what it holds, for a short time. */
  async drain(): Promise<void> {
    await this.mirror?.drain(DRAIN_MS);
  }

  /** After the captures are closed. Idempotent. */
  close(): void {
    if (this.#clock !== null) clearInterval(this.#clock);
    this.#clock = null;
    this.mirror?.close();
    this.#file?.close();
  }

  /** Which messages the collector misses is not known before it is well again. */
  #sayMirror(reason: string | null): void {
    const { hepSend } = this.#options;
    if (hepSend === null || this.mirror === null) return;
    const { counters } = this.mirror;
    const lost = HEP_OUT_LOSSES.reduce((sum, name) => sum + counters.get(name), 0);
    const what =
      reason === null
        ? `mirrored again; ${lost - this.#mirrorLost} messages were lost meanwhile`
        : `${reason}; trying again and counting lost messages`;
    if (reason === null) this.#mirrorLost = lost;
    const host = hepSend.host.includes(':') ? `[${hepSend.host}]` : hepSend.host;
    this.#say(`-H ${host}:${hepSend.port}: ${what}`);
  }

  #tick(): void {
    for (const line of this.#file?.tick() ?? []) this.#say(line);
  }
}
