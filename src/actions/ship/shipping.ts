/**
 * Ships what this host saw to a store of many hosts (--ship): rows of calls, messages, streams and trunks, and every ten
 * seconds one of the agent itself. Rows wait on the disk until the store has them; the capture never waits.
 */
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { readCertificate, readSecret } from '../../config/text-file.ts';
import { failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import { endpointText } from '../../core/ip.ts';
import { packageVersion } from '../../core/package.ts';
import { Turns } from '../../core/turns.ts';
import { readStore } from '../../explore/clickhouse/place.ts';
import type { Observer } from '../../ingest/observer.ts';
import { RemoteFailure } from '../../net/failures.ts';
import type { Figures } from '../../view/figures.ts';
import { lossesByReason } from '../../view/losses.ts';
import type { LabelledCount, MetricFamily } from '../../view/metrics/family.ts';
import { countsOf } from '../../view/metrics/family.ts';
import type { TakeCall } from './call-shipper.ts';
import { CALL_SHIP_COUNTERS, CALL_SHIP_LOSSES, CallShipper } from './call-shipper.ts';
import { rowsMade, rowsStored } from './counters.ts';
import type { Shipper } from './key.ts';
import { wellFormed } from './lines.ts';
import { shipFamilies, shipLosses } from './meter.ts';
import { MinuteLines } from './minute-lines.ts';
import type { ShipOptions } from './shipment.ts';
import { Shipment } from './shipment.ts';
import { STREAM_SHIP_COUNTERS, STREAM_SHIP_LOSSES, StreamShipper } from './stream-shipper.ts';

export type ShippingOptions = Pick<
  Config,
  | 'ship'
  | 'shipMessages'
  | 'shipHost'
  | 'shipUser'
  | 'shipPassword'
  | 'shipPasswordFile'
  | 'shipCa'
  | 'shipSpool'
  | 'shipSpoolBytes'
  | 'exportUprobe'
  | 'api'
>;

const BEAT_MS = 10_000;
export class Shipping {
  readonly #options: ShippingOptions;
  readonly #shipper: Shipper;
  readonly #shipment: Shipment;
  readonly #startedMs = Date.now();
  readonly #folder: string;
  readonly #say: (line: string) => void;
  readonly #calls: CallShipper;
  readonly #streams: StreamShipper;
  #figures: Figures | null = null;
  #minutes: MinuteLines | null = null;
  /** Of all that makes rows: whoever has much to do shares them. */
  readonly #turns = new Turns(() => performance.now());
  #version = 0;
  #telling: Promise<void> | null = null;
  #beat: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `history`: takes the rows of calls that have ended. Throws ServiceError for options that cannot be used. */
  constructor(
    options: ShippingOptions,
    shipper: Shipper,
    history: TakeCall | null,
    mayWrite: () => boolean,
    say: (line: string) => void,
  ) {
    this.#options = options;
    this.#shipper = shipper;
    this.#say = say;
    const shipped = shipOptions(options, this.#shipper, mayWrite, say);
    this.#folder = shipped.folder;
    const shipment = openShipment(shipped);
    this.#shipment = shipment;
    const rows = {
      evidence: () => this.#known.evidence,
      shipper,
      nextVersion: () => ++this.#version,
      turns: this.#turns,
    };
    const { shipMessages: parts, exportUprobe: sendsUprobe } = options;
    this.#calls = new CallShipper({
      ...rows,
      store: {
        ...{ parts, sendsUprobe },
        add: (table, line) => shipment.add(table, line),
      },
      room: () => shipment.room(),
      history,
    });
    this.#streams = new StreamShipper({
      ...rows,
      sendsUprobe,
      add: (line) => shipment.add('streams', wellFormed(line)),
    });
  }

  /** See the calls and the streams of the capture. */
  get observers(): readonly Observer[] {
    return [this.#calls, this.#streams];
  }

  get #known(): Figures {
    if (this.#figures === null) throw new Error('no capture has begun');
    return this.#figures;
  }

  /** What it ships of; before the first packet. */
  begin(figures: Figures): void {
    this.#figures = figures;
    if (figures.trunks !== null) this.#minutes = new MinuteLines(figures.trunks.store);
  }

  /** Opens the spool and begins to send. Throws ServiceError. */
  open(): void {
    this.#shipment.open();
    this.#shipment.start();
    const beat = (): void => {
      this.#telling ??= this.#tellOfAgent(false)
        .catch((error: unknown) => faults.note('tick', error))
        .finally(() => {
          this.#telling = null;
        });
    };
    this.#beat = faults.every(BEAT_MS, 'tick', beat).unref();
    beat();
  }

  /** Tells all that is known, and waits at most `ms` until the store has it. */
  async finish(ms: number): Promise<void> {
    const hasRoom = (): Promise<void> => this.#shipment.room();
    await this.#calls.finish();
    await this.#streams.finish(hasRoom);
    await this.#telling;
    await this.#tellOfAgent(true);
    await this.#shipment.drain(ms, true);
  }

  /** What is in memory gets to the disk, or is counted. */
  async close(): Promise<void> {
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#beat = null;
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#shipment.close();
    const { waitingRows: rows } = this.#shipment;
    if (rows > 0) this.#say(`--ship: ${rows} rows wait in ${this.#folder}; the next run with this spool sends them`);
  }

  losses(): readonly LabelledCount[] {
    const ofCalls = CALL_SHIP_LOSSES.map((reason) => [reason, this.#calls.counters.get(reason)] as const);
    const ofStreams = STREAM_SHIP_LOSSES.map((reason) => [reason, this.#streams.counters.get(reason)] as const);
    return [...shipLosses(this.#shipment), ...ofCalls, ...ofStreams];
  }

  /** Zero where the option is not given: a dashboard needs no exceptions. */
  static families(shipping: Shipping | null): MetricFamily[] {
    const calls = shipping === null ? null : shipping.#calls.counters;
    const streams = shipping === null ? null : shipping.#streams.counters;
    return [
      ...shipFamilies(shipping === null ? null : shipping.#shipment),
      countsOf('calltap_ship_left_out_total', [
        ...CALL_SHIP_COUNTERS.map((name) => [name, calls?.get(name) ?? 0] as const),
        ...STREAM_SHIP_COUNTERS.map((name) => [name, streams?.get(name) ?? 0] as const),
      ]),
    ];
  }

  /** In slices: a row of each address may be due in the second in which a minute ends. */
  async #tellOfAgent(isLast: boolean): Promise<void> {
    const figures = this.#known;
    const { capture, stores } = figures.evidence;
    const nextVersion = (): number => ++this.#version;
    const slice = await this.#turns.begin('shipping');
    for (const line of this.#minutes?.changed(capture, isLast, this.#shipper, nextVersion) ?? []) {
      this.#shipment.add('minute', line);
      if (slice.isOver) await slice.rest();
    }
    const { counters } = this.#shipment;
    this.#shipment.add(
      'agents',
      JSON.stringify({
        ...this.#shipper,
        version: nextVersion(),
        at: new Date().toISOString(),
        started_at: new Date(this.#startedMs).toISOString(),
        product: packageVersion(),
        api: this.#options.api === null ? '' : endpointText(this.#options.api.host, this.#options.api.port),
        calls_begun: stores.dialogs.nextSerial,
        rows_made: rowsMade(counters),
        rows_stored: rowsStored(counters),
        losses: Object.fromEntries(Object.entries(lossesByReason(figures)).filter(([, count]) => count > 0)),
      }),
    );
  }
}

function shipOptions(
  o: ShippingOptions,
  shipper: Shipper,
  mayWrite: () => boolean,
  say: (line: string) => void,
): ShipOptions {
  const password =
    o.shipPasswordFile === null
      ? o.shipPassword
      : readSecret('--ship-password-file', o.shipPasswordFile, 'the password of --ship-user');
  const place = readStore(o.ship ?? '');
  if ('reason' in place)
    throw failure('OPTION_CONFLICT', {
      option: '--ship',
      reason: place.reason,
      remedy: 'write https://HOST:8443/DATABASE',
    });
  if (o.shipCa !== null && !place.isTls)
    throw failure('OPTION_CONFLICT', {
      option: '--ship-ca',
      reason: 'the store of --ship is not spoken to by https',
      remedy: 'write --ship https://HOST:PORT',
    });
  return {
    place,
    user: o.shipUser,
    password,
    ca: o.shipCa === null ? null : readCertificate('--ship-ca', o.shipCa),
    folder: o.shipSpool ?? stateFolder(),
    mostBytes: o.shipSpoolBytes,
    boot: shipper.boot,
    mayWrite,
    onTrouble: (reason) =>
      say(reason === null ? '--ship: the store takes rows again' : `--ship: ${reason}; rows wait in the spool`),
  };
}

/** Throws OPTION_CONFLICT where the password may not go. */
function openShipment(options: ShipOptions): Shipment {
  try {
    return new Shipment(options);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    throw failure('OPTION_CONFLICT', { option: '--ship', reason: error.message, remedy: error.remedy });
  }
}

/** Where systemd lets the unit keep its state. */
function stateFolder(): string {
  const folder = process.env['STATE_DIRECTORY']?.split(':', 1)[0] ?? '';
  if (folder !== '') return join(folder, 'ship');
  throw failure('OPTION_CONFLICT', {
    option: '--ship',
    reason: 'there is no folder for rows that wait',
    remedy: 'add --ship-spool DIR',
  });
}
