/** The thresholds of diagnosis as options: one row each, in the order of core/thresholds.ts. */
import type { Thresholds } from '../core/thresholds.ts';
import { THRESHOLDS } from '../core/thresholds.ts';
import type { OptionSpec } from './option-spec.ts';
import { group, value } from './option-spec.ts';

type Row = {
  readonly key: keyof Thresholds;
  readonly flag: string;
  readonly arg: string;
  readonly max: number;
  readonly help: string;
};

/** Flags are `--diag-NAME`, keys of the file `diagnosis.NAME` with underscores. */
const ROWS: readonly Row[] = [
  { key: 'postDialDelaySec', flag: 'post-dial-delay', arg: 'SECS', max: 600, help: 'Late first sign of progress.' },
  { key: 'ackWaitSec', flag: 'ack-wait', arg: 'SECS', max: 600, help: 'An answer that long without an ACK.' },
  { key: 'answerTransmissions', flag: 'answer-transmissions', arg: 'N', max: 100, help: 'Or sent that many times.' },
  { key: 'noFinalSec', flag: 'no-final', arg: 'SECS', max: 3600, help: 'An INVITE that long without an answer.' },
  { key: 'challenges', flag: 'challenges', arg: 'N', max: 100, help: 'Challenges that make an authentication loop.' },
  { key: 'transmissions', flag: 'transmissions', arg: 'N', max: 100, help: 'Transmissions that draw no response.' },
  { key: 'noMediaSec', flag: 'no-media', arg: 'SECS', max: 600, help: 'An answered call that long without RTP.' },
  { key: 'oneWaySec', flag: 'one-way', arg: 'SECS', max: 600, help: 'Media that long in one direction only.' },
  {
    key: 'mediaStopSec',
    flag: 'media-stop',
    arg: 'SECS',
    max: 3600,
    help: 'Media that stops that long before its call ends.',
  },
  {
    key: 'oneWayStopSec',
    flag: 'one-way-stop',
    arg: 'SECS',
    max: 3600,
    help: 'That long while the other side sends on.',
  },
  { key: 'lateMediaMs', flag: 'late-media', arg: 'MS', max: 60_000, help: 'First RTP that late after the answer.' },
  { key: 'ptimeMs', flag: 'ptime', arg: 'MS', max: 1000, help: 'Packet times of both directions that far apart.' },
  { key: 'comfortNoisePct', flag: 'comfort-noise', arg: 'PERCENT', max: 100, help: 'Share that makes a side silent.' },
  {
    key: 'durationSec',
    flag: 'duration',
    arg: 'SECS',
    max: 3600,
    help: 'One direction longer than the other by this.',
  },
  {
    key: 'durationPct',
    flag: 'duration-share',
    arg: 'PERCENT',
    max: 100,
    help: 'And by this share of the longer one.',
  },
  { key: 'icmpErrors', flag: 'icmp-errors', arg: 'N', max: 1000, help: 'ICMP errors that make media refused.' },
  { key: 'remoteLossPct', flag: 'remote-loss', arg: 'PERCENT', max: 100, help: 'Loss reported beyond what was seen.' },
];

export const DIAGNOSIS: readonly OptionSpec[] = group(
  'Diagnosis',
  ROWS.map(({ key, flag, arg, max, help }) =>
    value(`diag-${flag}`, arg, { kind: arg === 'N' ? 'int' : 'number', min: arg === 'N' ? 1 : 0, max }, help, {
      default: String(THRESHOLDS[key]),
      toml: `diagnosis.${flag.replaceAll('-', '_')}`,
    }),
  ),
);

/** The thresholds in force, each by its flag. */
export function thresholdsOf(number: (flag: string) => number): Thresholds {
  const out: { -readonly [K in keyof Thresholds]: number } = { ...THRESHOLDS };
  for (const { key, flag } of ROWS) out[key] = number(`diag-${flag}`);
  return out;
}
