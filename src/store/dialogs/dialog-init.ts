/** What the message that opens a dialog gives it for life. */
import type { TextRange } from '../../core/byte-text.ts';
import type { FramePointer } from './call-marks.ts';

/** What a dialog is born with. */
export type DialogInit = {
  /** As a string, each character is one byte of it. */
  readonly callId: string | TextRange;
  readonly methodId: number;
  /** Where the METHOD id does not say it. */
  readonly methodText: string;
  readonly family: number;
  readonly state: number;
  readonly createdUs: number;
  /** How much later than its own time the opening message came in here. */
  readonly arrivalLagUs: number;
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string | TextRange;
  readonly toUser: string | TextRange;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  readonly openerTagHash: number;
  /** Hash of the prefix that sent the opening message, and of whom it went to; see store/dialogs/dialog-room.ts. */
  readonly prefix: number;
  readonly peer: number;
};
