/**
 * The closed sets of words that both the stores and the wire use.
 */

import * as METHOD from './methods.ts';

/** The capture source that delivered a message or stream, by native number. */
export const ORIGINS = ['wire', 'hep', 'uprobe'] as const;

/** What is to know of a message that a person reads. */
export const MESSAGE_NOTES = ['again', 'duplicate', 'copy', 'cut', 'address-likely', 'address-unknown'] as const;

/**
 * In which form a phone or an agent reported of a call's media: the three of RFC 6035, of which an alert says that a figure is bad
 * while the call goes on; RTCP XR; a header of a BYE or its 200; JSON by HEP.
 */
export const REPORT_KINDS = ['session', 'interval', 'alert', 'xr', 'rtp_stat', 'hep'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** How its sender is known. */
export const REPORT_PROOFS = ['address', 'agent'] as const;

/** What became of an m= line. */
export const LINE_CHANGES = [
  'added',
  'refused',
  'removed',
  'mode_change',
  'media_anchor_change',
  'codec_change',
] as const;

/**
 * How much a finding weighs, the worst first. `blind`: the capture shed something, so that counts are floors. `critical`:
 * callers heard nothing. `major`: calls failed or sounded bad. `minor`: worth a look.
 */
export const FINDING_SEVERITIES = ['blind', 'critical', 'major', 'minor'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** States of a dialog, by number. */
export const DIALOG_STATES = [
  'Trying',
  'Ringing',
  'InCall',
  'Completed',
  'Failed',
  'Canceled',
  'Redirected',
  'Registered',
  'Expired',
  'Pending',
  'Active',
  'Terminated',
  'Transferring',
] as const;
export type DialogStateName = (typeof DIALOG_STATES)[number];

/** What carried a SIP message, by number. */
export const TRANSPORT = { UDP: 0, TCP: 1, WS: 2, TLS: 3, WSS: 4 } as const;
/** Their names, in the order of the numbers. */
export const TRANSPORTS = Object.keys(TRANSPORT);

/** Status codes of responses are below it. */
export const CODE_VALUES = 1_000;

/** Names of the methods, in the order of their numbers. */
export const METHOD_NAMES: readonly string[] = Object.entries(METHOD)
  .sort(([, a], [, b]) => a - b)
  .map(([name]) => name);
