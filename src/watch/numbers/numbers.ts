/**
 * What the chosen groups of metrics count of attempts: a part a group, made only where it is chosen. src/watch/trunks tells of
 * attempts, and this of what they came to.
 */
import type { DeviceClass } from '../../core/device-class.ts';
import type { MetricGroup } from '../../core/metric-groups.ts';
import type { Seats } from '../trunks/seats.ts';
import type { TrunkStore } from '../trunks/trunk-store.ts';
import type { AttemptColumns } from './attempt-columns.ts';
import type { AttemptCounter, HopInHand } from './attempts.ts';
import { Attempts } from './attempts.ts';
import { ResponsePairs } from './codes.ts';
import { Devices } from './devices.ts';
import { MediaCounts } from './media-counts.ts';
import { CountryCounts, DeviceCounts, FindingCounts, SettledCodes } from './plain-counts.ts';
import { CallCounts, Rfc6076 } from './trunk-counts.ts';

export type NumbersOptions = {
  readonly groups: ReadonlySet<MetricGroup>;
  readonly hasExemplars: boolean;
  /** Of our own side; null where nobody said it. */
  readonly countryCode: string | null;
  readonly devices: readonly DeviceClass[];
  /** Calls that a trunk may have at once, by its name. */
  readonly limits: ReadonlyMap<string, number>;
};

/** A hop of a call that ended. */
export type HopOfCall = Pick<HopInHand, 'hop' | 'rows'> & { readonly isAnswered: boolean };

/** Groups that count attempts. */
const OF_ATTEMPTS: readonly MetricGroup[] = ['rfc6076', 'codes', 'calls', 'devices', 'countries'];

export class Numbers {
  readonly rfc6076: Rfc6076 | null;
  readonly codes: SettledCodes | null;
  readonly responses: ResponsePairs | null;
  readonly calls: CallCounts | null;
  readonly devices: DeviceCounts | null;
  readonly countries: CountryCounts | null;
  readonly media: MediaCounts | null;
  readonly findings: FindingCounts | null;
  readonly deviceFindings: FindingCounts | null;
  /** Settles attempts; null where no chosen group counts them. */
  readonly attempts: Attempts | null;
  readonly seats: Seats;

  constructor(options: NumbersOptions, { seats }: TrunkStore, at: (hop: number) => HopInHand) {
    this.seats = seats;
    const { groups, hasExemplars, countryCode, devices, limits } = options;
    const columns = (): AttemptColumns => attempts.columns;
    const made = <T>(group: MetricGroup, make: () => T): T | null => (groups.has(group) ? make() : null);
    this.rfc6076 = made('rfc6076', () => new Rfc6076(seats, hasExemplars));
    this.codes = made('codes', () => new SettledCodes());
    this.responses = made('codes', () => new ResponsePairs());
    this.calls = made('calls', () => new CallCounts(seats, limits, columns));
    this.devices = made('devices', () => new DeviceCounts(new Devices(devices), columns));
    this.countries = made('countries', () => new CountryCounts(countryCode, columns));
    this.media = made('media', () => new MediaCounts(seats, hasExemplars));
    this.findings = made('findings', () => new FindingCounts());
    this.deviceFindings = made('devices', () => new FindingCounts());
    const parts: readonly (AttemptCounter | null)[] = [
      this.rfc6076,
      this.codes,
      this.calls,
      this.devices,
      this.countries,
    ];
    const attempts = new Attempts(
      parts.filter((part) => part !== null),
      at,
    );
    this.attempts = OF_ATTEMPTS.some((group) => groups.has(group)) ? attempts : null;
  }

  /** Calls that ended are judged. */
  get judges(): boolean {
    return this.findings !== null || this.deviceFindings !== null || this.calls !== null;
  }

  /** Calls that ended are looked at. */
  get looksAtEnded(): boolean {
    return this.judges || this.media !== null;
  }
}

/** Whether any chosen group counts here. */
export function needsNumbers(groups: ReadonlySet<MetricGroup>): boolean {
  return [...OF_ATTEMPTS, 'media' as const, 'findings' as const, 'reports' as const].some((group) => groups.has(group));
}
