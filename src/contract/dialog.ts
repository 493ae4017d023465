/** Dialogs as the API shows them: the list, its rows, and the full document of the detail and report routes. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { LINE_CHANGES } from '../core/words.ts';
import { DialogSummary } from './call.ts';
import { Diagnosis } from './diagnosis.ts';
import { IcmpMedia } from './icmp-media.ts';
import { PhoneReport, ReportedWorst } from './phone-report.ts';
import { Count, DateTime, named, ref, SchemaVersion1 } from './schema.ts';
import { SignalingDiagnosis } from './signaling-diagnosis.ts';
import { RtpStream } from './stream.ts';
import { DialogState, FramePointer, Origin } from './values.ts';

/** Timing of the full dialog; a key without a value is absent. */
export const Timing = named(
  'Timing',
  Type.Object({
    retransmits: Count,
    pdd_ms: Type.Optional(Count),
    setup_ms: Type.Optional(Count),
    ring_ms: Type.Optional(Count),
    trying_delay_ms: Type.Optional(Count),
    teardown_ms: Type.Optional(Count),
  }),
);
export type Timing = Static<typeof Timing>;

export const SdpExchange = named(
  'SdpExchange',
  Type.Object({
    timestamp: DateTime,
    direction: Type.Enum(['offer', 'answer']),
    codecs: Type.Array(Type.String()),
    mode: Type.Enum(['sendrecv', 'sendonly', 'recvonly', 'inactive']),
    event: Type.Optional(
      Type.Enum(['hold', 'resume', 'codec_change', 'media_anchor_change', 't38_switch', 'transfer']),
    ),
    media_addr: Type.Optional(Type.String()),
    media_port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  }),
);
export type SdpExchange = Static<typeof SdpExchange>;

const Seconds = Type.Number({ minimum: 0 });

/** Final INVITE response code as it stood on the wire; absent, never zero, until there is one. */
const FinalStatus = Type.Integer({ minimum: 200, maximum: 999 });

const Host = Type.Optional(Type.String({ description: 'Of a hub: the host that saw it.' }));

export const MethodCount = named('MethodCount', Type.Object({ method: Type.String(), count: Count }));

export const DialogList = named(
  'DialogList',
  Type.Object({
    schema_version: SchemaVersion1,
    total: Type.Integer({ minimum: 0, description: 'Size of the filtered result set, not of the page.' }),
    by_method: Type.Array(ref(MethodCount)),
    offset: Count,
    limit: Type.Integer({ minimum: 0, description: 'The limit applied after clamping to --api-max-rows.' }),
    dialogs: Type.Array(ref(DialogSummary)),
  }),
);
export type DialogList = Static<typeof DialogList>;

/** The cause the wire named for the end of the call (RFC 3326, Q.850); only on the report route. */
export const Termination = named(
  'Termination',
  Type.Object({
    cause_code: Type.Optional(Type.Integer({ minimum: 0 })),
    cause_text: Type.Optional(Type.String()),
    protocol: Type.String(),
    source_header: Type.String(),
    frame_ref: Type.Optional(Type.String()),
  }),
);
export type Termination = Static<typeof Termination>;

/** Recording metadata of a SIPREC session (RFC 7865), read from a multipart body. */
export const SiprecMetadata = named(
  'SiprecMetadata',
  Type.Object({
    data_mode: Type.Optional(Type.String()),
    sessions: Type.Array(Type.Object({ session_id: Type.String(), sip_session_ids: Type.Array(Type.String()) })),
    participants: Type.Array(
      Type.Object({
        participant_id: Type.String(),
        aor: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
      }),
    ),
    streams: Type.Array(
      Type.Object({
        stream_id: Type.String(),
        session_id: Type.Optional(Type.String()),
        label: Type.Optional(Type.String()),
      }),
    ),
  }),
);
export type SiprecMetadata = Static<typeof SiprecMetadata>;

export const Dialog = named(
  'Dialog',
  Type.Object({
    schema_version: SchemaVersion1,
    call_id: Type.String(),
    state: DialogState,
    method: Type.String(),
    msg_count: Count,
    duration_sec: Seconds,
    timing: ref(Timing),
    sdp_timeline: Type.Array(ref(SdpExchange)),
    diagnosis: ref(Diagnosis),
    streams: Type.Array(ref(RtpStream)),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    from_display: Type.Optional(Type.String()),
    to_display: Type.Optional(Type.String()),
    final_status_code: Type.Optional(FinalStatus),
    final_status_reason: Type.Optional(Type.String()),
    frame: Type.Optional(FramePointer),
    input_origin: Type.Optional(Origin),
    tags: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    icmp_media: Type.Optional(ref(IcmpMedia)),
    signaling_diagnosis: Type.Optional(ref(SignalingDiagnosis)),
    termination: Type.Optional(ref(Termination)),
    refer_to: Type.Optional(Type.String({ description: 'URI of the last Refer-To.' })),
    siprec_metadata: Type.Optional(ref(SiprecMetadata)),
    host: Host,
    hosts: Type.Optional(
      Type.Array(Type.String(), { description: 'Of a hub: all hosts that saw the call, the first one first.' }),
    ),
  }),
);
export type Dialog = Static<typeof Dialog>;

/** One m= line of a description. */
export const MediaLine = named(
  'MediaLine',
  Type.Object({
    exchange: Type.Integer({ minimum: 0, description: 'Index into `sdp_timeline`.' }),
    line: Type.Integer({ minimum: 0, description: 'Which m= line of it.' }),
    type: Type.String({ description: '`audio`, `video`, `image`, `application`' }),
    transport: Type.String({ description: '`RTP/AVP`, `udptl`, `TCP/BFCP`' }),
    mode: SdpExchange.properties.mode,
    codecs: Type.Array(Type.String()),
    media_port: Type.Integer({
      minimum: 0,
      maximum: 65535,
      description: '0: the line is refused, or over. With BUNDLE that of the group.',
    }),
    media_addr: Type.Optional(Type.String()),
    change: Type.Optional(
      Type.Enum([...LINE_CHANGES], { description: 'Against what the same side said before, or was offered.' }),
    ),
  }),
);
export type MediaLine = Static<typeof MediaLine>;

/** What `/ask` and `--json` tell of a call's media beyond the contract. */
export const mediaFacts = {
  media_lines: Type.Optional(
    Type.Array(ref(MediaLine), {
      minItems: 1,
      description: 'Every m= line of the descriptions; absent where each of them has one audio line alone.',
    }),
  ),
  media_lines_not_shown: Type.Optional(Type.Integer({ minimum: 1, description: 'Lines beyond those.' })),
  media_notes: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Notes that are not faults, in sentences: video that ran one way.',
    }),
  ),
};

/** What phones and agents reported of its media. */
const reportFacts = {
  phone_reports: Type.Optional(
    Type.Array(ref(PhoneReport), { minItems: 1, description: 'What phones and agents reported, the oldest first.' }),
  ),
  reported: Type.Optional(ref(ReportedWorst)),
};

/** Who called whom, where a URI of From or To has no user. */
const userlessParties = {
  from_host: Type.Optional(Type.String({ description: 'Host or URN of From, where it has no user.' })),
  to_host: Type.Optional(Type.String({ description: 'The same of To.' })),
};

/** What `--json` and `/ask` show: the dialog with the times of its list row, and more of its media. */
export const CallDocument = named(
  'CallDocument',
  Type.Object({
    ...Dialog.properties,
    created_at: DateTime,
    updated_at: DateTime,
    ...userlessParties,
    ...mediaFacts,
    ...reportFacts,
  }),
);
export type CallDocument = Static<typeof CallDocument>;
