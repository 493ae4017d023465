/**
 * Where captured content goes besides the stores: the file of -O, or the files of calls, after the persistence gate, the HEP
 * mirror of -H, the store of --ship, and the indexes of calls beside the files of -O.
 */

import type { Config } from '../config/config.ts';
import type { Keep, Split } from '../config/option-value.ts';
import { keptFiles } from '../config/option-value.ts';
import { filterOf, isLive, keepsHistory } from '../config/run-kind.ts';
import { failure } from '../core/errors.ts';
import { faults } from '../core/faults.ts';
import type { CallsOfTime } from '../explore/captures.ts';
import { questionOf } from '../explore/question.ts';
import { AnonymizedCalls } from '../export/anonymize/anonymized-calls.ts';
import type { AnonymizeConfig, Anonymizing } from '../export/anonymize/anonymizing.ts';
import { anonymizingOf } from '../export/anonymize/anonymizing.ts';
import { CALL_FILE_LOSSES, CallFiles } from '../export/call-files.ts';
import { CallSplit } from '../export/call-split.ts';
import { OutputFile } from '../export/capture-file.ts';
import { PersistenceGate } from '../export/persistence-gate.ts';
import { laterKey } from '../query/known-at-start.ts';
import type { Meter, Written } from '../view/figures.ts';
import type { MetricFamily } from '../view/metrics/family.ts';
import { countsOf } from '../view/metrics/family.ts';
import type { HepOut } from './hep-out/hep-out.ts';
import type { MirrorOptions } from './hep-out/mirror.ts';
import { createMirror, lossesOf, mirrorFamilies } from './hep-out/mirror.ts';
import { History } from './history/history.ts';
import type { ReadBackOptions } from './read-back.ts';
import type { Shipper } from './ship/key.ts';
import { shipperOf } from './ship/key.ts';
import type { ShippingOptions } from './ship/shipping.ts';
import { Shipping } from './ship/shipping.ts';

export type OutputOptions = ReadBackOptions &
  MirrorOptions &
  ShippingOptions &
  Pick<Config, 'noHistory' | 'device' | 'hepListen' | 'uprobe'> & {
    /** -O */
    readonly output: string | null;
    readonly split: Split | null;
    /** Which calls get a file, with --split call. */
    readonly filter: string | null;
    readonly calls: boolean;
    readonly utc: boolean;
    readonly keep: Keep | null;
  } & AnonymizeConfig;

/** Sees calls, and keeps their rows. */
export type CallKeeper = Pick<History, 'observers' | 'begin'> & { finish(): Promise<unknown> };

const NEVER: Split = { bytes: 0, seconds: 0, isByCall: false };
/** What the mirror still has to send when a file has been read gets this long. */
const DRAIN_MS = 1_000;
/** The same of rows for the store. */
const SHIP_MS = 10_000;
const TICK_MS = 1_000;

export class Outputs implements Meter {
  readonly gate: PersistenceGate;
  readonly mirror: HepOut | null;
  readonly shipping: Shipping | null;
  readonly history: History | null;
  /** What keeps calls beside files: the history, or what builds the indexes of files that are read. */
  readonly keeper: CallKeeper | null;
  readonly #options: OutputOptions;
  readonly #say: (line: string) => void;
  /** Chooses the frames of calls; null without --split call. */
  readonly calls: CallSplit | null;
  #callFiles: CallFiles | null = null;
  #anonymizing: Anonymizing | null = null;
  /** Stands before the files of calls with --anonymize. */
  #anonymized: AnonymizedCalls | null = null;
  #file: OutputFile | null = null;
  #clock: NodeJS.Timeout | null = null;

  /** `say` is given lines for people, without their end. Throws ServiceError. */
  constructor(options: OutputOptions, say: (line: string) => void, builder: CallKeeper | null = null) {
    this.#options = options;
    this.#say = say;
    // Each of them lets content reach the disk.
    const isAuthorized = options.output !== null || options.hepSpool !== null || options.ship !== null;
    this.gate = new PersistenceGate(isAuthorized, (isEnabled) => {
      this.#file?.setEnabled(isEnabled);
      this.#callFiles?.setEnabled(isEnabled);
      this.history?.setEnabled(isEnabled);
    });
    this.calls = options.split?.isByCall === true ? callSplit(options) : null;
    this.mirror = createMirror(options, () => this.gate.isEnabled, say);
    const shipper = shipperOf(options.shipHost, Date.now());
    this.history = keepsHistory(options) ? historyOf(options, shipper, this.gate, say) : null;
    this.keeper = builder ?? this.history;
    this.shipping =
      options.ship === null
        ? null
        : new Shipping(options, shipper, this.history?.take ?? null, () => this.gate.isEnabled, say);
  }

