/**
 * One call as the detections of the signaling see it.
 */
import type { Thresholds } from '../../core/thresholds.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { IcmpFlow } from '../../store/icmp/icmp-media.ts';
import type { IcmpNote } from '../../store/icmp/icmp-note.ts';
import type { Stores } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import type { Glance } from './glance.ts';

export type OtherLegs = {
  /** Another branch was answered while this one rang, just before it was canceled. */
  readonly wasAnswered: boolean;
  /** Who sent the INVITE of this leg got one of the same call: it is not the caller. */
  readonly isFromMiddle: boolean;
};

/**
 * Each detection returns what it found, or null, and has a sentence for it. `evidence` of what it found holds indices into the
 * dialog's own messages.
 */
export type SignalingCall = {
  readonly d: Dialog;
  readonly messages: readonly CallMessage[];
  /** Capture clock in microseconds: the newest packet of the capture. */
  readonly nowUs: number;
  readonly thresholds: Thresholds;
  /** ICMP errors about the dialog's messages. */
  readonly icmp: readonly IcmpNote[];
  /** What the other legs of the call say of this one, which was canceled then. */
  readonly otherLegs: (canceledUs: number) => OtherLegs;
};

/** How the media of the call went. */
export type MediaSeen = {
  /** A direction died while the call continued. */
  readonly hasStopped: boolean;
  /** Who sent a stream, and when its last packet came. */
  readonly lasts: readonly { readonly host: string; readonly lastUs: number }[];
  /** Flows that ICMP refused while the call ran. */
  readonly refused: readonly IcmpFlow[];
};

/** What the finders of stated.ts see besides. */
export type StatedCall = SignalingCall & {
  readonly glance: Glance;
  /** The capture files have ended: nothing comes any more. */
  readonly isOver: boolean;
  /** TCP connections with SIP that were closed. */
  readonly connections: Stores['connections'];
  readonly media: () => MediaSeen;
};

/** What a finder of stated.ts proves. */
export type Proven = {
  /** Who, what, when, how much: the sentence names a side by its role and address. */
  readonly text: string;
  /** Numbers of the messages that show it, in order. */
  readonly evidence: readonly number[];
};
