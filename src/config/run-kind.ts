/** Decides what kind of run the options ask for: of files or live, with a server, with detection of scanners. */
import { CALLS_ONLY } from '../core/call-fields.ts';
import type { RowValues } from './option-spec.ts';
import type { TABLE } from './options.ts';

type Config = RowValues<typeof TABLE>;

/** What comes in while it runs; without that it reads files. */
type Live = Pick<Config, 'device' | 'hepListen' | 'uprobe'>;

export function isLive({ device, hepListen, uprobe }: Live): boolean {
  return device.length > 0 || hepListen !== null || uprobe.length > 0;
}

/** It stays until a signal ends it, for those who ask over HTTP. */
export function isServed({ api, metrics }: Pick<Config, 'api' | 'metrics'>): boolean {
  return api !== null || metrics !== null;
}

/** The filter in force; --calls is a term of it. */
export function filterOf({ filter, calls }: Pick<Config, 'filter' | 'calls'>): string | null {
  if (!calls) return filter;
  return filter === null ? CALLS_ONLY : `(${filter}) ${CALLS_ONLY}`;
}

/**
 * An index of calls stands beside each file of -O. Files get none where a filter chooses their frames: these are written when all
 * is read.
 */
export function keepsHistory(
  config: Live & Pick<Config, 'output' | 'split' | 'noHistory' | 'anonymize' | 'filter' | 'calls'>,
): boolean {
  const { output, split, noHistory, anonymize } = config;
  // Rows would say who called whom, beside files that do not.
  if (output === null || split === null || split.isByCall || noHistory || anonymize !== null) return false;
  return isLive(config) || filterOf(config) === null;
}

type Watching = Pick<Config, 'show' | 'statsJson' | 'stirShaken' | 'onDialogExec' | 'onQualityExec' | 'onTrunkExec'>;

/** One folder is named, and nothing is asked that needs its packets to be read: its indexes answer, where it has any. */
export function asksRing(
  config: Live & Detecting & Watching & Pick<Config, 'input' | 'output' | 'ship' | 'hepSend' | 'bpf' | 'noHistory'>,
): boolean {
  const { input, output, ship, hepSend, bpf, noHistory, show, statsJson, stirShaken, fraud } = config;
  if (isLive(config) || noHistory || input.length !== 1 || output !== null || ship !== null || hepSend.length > 0)
    return false;
  const hooks = [config.onDialogExec, config.onQualityExec, config.onTrunkExec];
  const isWatched = stirShaken || fraud || looksForScanners(config) || hooks.some((one) => one !== null);
  return bpf === null && show === null && !statsJson && !isWatched;
}

type Detecting = Pick<Config, 'killScanner' | 'killUa' | 'fail2ban' | 'alert' | 'fraud'>;

/** True when an option asks for the detection of scanners; syslog beside --fraud asks for the alerts of that alone. */
export function looksForScanners({ killScanner, killUa, fail2ban, alert, fraud }: Detecting): boolean {
  return killScanner || killUa !== null || fail2ban || (alert === 'syslog' && !fraud);
}
