/**
 * A dialog as a vCon, the IETF's container for conversations (draft-ietf-vcon-vcon-core, unsigned form, syntax 0.4.0),
 * with the parameters of the SIP signaling extension. Signaling, and the audio where it was kept; no consent, no proof
 * of identity.
 */
import type {
  Diagnosis,
  SignalingDiagnosis,
  TimingStats,
  Vcon,
  VconAttachment,
  VconDialog,
  VconParty,
} from '../contract/index.ts';
import { counted, countedWere } from '../core/counted.ts';
import { packageVersion } from '../core/package.ts';
import { timestampText } from '../core/timestamp.ts';
import type { Figures } from '../view/figures.ts';
import { toStats } from '../view/stats.ts';

const PRODUCT = 'calltap';
/** The syntax the published schema names; the core draft calls the parameter deprecated. */
const SYNTAX = '0.4.0';
const EXTENSION = 'sip-signaling';
const JSON_BODY = { mediatype: 'application/json', encoding: 'json' } as const;
/** Index of the service itself among the parties. */
const OBSERVER = 2;

export type VconSide = {
  readonly uri: string | null;
  readonly contact: string | null;
  readonly userAgent: string | null;
  readonly displayName: string | null;
};

/** What stands before the text of a message, and the text without secrets. */
export type VconMessage = { readonly facts: object; readonly text: string };

export type VconInput = {
  readonly callId: string;
  readonly uuid: string;
  /** Wall clock, milliseconds: when this container is made. */
  readonly nowMs: number;
  readonly startUs: number;
  readonly durationSec: number;
  readonly caller: VconSide;
  readonly callee: VconSide;
  /** Code of the final failure that was observed; null when none was. */
  readonly failureCode: number | null;
  readonly finalCode: number | null;
  /** How much of the wire the container is drawn from. */
  readonly completeness: object;
  readonly diagnosis: Diagnosis;
  readonly signaling: SignalingDiagnosis | null;
  /** Null where no payload is kept at all; the bytes of a WAV go in with vconText(). */
  readonly audio: 'inline' | { readonly refusal: string } | null;
};

/** Nothing of them stands in a container, and working them out takes a look at every dialog. */
const NO_TIMING: TimingStats = { pdd_p50_ms: null, pdd_p95_ms: null, pdd_p99_ms: null };

/** Characters of a text that one piece takes in. */
const PIECE_CHARS = 32 * 1024;
/** Bytes of a WAV that one piece takes in: without padding in between. */
const PIECE_BYTES = 3 * 8 * 1024;
/** Where vconText() puts what is large. No captured text can look like one: its quotes are escaped. */
const MESSAGES_HERE = '"messages":[]';
const AUDIO_HERE = '"body":""';

/**
 * The container as JSON in pieces, so that it is never in memory as a whole. `messages` are read while it is written;
 * what is behind them tells, by `known`, what was true when they had been.
 */
export function* vconText(
  known: () => VconInput,
  wav: Uint8Array | null,
  messages: Iterable<VconMessage>,
): Generator<string, void, void> {
  const [before = ''] = JSON.stringify(toVcon(known())).split(MESSAGES_HERE);
  const [start = '', rest = ''] = wav === null ? [before] : before.split(AUDIO_HERE);
  yield start;
  if (wav !== null) {
    yield AUDIO_HERE.slice(0, -1);
    for (let at = 0; at < wav.length; at += PIECE_BYTES)
      yield Buffer.from(wav.buffer, wav.byteOffset + at, Math.min(PIECE_BYTES, wav.length - at)).toString('base64url');
    yield `"${rest}`;
  }
  yield MESSAGES_HERE.slice(0, -1);
  let comma = '';
  for (const m of messages) {
    yield `${comma}${JSON.stringify(m.facts).slice(0, -1)},"text":"`;
    for (let at = 0; at < m.text.length; at += PIECE_CHARS)
      yield JSON.stringify(m.text.slice(at, at + PIECE_CHARS)).slice(1, -1);
    yield '"}';
    comma = ',';
  }
  const [, behind = ''] = JSON.stringify(toVcon(known())).split(MESSAGES_HERE);
  yield `]${behind}`;
}

