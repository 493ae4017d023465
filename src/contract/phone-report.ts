/** What phones and agents reported of a call's media, beside what was measured (RFC 6035, RFC 3611). */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import { REPORT_KINDS, REPORT_PROOFS } from '../core/words.ts';
import { Count, DateTime, named, ref } from './schema.ts';
import { SsrcText } from './values.ts';

const figure = (description: string) => Type.Optional(Type.Number({ description }));

/** Of one direction; a figure that the reporter does not know is absent. */
export const ReportedFigures = named(
  'ReportedFigures',
  Type.Object({
    loss_pct: figure('Packets that never came.'),
    discard_pct: figure('Packets that came too late for the jitter buffer.'),
    jitter_ms: figure('Mean.'),
    jitter_max_ms: figure('Highest.'),
    round_trip_ms: figure('Of the network.'),
    one_way_delay_ms: figure('Of the network.'),
    end_system_delay_ms: figure('Of the device itself.'),
    mos_lq: figure('Listening quality, 1 to 5.'),
    mos_cq: figure('Conversational quality, 1 to 5.'),
    r_lq: figure('The same as R factor.'),
    r_cq: figure('The same as R factor.'),
    packets: figure('Received; of what was sent: sent.'),
    lost: figure('Packets.'),
    discarded: figure('Packets.'),
    burst_loss_pct: figure('Loss within bursts.'),
    burst_ms: figure('Mean length of a burst.'),
    gap_loss_pct: figure('Loss between bursts.'),
    gap_ms: figure('Mean length of a gap.'),
    signal_dbm: figure('Level of speech.'),
    noise_dbm: figure('Level of noise.'),
    echo_return_loss_db: figure('Residual.'),
    buffer_ms: figure('Jitter buffer, nominal.'),
    buffer_max_ms: figure('Jitter buffer, largest.'),
  }),
);
export type ReportedFigures = Static<typeof ReportedFigures>;

const ReportedSocket = Type.Object({
  address: Type.Optional(Type.String()),
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  ssrc: Type.Optional(SsrcText),
});

export const PhoneReport = named(
  'PhoneReport',
  Type.Object({
    kind: Type.Enum([...REPORT_KINDS], {
      description:
        '`session`, `interval` and `alert` of RFC 6035; `xr` of RTCP; `rtp_stat` of a header of BYE or its 200; `hep` of an agent.',
    }),
    at: DateTime,
    from: Type.String({ description: 'The address that sent it.' }),
    verified_by: Type.Optional(
      Type.Enum([...REPORT_PROOFS], {
        description: 'How the sender is known: a party of the call by its address, or an agent. Absent: it is not.',
      }),
    ),
    side: Type.Optional(Type.Enum(['caller', 'callee'], { description: 'Who reports, where that is known.' })),
    heard: Type.Optional(Type.Unsafe<ReportedFigures>({ ...ref(ReportedFigures), description: 'What it hears.' })),
    sent: Type.Optional(
      Type.Unsafe<ReportedFigures>({
        ...ref(ReportedFigures),
        description: 'What the other side said to it of what it sends.',
      }),
    ),
    measured: Type.Optional(
      Type.Array(
        Type.Object({
          ssrc: SsrcText,
          src: Type.String(),
          dst: Type.String(),
          loss_pct: Type.Number(),
          jitter_ms: Type.Number(),
          mos: Type.Optional(Type.Number()),
        }),
        { description: 'What was measured here of the streams that it may have heard.' },
      ),
    ),
    codec: Type.Optional(Type.String()),
    user: Type.Optional(Type.String({ description: 'Whom it names as its own. Untrusted text.' })),
    mac: Type.Optional(Type.String({ description: 'Untrusted text.' })),
    local: Type.Optional(ReportedSocket),
    remote: Type.Optional(ReportedSocket),
    starts: Type.Optional(DateTime),
    stops: Type.Optional(DateTime),
    alert: Type.Optional(Type.String({ description: 'Which figure, and how bad.' })),
    copies: Type.Optional(Count),
    vendor: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
        description: 'Fields of its vendor, as they are. Untrusted text.',
      }),
    ),
  }),
);
export type PhoneReport = Static<typeof PhoneReport>;

/** The worst that known senders reported of a call, in either direction. */
export const ReportedWorst = named(
  'ReportedWorst',
  Type.Object({
    mos: figure('The lowest.'),
    loss_pct: figure('The highest.'),
    jitter_ms: figure('The highest.'),
    round_trip_ms: figure('The highest.'),
  }),
);
export type ReportedWorst = Static<typeof ReportedWorst>;
