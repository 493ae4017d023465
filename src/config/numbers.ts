/** What the options say of metrics: their groups, classes of phones, limits of trunks, the country code of our own side. */
import type { DeviceClass } from '../core/device-class.ts';
import { MAX_DEVICES, readDeviceClass } from '../core/device-class.ts';
import { failure } from '../core/errors.ts';
import type { MetricGroup } from '../core/metric-groups.ts';
import { METRIC_GROUPS, readMetricGroups } from '../core/metric-groups.ts';
import type { Config } from './config.ts';
import { oneLine } from './option-value.ts';

type Numbers = {
  readonly groups: ReadonlySet<MetricGroup>;
  readonly hasExemplars: boolean;
  readonly countryCode: string | null;
  readonly devices: readonly DeviceClass[];
  readonly limits: ReadonlyMap<string, number>;
};

/** Calls that a trunk can be allowed at most. */
const MOST_CALLS = 1_000_000;
const LIMIT = /^(.+)=([0-9]{1,7})$/;

/** `trunks` are the names of the configuration. Throws a ServiceError of the option that is wrong. */
export function numbersOfConfig(
  config: Pick<Config, 'metricsFamilies' | 'metricsExemplars' | 'countryCode' | 'deviceClass' | 'trunkLimit'>,
  trunks: readonly string[],
): Numbers {
  const { countryCode, deviceClass, trunkLimit } = config;
  if (countryCode !== null && !/^[1-9][0-9]{0,2}$/.test(countryCode))
    throw failure('COUNTRY_CODE_INVALID', { value: oneLine(countryCode.slice(0, 20)) });
  return {
    groups: metricGroupsOf(config),
    hasExemplars: config.metricsExemplars,
    countryCode,
    devices: devicesOf(deviceClass),
    limits: new Map(trunkLimit.map((text) => limitOf(text, trunks))),
  };
}

/** Throws METRICS_FAMILIES_INVALID. */
export function metricGroupsOf({ metricsFamilies }: Pick<Config, 'metricsFamilies'>): ReadonlySet<MetricGroup> {
  const read = readMetricGroups(metricsFamilies);
  if (read.ok) return read.value;
  const choices = ['default', 'all', ...METRIC_GROUPS].join(', ');
  throw failure('METRICS_FAMILIES_INVALID', { reason: oneLine(read.reason), choices });
}

function devicesOf(texts: readonly string[]): DeviceClass[] {
  const wrong = (text: string, reason: string) =>
    failure('DEVICE_CLASS_INVALID', { option: `--device-class ${oneLine(text.slice(0, 60))}`, reason });
  const classes = texts.map((text) => {
    const read = readDeviceClass(text);
    if (!read.ok) throw wrong(text, oneLine(read.reason));
    return read.value;
  });
  const last = texts.at(-1) ?? '';
  if (new Set(classes.map(({ name }) => name)).size > MAX_DEVICES)
    throw wrong(last, `there are more than ${MAX_DEVICES} classes`);
  return classes;
}

function limitOf(text: string, trunks: readonly string[]): readonly [string, number] {
  const [, name = '', digits = ''] = LIMIT.exec(text) ?? [];
  const limit = Number(digits);
  const reason =
    name === '' || limit < 1 || limit > MOST_CALLS
      ? `it is not NAME=N with N from 1 to ${MOST_CALLS}`
      : trunks.includes(name)
        ? null
        : `there is no trunk ${name.slice(0, 40)}`;
  if (reason === null) return [name, limit];
  throw failure('TRUNK_LIMIT_INVALID', {
    option: `--trunk-limit ${oneLine(text.slice(0, 60))}`,
    reason: oneLine(reason),
  });
}