/** The container without what is large in it. */
function toVcon(v: VconInput): Vcon {
  const start = timestampText(v.startUs);
  const { completeness } = v;
  return {
    vcon: SYNTAX,
    uuid: v.uuid,
    created_at: new Date(v.nowMs).toISOString(),
    extensions: [EXTENSION],
    parties: [
      toParty(v.caller),
      toParty(v.callee),
      { name: PRODUCT, role: 'observer', validation: 'none', type: 'service' },
    ],
    dialog: [toDialog(v, start)],
    attachments: [
      attachment('sip-message-trace', start, { schema_version: 1, messages: [] }),
      attachment('service-capture-completeness', start, completeness),
    ],
    analysis: [
      {
        type: 'report',
        dialog: 0,
        vendor: PRODUCT,
        product: PRODUCT,
        schema: 'service-dialog-diagnosis/1',
        ...JSON_BODY,
        body: {
          schema_version: 1,
          sip_call_id: v.callId,
          final_status_code: v.finalCode,
          capture_completeness: completeness,
          diagnosis: v.diagnosis,
          ...(v.signaling === null ? {} : { signaling_diagnosis: v.signaling }),
        },
      },
    ],
  };
}

function toParty(side: VconSide): VconParty {
  const out: VconParty = { validation: 'none' };
  if (side.uri !== null) out.sip = side.uri;
  if (side.contact !== null) out.sip_contact = side.contact;
  if (side.userAgent !== null) out.sip_user_agent = side.userAgent;
  if (side.displayName !== null) {
    out.name = side.displayName;
    out.sip_display_name = side.displayName;
  }
  return out;
}

function toDialog(v: VconInput, start: string): VconDialog {
  const out: VconDialog = {
    type: v.failureCode === null ? 'recording' : 'incomplete',
    start,
    duration: v.durationSec,
    parties: [0, 1],
    originator: 0,
    sip_call_id: v.callId,
  };
  if (v.failureCode !== null) return { ...out, disposition: disposition(v.failureCode) };
  if (v.audio === null) return out;
  if (v.audio !== 'inline') return { ...out, note: v.audio.refusal };
  return { ...out, mediatype: 'audio/wav', encoding: 'base64url', body: '' };
}

/** The closed list of the draft (section on the dialog object's disposition). */
function disposition(code: number): string {
  if (code === 486 || code === 600) return 'busy';
  if (code === 408 || code === 480) return 'no-answer';
  if (code === 487) return 'hung-up';
  return code === 503 ? 'congestion' : 'failed';
}

function attachment(purpose: string, start: string, body: object): VconAttachment {
  return { purpose, start, party: OBSERVER, dialog: 0, ...JSON_BODY, body };
}

/** What the container knows of the dialog's own messages and streams. */
export type Seen = { readonly messages: number; readonly kept: number; readonly hasEncrypted: boolean };

/** How much of the wire the container is drawn from. */
export function completeness(f: Figures, { messages, kept, hasEncrypted }: Seen): object {
  const s = toStats(f, NO_TIMING);
  const blind: string[] = [];
  if (messages > kept)
    blind.push(
      `${counted(messages - kept, 'message')} of this dialog ${messages - kept === 1 ? 'was' : 'were'} not kept`,
    );
  const missed =
    s.capture_quality.kernel_dropped_packets +
    s.capture_quality.interface_dropped_packets +
    s.capture_quality.queue_dropped_packets;
  if (missed > 0) blind.push(`${countedWere(missed, 'packet')} dropped unread`);
  if (s.caveats.encrypted_sip_flows > 0)
    blind.push(`${counted(s.caveats.encrypted_sip_flows, 'encrypted SIP connection')} could not be read`);
  if (hasEncrypted) blind.push('encrypted media was measured by its headers');
  if (s.unanalysed_sip_messages > 0) blind.push('SIP on ports that are not analysed (--portrange)');
  if (s.unanalysed_websocket_messages > 0)
    blind.push('SIP over WebSocket on ports that are not analysed (--ws-portrange)');
  return {
    note: 'Passive capture: what the tap did not see is not in here. Unsigned, no consent record, no validated identity.',
    node: f.identity.node,
    service_version: packageVersion(),
    frames_read: f.source.counter('frames'),
    undecodable_frames: s.capture_quality.undecodable_frames,
    sip_discarded_by_port_gate: s.unanalysed_sip_messages,
    sip_discarded_by_websocket_gate: s.unanalysed_websocket_messages,
    messages_evicted: s.caveats.messages_evicted,
    dialogs_refused: s.caveats.dialogs_refused,
    dialogs_rotated: s.caveats.dialogs_evicted,
    blind_spots: blind,
  };
}
