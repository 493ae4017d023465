/**
 * One dialog as a pair of scenarios for SIPp that replay it against each other: `uac.xml` sends what the caller's side of
 * the hop sent, `uas.xml` the other side. Pure: whoever asks writes the files.
 */
import type { CallMessage, Socket } from '../analysis/call-messages.ts';
import { counted } from '../core/counted.ts';
import { fail, ok, type Result } from '../core/result.ts';
import type { Steps } from '../core/turns.ts';
import { TRANSPORTS } from '../core/words.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Messages } from '../store/stores.ts';
import type { SippHop } from './sipp-hop.ts';
import { openingHop } from './sipp-hop.ts';
import { replayedMessage } from './sipp-message.ts';
import { SippNotes } from './sipp-notes.ts';
import { rewritten } from './sipp-rewrite.ts';
import { scenarioFile } from './sipp-scenario.ts';
import { SippSide } from './sipp-side.ts';

/** Milliseconds of a pause in a SIPp scenario; a longer one of the call takes this long. @cap */
const MAX_SIPP_PAUSE_MS = 2_000;

export type SippOptions = {
  /** Writes credentials and keys as captured. */
  readonly showSecrets: boolean;
  /** A longer pause of the call takes this long. */
  readonly maxPauseMs?: number;
};

export type SippPair = {
  readonly uac: string;
  readonly uas: string;
  /** What is not replayed as captured: sentences without captured text, which the scenarios hold as comments too. */
  readonly notes: readonly string[];
};

/** No request of the dialog is kept, or none that SIPp can send. */
export type SippReason = 'no_request' | 'no_replayable_request';

/** A step a message. */
export function* sippScenarios(d: Dialog, log: Messages, o: SippOptions): Steps<Result<SippPair, SippReason>> {
  const hop = yield* openingHop(d, log);
  if (hop === null) return fail('no_request');
  const notes = new SippNotes();
  sayWhatIsMissing(notes, d, hop);
  const caller = new SippSide(true, hop.caller, hop.callee);
  const callee = new SippSide(false, hop.callee, hop.caller);
  let lastUs: number | null = null;
  let isFull = false;
  for (const m of hop.messages) {
    yield;
    if (isFull) {
      notes.leaveOut('full', m.index);
      continue;
    }
    const read = replayedMessage(m, isSentBy(hop.caller, hop.callee, m), o.showSecrets);
    if (!read.ok) {
      notes.leaveOut(read.reason, m.index);
      continue;
    }
    const message = read.value;
    const [side, other] = message.isByCaller ? [caller, callee] : [callee, caller];
    if (message.isRequest ? !other.hasInviteFor(message) : side.requestOf(message) === null) {
      notes.leaveOut('unasked', m.index);
      continue;
    }
    const pauseMs = Math.min(o.maxPauseMs ?? MAX_SIPP_PAUSE_MS, Math.round((m.tsUs - (lastUs ?? m.tsUs)) / 1000));
    if (pauseMs > 0) side.steps.push({ kind: 'pause', ms: pauseMs });
    const text = rewritten({ message, side, notes, showSecrets: o.showSecrets });
    isFull = !side.hasRoomFor(text.length) || !other.hasRoomFor(0);
    if (isFull) {
      if (pauseMs > 0) side.steps.pop();
      notes.leaveOut('full', m.index);
      continue;
    }
    if (m.isSnapped) notes.change('cut', m.index);
    side.send(message, text);
    other.receive(message);
    lastUs = m.tsUs;
  }
  if (caller.steps.length === 0) return fail('no_replayable_request');
  const lines = notes.lines();
  return ok({ uac: scenarioFile(caller, lines, notes), uas: scenarioFile(callee, lines, notes), notes: lines });
}

function isSentBy(caller: Socket, callee: Socket, m: CallMessage): boolean {
  return caller.host === callee.host ? m.src.port === caller.port : m.src.host === caller.host;
}

function sayWhatIsMissing(notes: SippNotes, d: Dialog, hop: SippHop): void {
  const evicted = d.msgCount - hop.kept;
  if (evicted > 0) notes.say(`${counted(evicted, 'message')} of this dialog: no longer kept.`);
  if (hop.elsewhere > 0) notes.say(`${counted(hop.elsewhere, 'message')} of other hops: left out.`);
  const transports = [...new Set(hop.messages.map((m) => TRANSPORTS[m.transport] ?? ''))];
  if (transports.some((name) => name !== 'UDP')) {
    const one = transports.length === 1 ? 'SIPp needs the option -t for another transport than UDP' : 'SIPp takes one';
    notes.say(`The call went over ${transports.join(' and ')}: ${one}.`);
  }
}
