/**
 * Who is shown what comes in, once the stores have it: the mirror, the detection of attackers, hooks, and who counts.
 *
 * An observer names only what it wants to see. It may not write to a store. Bytes are valid until the call returns.
 */

import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import type { Packet } from '../sources/packet.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { KeptReport } from '../store/media/phone-reports.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Capture } from '../store/stores.ts';

export type Observer = {
  /** buf[start..end) is a message that scans; its dialog is null when it names none. */
  onMessage?(buf: Buffer, start: number, end: number, scan: SipScan, carrier: Packet, dialog: Dialog | null): void;
  /** A whole message is meant to be SIP and does not scan. */
  onUnreadable?(carrier: Packet): void;
  /** buf[start..end) is RTCP of the dialog, null where none is known. */
  onRtcp?(buf: Uint8Array, start: number, end: number, carrier: Packet, dialog: Dialog | null): void;
  /** A phone or an agent has reported how the media of the dialog sounds. */
  onReport?(dialog: Dialog, report: KeptReport, capture: Capture): void;
  /** A dialog has left the state `from`. */
  onDialogState?(dialog: Dialog, from: number, capture: Capture): void;
  /** A dialog gives its place to others; its streams are still its own. */
  onDialogGone?(dialog: Dialog, capture: Capture): void;
  /** A quality window of the stream has closed. */
  onWindow?(stream: Stream, capture: Capture): void;
  /** A stream that is shown gives its place to others; its counters may be another's by now. */
  onStreamGone?(stream: Stream, capture: Capture): void;
  /** The files have ended, and the stream is judged as a whole. */
  onStreamEnd?(stream: Stream, capture: Capture): void;
  /** Time continues; capture time in microseconds. */
  onTick?(nowUs: number): void;
  /** The files have ended. */
  onFinish?(capture: Capture): void;
};

/** The observers that want to see one kind of thing. */
export function observersOf<K extends keyof Observer>(
  all: readonly Observer[],
  what: K,
): readonly (Observer & Required<Pick<Observer, K>>)[] {
  return all.filter((o): o is Observer & Required<Pick<Observer, K>> => o[what] !== undefined);
}
