/**
 * What a signaling detection is: it looks at one call and says what it found, and a sentence about it.
 */
import type { Thresholds } from '../../core/thresholds.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IcmpNote } from '../../store/icmp/icmp-note.ts';
import type { CallMessage } from '../call-messages.ts';

/** One call, as the detections see it. */
export type SignalingCall = {
  readonly d: Dialog;
  readonly messages: readonly CallMessage[];
  /** Capture clock in microseconds: the newest packet of the capture. */
  readonly nowUs: number;
  readonly thresholds: Thresholds;
  /** ICMP errors about the dialog's messages. */
  readonly icmp: readonly IcmpNote[];
};

export type Detection<T> = {
  /** Null where there is nothing to report. */
  readonly find: (call: SignalingCall) => T | null;
  readonly hint: (found: T, call: SignalingCall) => string;
};
