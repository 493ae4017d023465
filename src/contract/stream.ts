/** RTP streams as the API shows them (RFC 3550, RFC 3611): the full stream, its windows, the list and its rows. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, DateTime, named, ref, SchemaVersion1 } from './schema.ts';
import { FramePointer, Origin, SsrcText, Verdict } from './values.ts';

const Percent = Type.Number({ minimum: 0, maximum: 100 });
const Mos = Type.Number({ minimum: 1, maximum: 5, description: 'ITU-T G.107 estimate; absent when not scorable.' });
const Dscp = Type.Integer({ minimum: 0, maximum: 63 });
const Milliseconds = Type.Number({ minimum: 0 });

/** One closed window; `mos` and `r_factor` only in a filled window of a scorable codec. */
export const QualityInterval = named(
  'QualityInterval',
  Type.Object({
    timestamp: DateTime,
    jitter_ms: Milliseconds,
    loss_pct: Percent,
    packets: Count,
    mos: Type.Optional(Mos),
    r_factor: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    verdict: Type.Optional(Verdict),
  }),
);
export type QualityInterval = Static<typeof QualityInterval>;

/** RFC 3611 burst and gap metrics with Gmin 16; rates are fractions of one. */
export const BurstGap = named(
  'BurstGap',
  Type.Object({
    burst_count: Count,
    burst_duration_ms: Milliseconds,
    gap_duration_ms: Milliseconds,
    burst_loss_rate: Type.Number({ minimum: 0 }),
    gap_loss_rate: Type.Number({ minimum: 0 }),
    is_bursty: Type.Boolean(),
  }),
);
export type BurstGap = Static<typeof BurstGap>;

export const RtpStream = named(
  'RtpStream',
  Type.Object({
    schema_version: SchemaVersion1,
    ssrc: SsrcText,
    payload_type: Type.Integer({ minimum: 0, maximum: 255 }),
    src: Type.String(),
    dst: Type.String(),
    packets: Count,
    octets: Count,
    jitter_ms: Milliseconds,
    loss_pct: Percent,
    orphaned: Type.Boolean(),
    first_seen: DateTime,
    last_seen: DateTime,
    quality_intervals: Type.Array(ref(QualityInterval)),
    codec: Type.Optional(Type.String()),
    associated_dialog: Type.Optional(Type.String()),
    burst_gap: Type.Optional(ref(BurstGap)),
    dscp: Type.Optional(Dscp),
    dscp_last: Type.Optional(Dscp),
    dialog_assertion: Type.Optional(Type.Enum(['signaled', 'media-relay'])),
    dialog_origin: Type.Optional(Origin),
    input_origin: Type.Optional(Origin),
    frame: Type.Optional(FramePointer),
    round_trip_ms: Type.Optional(Milliseconds),
    round_trip_source: Type.Optional(Type.Enum(['xr_voip_metrics', 'sender_report_echo'])),
    mos: Type.Optional(Mos),
    host: Type.Optional(Type.String({ description: 'Of a hub: the host that saw it.' })),
  }),
);
export type RtpStream = Static<typeof RtpStream>;

/** What one payload type carried without another in between, of a stream that changed its type. */
export const StreamSegment = named(
  'StreamSegment',
  Type.Object({
    payload_type: Type.Integer({ minimum: 0, maximum: 255 }),
    codec: Type.Optional(Type.String()),
    clock_rate: Type.Optional(Count),
    packet_ms: Type.Optional(Milliseconds),
    from: DateTime,
    to: DateTime,
    packets: Count,
    expected: Count,
    lost: Count,
    late: Type.Integer({ minimum: 0, description: 'Later than a jitter buffer of 60 ms waits.' }),
    jitter_ms: Milliseconds,
    mos: Type.Optional(Mos),
  }),
);
export type StreamSegment = Static<typeof StreamSegment>;

/** Time in which nothing of a stream had to come here. */
export const StreamSpan = named(
  'StreamSpan',
  Type.Object({
    kind: Type.Enum(['held', 'dropped'], {
      description: 'The descriptions let nothing through, or this capture dropped packets of the interface.',
    }),
    from: DateTime,
    to: DateTime,
  }),
);
export type StreamSpan = Static<typeof StreamSpan>;

export const StreamRow = named(
  'StreamRow',
  Type.Object({
    ssrc: SsrcText,
    codec: Type.Optional(Type.String()),
    src: Type.String(),
    dst: Type.String(),
    packets: Count,
    jitter_ms: Milliseconds,
    loss_pct: Percent,
    orphaned: Type.Boolean(),
    associated_dialog: Type.Optional(Type.String()),
    mos: Type.Optional(Mos),
  }),
);
export type StreamRow = Static<typeof StreamRow>;

export const StreamList = named(
  'StreamList',
  Type.Object({
    schema_version: SchemaVersion1,
    total: Count,
    offset: Count,
    limit: Count,
    streams: Type.Array(ref(StreamRow)),
  }),
);
export type StreamList = Static<typeof StreamList>;