  /** Opens what the options name; before the capture starts and after privileges are given up. Throws ServiceError. */
  async open(inputs: readonly string[]): Promise<OutputFile | null> {
    const { output, split, keep } = this.#options;
    await this.mirror?.start();
    this.shipping?.open();
    if (output === null) return null;
    if (this.calls !== null) {
      this.#callFiles = new CallFiles(output);
      this.#callFiles.setEnabled(this.gate.isEnabled);
      if (this.#options.anonymize !== null) this.#anonymized = new AnonymizedCalls(this.#callFiles, this.anonymizing());
      this.calls.writeTo(this.#anonymized ?? this.#callFiles);
    } else {
      const kept = keep === null ? 0 : keptFiles(keep, split ?? NEVER);
      const as = this.#options.anonymize === null ? null : { ...this.anonymizing(), waits: inputs.length > 0 };
      this.#file = OutputFile.open(output, split ?? NEVER, inputs, kept, as);
      this.#file.setEnabled(this.gate.isEnabled);
      this.history?.open(this.#file);
    }
    this.#clock = faults.every(TICK_MS, 'tick', () => this.#tick());
    this.#clock.unref();
    return this.#file;
  }

  /** Null with --split call. */
  get file(): OutputFile | null {
    return this.#file;
  }

  get callFiles(): CallFiles | null {
    return this.#callFiles;
  }

  /** -O was given, whether the gate is open or not. */
  get isSaved(): boolean {
    return this.#options.output !== null;
  }

  /**
   * Writes what the files of -O hold of calls between these times to `to`: the number of frames, or why there are none;
   * null when nobody waits any more.
   */
  async readBack(calls: CallsOfTime, to: string, isGone: () => boolean): Promise<number | string | null> {
    const files = this.#file?.filesOver(calls.fromUs, calls.toUs) ?? [];
    if (this.#file === null) return 'no -O writes frames';
    if (this.#file.isAnonymized) return '-O writes them anonymized';
    // What starts it is a package, which a run that only prints does without.
    const { readBack } = await import('./read-back.ts');
    return readBack(files, calls.callIds, to, this.#options, isGone);
  }

  /** How a capture of `/ask` is made anonymous: with the key of the options, or one of this run. */
  anonymizing(): Anonymizing {
    this.#anonymizing ??= anonymizingOf(this.#options);
    return this.#anonymizing;
  }

  /** The file that content reaches right now, null while none does. */
  get writingTo(): string | null {
    return this.gate.isEnabled ? (this.#file?.name ?? this.#callFiles?.path ?? null) : null;
  }

  get written(): Written | null {
    const file = this.#file;
    const calls = this.#callFiles;
    if (calls !== null) {
      const { counters, path } = calls;
      const losses = CALL_FILE_LOSSES.map((name) => [name, counters.get(name)] as const);
      return { name: path, frames: counters.get('frames'), calls: counters.get('files'), losses };
    }
    return file === null ? null : { name: file.name, frames: file.counter('frames'), losses: file.losses() };
  }

  *losses(): ReturnType<Meter['losses']> {
    const { mirror } = this;
    for (const [reason, count] of this.shipping?.losses() ?? []) yield [`ship_${reason}`, count];
    for (const [reason, count] of this.history?.losses() ?? []) yield [`history_${reason}`, count];
    for (const [reason, count] of mirror === null ? [] : lossesOf(mirror)) yield [`hep_out_${reason}`, count];
    for (const [reason, count] of this.#file?.losses() ?? this.written?.losses ?? []) yield [`output_${reason}`, count];
  }

  /** Zero where the option is not given: a dashboard needs no exceptions. */
  families(): MetricFamily[] {
    return [
      ...mirrorFamilies(this.mirror),
      ...Shipping.families(this.shipping),
      ...History.families(this.history),
      countsOf('calltap_output_total', this.#file?.counts() ?? this.#callFiles?.counts() ?? []),
    ];
  }

  /** SIGHUP: after logrotate moved the file away. */
  reopen(): void {
    this.#file?.reopen();
    this.#callFiles?.reopen();
    // The capture threads tick once a second; an operator should not wait for it.
    this.#tick();
  }

  /** Lets the mirror send what it holds, for a short time, and tells the store and the history of all calls. */
  async drain(): Promise<void> {
    await Promise.all([this.mirror?.drain(DRAIN_MS), this.endShipping(SHIP_MS)]);
  }

  /** The store and the history are told of all calls; what the store has not taken after `ms` waits in the spool for the next run. */
  async endShipping(ms: number): Promise<void> {
    await this.shipping?.finish(ms);
    await this.shipping?.close();
    await this.keeper?.finish();
  }

  /** After the captures are closed. Idempotent. */
  close(): void {
    if (this.#clock !== null) clearInterval(this.#clock);
    this.#clock = null;
    this.mirror?.close();
    faults.run('tick', () => this.shipping?.close());
    for (const line of this.#file?.close() ?? []) this.#say(line);
    this.calls?.onFinish();
    for (const line of this.#anonymized?.end() ?? []) this.#say(line);
    this.#anonymized = null;
    this.#callFiles?.close();
  }

  #tick(): void {
    this.history?.tick();
    for (const line of this.#file?.tick() ?? this.#callFiles?.tick() ?? []) this.#say(line);
  }
}

function historyOf(
  options: OutputOptions,
  shipper: Shipper,
  { isEnabled: isOpen }: PersistenceGate,
  say: (line: string) => void,
): History {
  return new History({ shipper, isShipped: options.ship !== null, isOfFiles: !isLive(options), isOpen }, say);
}

/** Throws FILTER_INVALID, and OPTION_CONFLICT for a filter that cannot be answered when a call begins. */
function callSplit(options: OutputOptions): CallSplit {
  const { filter } = questionOf(filterOf(options), 'created', options.utc);
  const key = laterKey(filter);
  if (key === null) return new CallSplit(filter);
  throw failure('OPTION_CONFLICT', {
    option: `--filter ${key}`,
    reason: '--split call decides when a call begins, and this is not known then',
    remedy: 'choose by numbers, addresses or headers; or capture all, and filter the files later',
  });
}
