/** The thresholds of diagnosis as keys of the configuration file: one row each, in the order of core/thresholds.ts. */
import type { Thresholds } from '../core/thresholds.ts';
import { THRESHOLDS } from '../core/thresholds.ts';
import { group, value } from './option-spec.ts';

/** The key is `diagnosis.NAME` with underscores; `diag-NAME` names the row in the code, and was an option once. */
type ThresholdRow = readonly [name: string, arg: 'SECS' | 'MS' | 'N' | 'PERCENT', max: number, help: string];

const ROWS: Readonly<Record<keyof Thresholds, ThresholdRow>> = {
  postDialDelaySec: ['post-dial-delay', 'SECS', 600, 'Report a first sign of progress that comes later than this.'],
  ackWaitSec: ['ack-wait', 'SECS', 600, 'Report an answer that has no ACK after this time.'],
  answerTransmissions: ['answer-transmissions', 'N', 100, 'Report it earlier after N copies of the answer.'],
  noFinalSec: ['no-final', 'SECS', 3600, 'Report an INVITE that has no final response after this time.'],
  challenges: ['challenges', 'N', 100, 'Report an authentication loop after N challenges.'],
  transmissions: ['transmissions', 'N', 100, 'Report a request after N copies without a response.'],
  noMediaSec: ['no-media', 'SECS', 600, 'Report an answered call that has no RTP after this time.'],
  oneWaySec: ['one-way', 'SECS', 600, 'Report one-way audio after this time.'],
  mediaStopSec: ['media-stop', 'SECS', 3600, 'Report media that stops this long before the end of its call.'],
  lateMediaMs: ['late-media', 'MS', 60_000, 'Report a first RTP packet that comes this late after the answer.'],
  ptimeMs: ['ptime', 'MS', 1000, 'Report directions whose packet times differ by this much.'],
  comfortNoisePct: [
    'comfort-noise',
    'PERCENT',
    100,
    'Report a side as silent if it sends this share of comfort noise.',
  ],
  durationSec: ['duration', 'SECS', 3600, 'Report a direction that lasts this much longer than the other.'],
  durationPct: ['duration-share', 'PERCENT', 100, 'Report it only if it lasts longer by this share too.'],
  icmpErrors: ['icmp-errors', 'N', 1000, 'Report media as refused after N ICMP errors.'],
  remoteLossPct: [
    'remote-loss',
    'PERCENT',
    100,
    'Report loss at the receiver that exceeds the loss at the tap by this.',
  ],
};

const row = (key: keyof Thresholds) => {
  const [name, arg, max, help] = ROWS[key];
  const [kind, min] = arg === 'N' ? (['int', 1] as const) : (['number', 0] as const);
  const extras = {
    default: String(THRESHOLDS[key]),
    toml: `diagnosis.${name.replaceAll('-', '_')}`,
    isKeyOnly: true,
  } as const;
  return [`diag-${name}`, value(arg, { kind, min, max }, help, extras)] as const;
};

// The keys are those of the record; Object.keys widens them to string.
const KEYS = Object.keys(ROWS) as (keyof Thresholds)[];

export const DIAGNOSIS = group('Diagnosis', Object.fromEntries(KEYS.map(row)));

/** The thresholds in force. */
export function thresholdsOf(number: (flag: string) => number): Thresholds {
  const values = KEYS.map((key) => [key, number(`diag-${ROWS[key][0]}`)] as const);
  // One for each key.
  return Object.fromEntries(values) as Thresholds;
}
