/**
 * All that is kept of a capture, as its readers see it: whoever answers a question takes this, and can write nothing.
 */
import type { EndpointKey } from '../core/ip.ts';
import type { ClockStep } from './clock-steps.ts';
import type { ClosedConnections } from './closed-connections.ts';
import type { CallIdentifiers } from './dialogs/call-identifiers.ts';
import type { Dialog } from './dialogs/dialog.ts';
import type { DialogStore } from './dialogs/dialog-store.ts';
import type { IcmpMediaTally } from './icmp/icmp-media.ts';
import type { IcmpNote } from './icmp/icmp-note.ts';
import type { LostDatagrams } from './lost-datagrams.ts';
import type { DropSpan } from './media/drop-spans.ts';
import type { IceChecks } from './media/ice-checks.ts';
import type { KeyPresses } from './media/key-presses.ts';
import type { PayloadRing } from './media/payload-ring.ts';
import type { PhoneReports } from './media/phone-reports.ts';
import type { Stream } from './media/stream.ts';
import type { StreamStore } from './media/stream-store.ts';
import type { RelayUse, StunFlow } from './media/stun-flow.ts';
import type { UnseenStreams } from './media/unseen-streams.ts';
import type { FrameLedger } from './messages/frame-ledger.ts';
import type { MessageLog } from './messages/message-log.ts';

export type Dialogs = Omit<
  DialogStore,
  'open' | 'touch' | 'setCreated' | 'setState' | 'addMessage' | 'prove' | 'keepWithin' | 'fetch'
>;
export type Streams = Omit<
  StreamStore,
  'onOpened' | 'onAccepted' | 'onWindow' | 'onEvicted' | 'onClaim' | 'onDialogGone'
>;
export type Messages = Omit<MessageLog, 'append' | 'onMove' | 'retime' | `set${string}`>;
export type Identifiers = Omit<CallIdentifiers, 'onMessage' | 'onDialogGone' | 'bar'>;

/** What STUN and TURN said about addresses (RFC 8489, RFC 8656). */
export type StunKnowledge = {
  /** Clients and servers that talked. */
  readonly flows: number;
  /** How a relay carried the stream; null when none did. */
  relayUse(stream: Stream): RelayUse | null;
  relayEnds(stream: Stream): { client: EndpointKey; server: EndpointKey; flow: StunFlow | null };
  /** The flow by which a relay gave this address; null when it is no relayed one. */
  flowOfRelayed(key: EndpointKey): StunFlow | null;
  flowsOfHost(address: string): readonly StunFlow[];
  /** Connectivity checks of ICE. */
  readonly ice: Pick<IceChecks, 'at' | 'lastUs' | 'goneUs'>;
};

/** ICMP errors: about media by flow, about signaling by dialog. */
export type IcmpKnowledge = {
  readonly media: Omit<IcmpMediaTally, 'add'>;
  notes(d: Dialog): readonly IcmpNote[];
};

/** What the clock and the options decide about every stream. */
export type QualityContext = {
  readonly streams: Streams;
  readonly windowSec: number;
  /** Capture clock in microseconds. */
  readonly nowUs: number;
  /** The source has ended: every open window is closed. */
  readonly isExhausted: boolean;
  /** When the capture dropped packets of a source, the oldest first. */
  dropsOf(source: number): readonly DropSpan[];
};

export type Stores = {
  readonly dialogs: Dialogs;
  readonly streams: Streams;
  readonly log: Messages;
  /** The frames that carried messages; null where nobody writes them again. */
  readonly frames: Pick<FrameLedger, 'visit' | 'unkept'> | null;
  /** What ties dialogs to calls; null where nobody will ask. */
  readonly identifiers: Identifiers | null;
  /** RTP kept for its audio; null without --retain-audio. */
  readonly payloads: Pick<PayloadRing, 'packets' | 'overwritten'> | null;
  readonly keys: Pick<KeyPresses, 'of'>;
  /** What phones and agents said of the media. */
  readonly reports: Pick<PhoneReports, 'of' | 'size' | 'bytes' | 'shed'>;
  /** Streams that only RTCP speaks of. */
  readonly unseen: Pick<UnseenStreams, 'at' | 'size'>;
  readonly stun: StunKnowledge;
  readonly icmp: IcmpKnowledge;
  /** TCP connections with SIP that were closed. */
  readonly connections: Pick<ClosedConnections, 'of'>;
  /** Datagrams with SIP that came in part. */
  readonly lostDatagrams: Pick<LostDatagrams, 'newest' | 'evicted'>;
};

/** How far a capture has come, and what it can have seen: every answer is judged by it. */
export type Capture = {
  /** Files or interfaces, by their number in frame pointers. */
  readonly sources: readonly string[];
  /** It has no end to be read to. */
  readonly isLive: boolean;
  /** The files were read to their end. */
  readonly isExhausted: boolean;
  /** Capture clock in microseconds since the epoch; NaN before the first packet. */
  readonly nowUs: number;
  /** How the clock of the host that captured was set meanwhile, as far as it is known; the oldest step first. */
  readonly clockSteps: readonly ClockStep[];
  /** Some source brings RTP: a HEP listener and probes bring none. */
  readonly capturesRtp: boolean;
  /** Capture clock when a stream was last refused for a cap; NaN never. */
  readonly refusedUs: number;
  readonly quality: QualityContext;
  /** The clock that this dialog is judged by: its own where it lives in another time. */
  nowOf(d: Dialog): number;
};

/** What turns frames and times of a capture into text. */
export type CapturedIn = Pick<Capture, 'sources' | 'clockSteps'>;
